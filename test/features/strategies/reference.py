"""Every strategy from the shipped register figures, with pandas alone. Reads the pairs of company and day from standard input."""
import gzip, json, math, sys
import pandas as pd

TAGS = json.loads(sys.argv[2])
rows = pd.read_csv(sys.argv[1], dtype=str, keep_default_na=False)
rows = rows[rows.market == "US"].copy()
rows["v"] = rows.v.astype(float)
rows["endDay"] = pd.to_datetime(rows.end)
rows["order"] = [TAGS.get(m, []).index(t) if t in TAGS.get(m, []) else 99 for m, t in zip(rows.m, rows.tag)]
of_company = {ticker: group for ticker, group in rows.groupby("ticker")}

def known(ticker, day, periods):
    """The current figure of each metric and period end."""
    seen = of_company[ticker]
    seen = seen[(seen.filed <= day) & (seen.end <= seen.filed) & seen.fp.isin(periods)]
    seen = seen.sort_values(["filed", "accepted_at", "accession"], kind="stable")
    best = seen.groupby(["m", "end"]).order.transform("min")
    seen = seen[seen.order == best]
    last = seen.groupby(["m", "end"]).tail(1)
    figures = {}
    for m, group in last.groupby("m"):
        figures[m] = pd.Series(group.v.values, index=group.endDay.values).sort_index()
    return figures

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

def surprise(ticker, day):
    years, quarters = known(ticker, day, ["FY"]), known(ticker, day, ["Q1", "Q2", "Q3", "Q4"])
    ytd = known(ticker, day, ["Q3"]).get("net_income_ytd")
    stated = quarters.get("net_income")
    series = {} if stated is None else dict(stated.items())
    year = years.get("net_income")
    # A fourth quarter that is not stated is the year less its nine months.
    for end, value in ({} if year is None or ytd is None else dict(year.items())).items():
        near = [d for d in ytd.index if 75 <= (end - d).days <= 110]
        if end not in series and near: series[end] = value - ytd[near[0]]
    if not series: return math.nan
    series = pd.Series(series).sort_index()
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

for pair in json.load(sys.stdin):
    figures = with_debt(pair["ticker"], pair["day"], known(pair["ticker"], pair["day"], ["FY"]))
    out = annual(figures)
    out["earnings_surprise"] = surprise(pair["ticker"], pair["day"])
    print(json.dumps({**pair, "scores": {k: (None if math.isnan(v) else v + 0) for k, v in out.items()}}))
