"""Every strategy from the shipped register figures, with pandas alone. Reads the pairs of company and day from standard input."""
import gzip, json, math, sys
import pandas as pd

TAGS = json.loads(sys.argv[2])
rows = pd.read_csv(sys.argv[1], dtype=str, keep_default_na=False)
rows = rows[rows.market == "US"].copy()
rows["v"] = rows.v.astype(float)
# Some filings state a figure twice, once with its period rounded to whole months. That is no further period.
stated = ["ticker", "m", "fy", "fp", "accession"]
exact = rows[rows.rounded != "yes"].set_index(stated).index
rows = rows[(rows.rounded != "yes") | ~rows.set_index(stated).index.isin(exact)].copy()
rows["endDay"] = pd.to_datetime(rows.end)
rows["order"] = [TAGS.get(m, []).index(t) if t in TAGS.get(m, []) else 99 for m, t in zip(rows.m, rows.tag)]
of_company = {ticker: group for ticker, group in rows.groupby("ticker")}

def known(ticker, day, periods):
    """The figure of each metric and period end that is current on a day."""
    seen = of_company[ticker]
    seen = seen[(seen.filed <= day) & (seen.end <= seen.filed) & seen.fp.isin(periods)]
    seen = seen.sort_values(["filed", "accepted_at", "accession"], kind="stable")
    best = seen.groupby(["m", "end"]).order.transform("min")
    seen = seen[seen.order == best]
    figures = {}
    for (m, _), group in seen.groupby(["m", "end"]):
        figures.setdefault(m, {})[group.endDay.iloc[0]] = latest_value(group.v)
    return {m: pd.Series(values).sort_index() for m, values in figures.items()}

def is_rounded(coarse, fine):
    """Whether an amount is another one in whole thousands or millions."""
    return any(coarse % unit == 0 and fine % unit != 0 and 2 * abs(coarse - fine) <= unit for unit in (1_000_000, 1_000))

def latest_value(values):
    """The last value stated. A later statement of the same amount with coarser rounding changes nothing (docs/figures-and-vintages.md)."""
    current = math.nan
    for value in values:
        if math.isnan(current) or not is_rounded(value, current): current = value
    return current

def lookup(series, latest, days):
    if series is None or len(series) == 0: return math.nan
    if days == 0: return series.get(latest, math.nan)
    distance = (series.index - (latest - pd.Timedelta(days=days))).to_series(index=series.index).abs()
    if distance.min() > pd.Timedelta(days=20): return math.nan
    return series[distance.idxmin()]

def divide(a, b): return math.nan if b == 0 else a / b
def rose(a, b): return math.nan if math.isnan(a) or math.isnan(b) else float(a > b)

def annual(figures):
    out = {}
    def at(anchor):
        series = figures.get(anchor)
        if series is None or len(series) == 0: return lambda *_: math.nan
        return lambda m, lag=0: float(lookup(figures.get(m), series.index[-1], lag * 365.25))
    g = at("assets")
    def roa(k): return divide(g("net_income", k), g("assets", k + 1))
    def lever(k): return divide(g("long_term_debt_noncurrent", k), (g("assets", k) + g("assets", k + 1)) / 2)
    def liquid(k): return divide(g("current_assets", k), g("current_liabilities", k))
    def margin(k): return divide(g("gross_profit", k), g("revenue", k))
    def turn(k): return divide(g("revenue", k), g("assets", k + 1))
    cfo = divide(g("operating_cash_flow"), g("assets", 1))
    shares, before = g("shares_basic"), g("shares_basic", 1)
    out["piotroski_f"] = sum([
        rose(roa(0), 0), rose(cfo, 0), rose(roa(0), roa(1)), rose(cfo, roa(0)), rose(lever(1), lever(0)),
        rose(liquid(0), liquid(1)), math.nan if math.isnan(shares + before) else float(shares <= before),
        rose(margin(0), margin(1)), rose(turn(0), turn(1))])
    def change(m): return g(m) - g(m, 1)
    debt = change("current_debt")
    debt = 0 if math.isnan(debt) else debt
    out["accruals"] = -divide(change("current_assets") - change("cash") - (change("current_liabilities") - debt)
                             - g("depreciation_amortization"), (g("assets") + g("assets", 1)) / 2)
    out["gross_profitability"] = divide(g("gross_profit"), g("assets"))
    out["asset_growth"] = -divide(change("assets"), g("assets", 1)) if g("assets", 1) > 0 else math.nan
    a = g("assets")
    x1 = divide(g("current_assets") - g("current_liabilities"), a)
    x2, x3 = divide(g("retained_earnings"), a), divide(g("operating_income"), a)
    x4, x5 = divide(g("equity"), g("liabilities")), divide(g("revenue"), a)
    # The two parts of Z that filings state; the market capitalisation completes them.
    out["altman_z.accounts"] = 1.2 * x1 + 1.4 * x2 + 3.3 * x3 + 0.999 * x5
    out["altman_z.liabilities"] = g("liabilities")
    out["altman_z_private"] = -(0.717 * x1 + 0.847 * x2 + 3.107 * x3 + 0.42 * x4 + 0.998 * x5)
    out["altman_z_double_prime"] = -(6.56 * x1 + 3.26 * x2 + 6.72 * x3 + 1.05 * x4)
    def index(f): return divide(f(0), f(1))
    def soft(k): return 1 - divide(g("current_assets", k) + g("property_plant_equipment", k), g("assets", k))
    def rate(k): return divide(g("depreciation_amortization", k), g("depreciation_amortization", k) + g("property_plant_equipment", k))
    def owed(k): return divide(g("long_term_debt_noncurrent", k) + g("current_liabilities", k), g("assets", k))
    out["beneish_m"] = -(
        -4.84 + 0.92 * index(lambda k: divide(g("receivables", k), g("revenue", k))) + 0.528 * divide(margin(1), margin(0))
        + 0.404 * index(soft) + 0.892 * index(lambda k: g("revenue", k)) + 0.115 * divide(rate(1), rate(0))
        - 0.172 * index(lambda k: divide(g("selling_general_administrative", k), g("revenue", k)))
        + 4.679 * divide(g("net_income") - g("operating_cash_flow"), a) - 0.327 * index(owed))
    g = at("shares_basic")
    s, t = g("shares_basic"), g("shares_basic", 1)
    out["net_share_issuance"] = -math.log(s / t) if s > 0 and t > 0 else math.nan
    g = at("equity")
    e, f = g("equity"), g("equity", 1)
    out["return_on_equity"] = divide(g("net_income"), e)
    out["book_equity"] = e if e > 0 else math.nan
    out["book_equity_growth"] = -e / f if e > 0 and f > 0 else math.nan
    return out

def fourth_quarters(ticker, day):
    """Where no filing states a fourth quarter it is the year less its nine months. Once one of the two is restated and the other not
    yet, the earlier difference stays: a difference of two generations is no quarter (docs/figures-and-vintages.md)."""
    seen = of_company[ticker]
    seen = seen[(seen.filed <= day) & (seen.end <= seen.filed)].sort_values(["filed", "accepted_at", "accession"], kind="stable")
    years = seen[(seen.m == "net_income") & (seen.fp == "FY")]
    months = seen[(seen.m == "net_income_ytd") & (seen.fp == "Q3")]
    found = {}
    for end, of_year in years.groupby("endDay"):
        gap = (end - months.endDay).dt.days
        of_months = months[(gap >= 75) & (gap <= 110)]
        if of_months.empty: continue
        of_months = of_months[of_months.endDay == of_months.endDay.iloc[0]]
        events = pd.concat([of_year.assign(part=0), of_months.assign(part=1)]).sort_values(["filed", "accepted_at", "accession"], kind="stable")
        current, generation = [math.nan, math.nan], [0, 0]
        for part, value in zip(events.part, events.v):
            if value == current[part] or is_rounded(value, current[part]): continue
            if not math.isnan(current[part]): generation[part] += 1
            current[part] = value
            if generation[0] == generation[1] and not math.isnan(sum(current)): found[end] = current[0] - current[1]
    return found

def surprise(ticker, day):
    stated = known(ticker, day, ["Q1", "Q2", "Q3", "Q4"]).get("net_income")
    series = {} if stated is None else dict(stated.items())
    for end, value in fourth_quarters(ticker, day).items():
        series.setdefault(end, value)
    if not series: return math.nan
    return surprise_of(pd.Series(series).sort_index())

def surprise_of(series):
    at = lambda lag: float(lookup(series, series.index[-1], lag * 91.3125))
    change = pd.Series([at(k) - at(k + 4) for k in range(9)])
    before = change[1:9]
    if before.isna().any() or not before.std(ddof=1) > 0: return math.nan
    return (change[0] - before.mean()) / before.std(ddof=1)

def with_debt(ticker, day, figures):
    """current_debt is computed where the filer states no total: commercial paper and the current part of long-term debt."""
    paper, part = figures.get("commercial_paper"), figures.get("long_term_debt_current")
    if paper is not None and part is not None:
        other = figures.get("other_short_term_borrowings")
        both = paper.index.intersection(part.index)
        if other is not None: both = both.difference(other.index[other > paper.reindex(other.index)])
        computed = paper[both] + part[both]
        stated = figures.get("current_debt")
        figures["current_debt"] = computed if stated is None else stated.combine_first(computed)
    revenue, cost, stated = figures.get("revenue"), figures.get("cost_of_revenue"), figures.get("gross_profit")
    # Gross profit that is not stated is revenue less its cost.
    if revenue is not None and cost is not None:
        both = revenue.index.intersection(cost.index)
        figures["gross_profit"] = revenue[both] - cost[both] if stated is None else stated.combine_first(revenue[both] - cost[both])
    return figures

def given(figures):
    """Figures that the caller has chosen, by metric and last day of the period; null is a figure that does not count."""
    return {m: pd.Series({pd.Timestamp(end): math.nan if v is None else float(v) for end, v in of.items()}).sort_index() for m, of in figures.items()}

for pair in json.load(sys.stdin):
    if "figures" in pair:
        out = annual(given(pair["figures"]))
        quarters = given({"q": pair["quarters"]})["q"]
        out["earnings_surprise"] = surprise_of(quarters) if len(quarters) > 0 else math.nan
        print(json.dumps({"scores": {k: (None if math.isnan(v) else v + 0) for k, v in out.items()}}))
        continue
    figures = with_debt(pair["ticker"], pair["day"], known(pair["ticker"], pair["day"], ["FY"]))
    out = annual(figures)
    out["earnings_surprise"] = surprise(pair["ticker"], pair["day"])
    print(json.dumps({**pair, "scores": {k: (None if math.isnan(v) else v + 0) for k, v in out.items()}}))
