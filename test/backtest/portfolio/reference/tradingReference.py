"""A backtest with rules of trading in plain loops, independent of the engine: extends the loop reference of the simulator.

Reads {"panels": [{"panel": ..., "config": ...}]} from the file that it is given and writes the series of each as JSON. Rows are lists by
date: score, r (None: unknown), volume, borrow. Equal weights, one market."""
import json, math, sys


def sd(values):
    m = sum(values) / len(values)
    return math.sqrt(sum((x - m) ** 2 for x in values) / (len(values) - 1))


def targets(scores, q, long_short, gross):
    names = [i for i, s in enumerate(scores) if s is not None]
    n = len(names)
    k = max(1, math.floor(q * n + 1e-9)) if n else 0
    if n < 2 or (2 * k > n and long_short):
        k = n // 2
    if k == 0:
        return {}
    order = sorted(names, key=lambda i: (scores[i], i))
    top, bottom = order[n - k:], order[:k]
    if not long_short:
        return {i: gross / k for i in top}
    return {**{i: gross / 2 / k for i in top}, **{i: -gross / 2 / k for i in bottom}}


def water_fill(side, limit):
    """Positive weights: min(limit, c x) with the smallest c >= 1 that keeps the sum; found by trying each set of capped names."""
    total = sum(side.values())
    if not side or max(side.values()) <= limit:
        return dict(side)
    if limit * len(side) <= total:
        return {i: limit for i in side}
    descending = sorted(side.values(), reverse=True)
    for m in range(len(descending)):
        free = sum(descending[m:])
        c = (total - m * limit) / free
        if descending[m] * c <= limit * (1 + 1e-15) and (m == 0 or descending[m - 1] * c >= limit * (1 - 1e-12)):
            return {i: min(limit, c * x) for i, x in side.items()}
    raise AssertionError("no solution")


def weekdays_after(day, count):
    """Day 0, 1970-01-01, was a Thursday."""
    while count > 0:
        day += 1
        if (day + 3) % 7 < 5:
            count -= 1
    return day


def ended(days, t, c):
    """How many of the first periods have returns that ended before day t: both after so many weekdays and on that date of the rows."""
    n = 0
    while n < t and n + math.ceil(c["returnDays"] / c["medianGap"]) < t and weekdays_after(days[n], c["returnDays"]) < days[t]:
        n += 1
    return n


def backtest(panel, c):
    D, N, h = len(panel["score"]), len(panel["score"][0]), c["hold"]
    P, days = c["periodsPerYear"], panel["days"]
    tg, held, past = [], [0.0] * N, []
    out = {k: [] for k in ("gross", "net", "turnover", "cost", "borrow", "impact", "leverage", "fraction")}
    for t in range(D):
        tg.append(targets(panel["score"][t], c["q"], c["longShort"], c["gross"]))
        w = [0.0] * N
        for j in range(max(0, t - h + 1), t + 1):
            for i, x in tg[j].items():
                w[i] += x / h
        r = [x if x is not None else 0.0 for x in panel["r"][t]]
        scale = 1.0
        if c.get("targetVolatility"):
            known = past[: ended(days, t, c)]
            window = known[-c["volatilityPeriods"]:] if len(known) >= c["volatilityPeriods"] else None
            if window is None:
                scale = min(1.0, c["maxLeverage"])
            else:
                v = sd(window) * math.sqrt(P)
                scale = min(c["maxLeverage"], c["targetVolatility"] / v) if v > 0 else c["maxLeverage"]
        past.append(sum(w[i] * r[i] for i in range(N)))
        target = [x * scale for x in w]
        if c.get("maxWeight"):
            for side in (1, -1):
                fitted = water_fill({i: side * x for i, x in enumerate(target) if side * x > 0}, c["maxWeight"])
                for i, x in fitted.items():
                    target[i] = side * x
        wanted = sum(abs(target[i] - held[i]) for i in range(N)) / 2
        f = c["maxTurnover"] / wanted if c.get("maxTurnover") and wanted > c["maxTurnover"] else 1.0
        new = [held[i] + f * (target[i] - held[i]) for i in range(N)]
        trade = [abs(new[i] - held[i]) for i in range(N)]
        impact = 0.0
        if c.get("impact"):
            rates = [None] * N
            known = ended(days, t, c)
            for i in range(N):
                series = [panel["r"][k][i] for k in range(max(0, known - c["impactPeriods"]), known)]
                series = [x for x in series if x is not None]
                volume = panel["volume"][t][i]
                if volume and 2 * len(series) >= c["impactPeriods"] and trade[i] > 1e-13 * c["gross"]:
                    daily = sd(series) / math.sqrt(c["returnDays"])
                    rates[i] = c["impact"] * daily * math.sqrt(trade[i] * c["capital"] / volume)
            highest = max([x for x in rates if x is not None], default=0.0)
            for i in range(N):
                if trade[i] > 1e-13 * c["gross"]:
                    impact += trade[i] * (highest if rates[i] is None else rates[i])
        borrow = 0.0
        for i in range(N):
            if new[i] < 0:
                own = panel["borrow"][t][i]
                borrow += -new[i] * (c["borrowBps"] if own is None else own) / 1e4 / P
        gross = sum(new[i] * r[i] for i in range(N))
        cost = sum(trade) / 2 * c["costBps"] / 1e4 + impact
        for k, x in dict(gross=gross, net=gross - cost - borrow, turnover=sum(trade) / 2, cost=cost, borrow=borrow,
                         impact=impact, leverage=scale, fraction=f).items():
            out[k].append(x)
        held = [new[i] * (1 + r[i]) / (1 + gross) for i in range(N)] if c["drift"] else new
    return out


if __name__ == "__main__":
    print(json.dumps([backtest(x["panel"], x["config"]) for x in json.load(open(sys.argv[1]))["panels"]]))
