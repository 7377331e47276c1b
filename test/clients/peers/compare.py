"""alphalens and vectorbt on frames of the client, beside backtests of the server on the same random panel. Prints the largest differences."""

import json
import warnings

import numpy as np
import pandas as pd

from asfiled import Client, to_alphalens, to_vectorbt

warnings.simplefilter("ignore")
import alphalens  # noqa: E402
import vectorbt  # noqa: E402


def panel(n_dates, n_assets, seed, freq="B", ties=False, missing=False):
    random = np.random.default_rng(seed)
    dates = pd.date_range("2021-01-04", periods=n_dates, freq=freq)
    index = pd.MultiIndex.from_product([dates, [f"N{number}" for number in range(n_assets)]], names=["date", "asset"])
    score = random.normal(size=len(index))
    frame = pd.DataFrame({"score": score.round(1) if ties else score}, index=index).reset_index()
    frame["forward_return"] = 0.02 * random.normal(size=len(index)) + 0.002 * score
    if missing:
        frame.loc[random.random(len(frame)) < 0.03, "score"] = np.nan
        frame.loc[random.random(len(frame)) < 0.03, "forward_return"] = np.nan
        frame = frame[random.random(len(frame)) > 0.02]
    return frame.sample(frac=1, random_state=seed, ignore_index=True)


def largest(*differences):
    return float(max(np.max(np.abs(difference)) for difference in differences))


free = {"costBps": 0, "borrowBps": 0}
client = Client()
found = {"ic": [], "quantiles": [], "spread": [], "total_return": [], "curve": []}

panels = [
    panel(260, 50, 1),
    panel(260, 47, 2, ties=True),
    panel(260, 47, 3, ties=True, missing=True),
    panel(120, 30, 4, freq="BME"),
]
for frame in panels:
    result = client.backtest(frame, include=["ic", "quantiles"], config=free).result
    data = to_alphalens(frame)
    ic = alphalens.performance.factor_information_coefficient(data)["1D"]
    assert len(ic) == result["ic"]["n_periods"]
    found["ic"].append(largest(ic.mean() - result["ic"]["mean"], ic.std() - result["ic"]["sd"]))
    means, _ = alphalens.performance.mean_return_by_quantile(data, demeaned=False)
    server = np.array([bucket["mean_return"] for bucket in result["quantiles"]])
    found["quantiles"].append(largest(means["1D"].to_numpy() - server))
    by_date, _ = alphalens.performance.mean_return_by_quantile(data, by_date=True, demeaned=False)
    spread, _ = alphalens.performance.compute_mean_returns_spread(by_date, 10, 1)
    # By its definition half of the difference.
    found["spread"].append(largest(spread["1D"].mean() - (server[-1] - server[0]) / 2))

# Where ten buckets have equal numbers of names and no score is there twice, the table is that of alphalens to the last bit.
frame = panels[0]
wide = frame.pivot(index="date", columns="asset", values="forward_return")
factor = frame.set_index(["date", "asset"])["score"].sort_index()
returns = wide.stack().rename("1D").to_frame().rename_axis(["date", "asset"])
own = alphalens.utils.get_clean_factor(factor, returns, quantiles=10)
pd.testing.assert_frame_equal(to_alphalens(frame), own, check_index_type=False)
data = to_alphalens(frame)

# And from prices: alphalens derives the returns from the prices that vectorbt takes, and the calendar from their dates.
prices = to_vectorbt(frame).close
derived = alphalens.utils.get_clean_factor_and_forward_returns(factor, prices, periods=(1,), quantiles=10)
assert derived.index.equals(data.index) and derived.columns.equals(data.columns)
found["derived_returns"] = largest(derived["1D"] - data["1D"])
assert (derived["factor_quantile"] == data["factor_quantile"]).all()
assert data.index.levels[0].freq is not None

# What a tear sheet computes of the table, all of it without an error.
alphalens.performance.factor_returns(data)
alphalens.performance.factor_alpha_beta(data)
alphalens.performance.factor_rank_autocorrelation(data)
alphalens.performance.quantile_turnover(data["factor_quantile"], 10)
alphalens.performance.factor_cumulative_returns(data, "1D")
alphalens.performance.create_pyfolio_input(data, "1D")

settings = [
    {},
    {"quantile": 0.3, "weighting": "rank"},
    {"quantile": 0.2, "weighting": "score", "direction": "long_only"},
    {"quantile": 0.2, "gross": 0.8, "hold_periods": 5},
]
for frame in panels:
    step = 21 if len(frame["date"].unique()) == 120 else 1
    for setting in settings:
        config = {**free, **{name: value for name, value in setting.items() if name != "hold_periods"}}
        config |= {"returnDays": step, "holdDays": step * setting.get("hold_periods", 1)}
        result = client.backtest(frame, config=config)
        account = vectorbt.Portfolio.from_orders(**to_vectorbt(frame, **setting).orders(), fees=0, init_cash=1e6)
        value = account.value().to_numpy() / 1e6
        curve = np.array(result.result["equity_curve"])
        found["total_return"].append(largest(account.total_return() - (curve[-1] - 1)))
        # The first value of vectorbt is that of the first date, before any return.
        found["curve"].append(largest(value[-len(curve) :] - curve))

frames = to_vectorbt(panels[0])
account = vectorbt.Portfolio.from_signals(
    frames.close,
    entries=frames.entries,
    exits=frames.exits,
    short_entries=frames.short_entries,
    short_exits=frames.short_exits,
)
held = account.asset_flow().cumsum().to_numpy()[:-1]
assert (np.sign(held.round(12)) == np.sign(frames.weights.to_numpy()[:-1])).all()

print(json.dumps({name: np.max(values) for name, values in found.items()}))
