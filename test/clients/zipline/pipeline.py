"""Runs pipelines of zipline on real filings and compares every value with a join that is sent by itself.

Prints what was compared as one JSON object. The address and the key are those of the environment.
"""

import json
import os
import tempfile
import warnings

import numpy as np
import pandas as pd
import requests
from zipline.assets import AssetDBWriter, AssetFinder
from zipline.pipeline import CustomFactor, Pipeline
from zipline.pipeline.domain import US_EQUITIES
from zipline.pipeline.engine import SimplePipelineEngine

from asfiled import Client
from asfiled.zipline import FundamentalsLoader, fundamentals

warnings.simplefilter("ignore")
start, end = pd.Timestamp("2009-09-01"), pd.Timestamp("2011-12-30")
metrics = ["revenue", "net_income", "assets"]
address, key = os.environ["ASFILED_URL"], os.environ["ASFILED_KEY"]
tickers = json.loads(os.environ["TICKERS"])

first, last, renamed = pd.Timestamp("2000-01-03"), pd.Timestamp("2025-12-31"), pd.Timestamp("2010-06-01")
assets = [{"sid": 10 + place, "symbol": ticker, "start_date": first, "end_date": last} for place, ticker in enumerate(tickers)]
# No company has this symbol; from June 2010 on, the asset has that of the first company's.
assets[0]["start_date"] = renamed
assets.append({**assets[0], "symbol": "NOSUCH", "start_date": first, "end_date": renamed - pd.Timedelta(days=1)})
# Listed in the middle of the time.
assets[1]["start_date"] = pd.Timestamp("2010-03-01")
equities = pd.DataFrame(assets).assign(exchange="NYSE", asset_name="").set_index("sid")


class FiveSessionsAgo(CustomFactor):
    window_length = 6

    def compute(self, today, assets, out, values):
        out[:] = values[0]


def join(sessions, symbols, known, fp, max_age_days):
    """The answer of the server for rows that are written here: the time 08:45 in New York, or the day."""
    when = [f"{day:%Y-%m-%d}" + ("" if known == "day" else "T08:45") for day in sessions for _ in symbols]
    body = {
        "rows": {"date" if known == "day" else "time": when, "ticker": [symbol for _ in sessions for symbol in symbols]},
        **{"metrics": metrics, "fp": fp, "with": ["end", "filed"]},
        **({} if max_age_days is None else {"max_age_days": max_age_days}),
    }
    answer = requests.post(f"{address}/api/v1/as-of", json=body, headers={"Authorization": f"Bearer {key}"})
    answer.raise_for_status()
    return answer.json()["columns"]


compared = found = windows = 0
by_known = {}
with tempfile.TemporaryDirectory() as folder:
    path = f"{folder}/assets.sqlite"
    exchanges = pd.DataFrame([{"exchange": "NYSE", "canonical_name": "NYSE", "country_code": "US"}])
    AssetDBWriter(path).write(equities=equities, exchanges=exchanges)
    finder = AssetFinder(path)
    for known, fp, max_age_days in [("cutoff", "FY", None), ("cutoff", "TTM", None), ("day", "Q", 200), ("day", "latest", None)]:
        Fundamentals = fundamentals(metrics, fp=fp, with_=["end", "filed"])
        loader = FundamentalsLoader(Client(), finder, known=known, max_age_days=max_age_days)
        engine = SimplePipelineEngine(lambda column: loader, finder, default_domain=US_EQUITIES)
        columns = {name: getattr(Fundamentals, name).latest for metric in metrics for name in (metric, f"{metric}_end", f"{metric}_filed")}
        columns["before"] = FiveSessionsAgo(inputs=[Fundamentals.revenue])
        result = engine.run_pipeline(Pipeline(columns), start, end)
        sessions = result.index.get_level_values(0).unique()
        expected = join(sessions, tickers, known, fp, max_age_days)
        by_symbol = {}
        for place in range(len(expected["ticker"])):
            session, ticker = sessions[place // len(tickers)], tickers[place % len(tickers)]
            if ticker != tickers[0] or session >= renamed:
                by_symbol[session, ticker] = place
        seen = {}
        for (session, asset), row in result.iterrows():
            ticker = tickers[asset.sid - 10]
            place = by_symbol.get((session, ticker))
            for metric in metrics:
                for name in (metric, f"{metric}_end", f"{metric}_filed"):
                    value = None if place is None else expected[name][place]
                    shown = None if pd.isna(row[name]) else row[name]
                    if isinstance(shown, pd.Timestamp):
                        shown = f"{shown:%Y-%m-%d}"
                    assert shown == value, (known, fp, session, ticker, name, shown, value)
                    compared += 1
                    found += shown is not None
                if row[f"{metric}_filed"] is not pd.NaT and known == "day":
                    assert row[f"{metric}_filed"] < session
            seen[session, ticker] = row["revenue"]
        order = list(sessions)
        for (session, asset), row in result.iterrows():
            ticker, at = tickers[asset.sid - 10], order.index(session)
            if at < 5:
                continue
            past = seen.get((order[at - 5], ticker), np.nan)
            assert past == row["before"] or (pd.isna(past) and pd.isna(row["before"])), (session, ticker)
            windows += 1
        by_known[f"{known} {fp}"] = int(result["revenue"].notna().sum())
    refused = []
    for make in (lambda: fundamentals([]), lambda: fundamentals("revenue", fp="H1"), lambda: FundamentalsLoader(Client(), finder, known="close")):
        try:
            make()
        except ValueError as error:
            refused.append(str(error))
    names = {"asset_finder": finder, "start": start, "end": end}
    exec(os.environ["EXAMPLE"], names)
    margins = int(names["result"]["margin"].notna().sum())
print(json.dumps({"compared": compared, "found": int(found), "windows": windows, "refused": refused, "by_known": by_known, "margins": margins}))
