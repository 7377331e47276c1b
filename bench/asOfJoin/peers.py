"""What users write for an as-of join, on the same rows and vintages, timed: polars, pandas and duckdb, as far as they are installed.

Usage: peers.py FOLDER RUNS. Reads vintages.csv and rows.csv, writes the columns of Polars as raw doubles, prints one JSON line."""

import importlib.util
import json
import sys
import time
from datetime import timedelta

import polars as pl

folder, runs = sys.argv[1], int(sys.argv[2])
vintages = pl.read_csv(f'{folder}/vintages.csv', try_parse_dates=True)
rows = pl.read_csv(f'{folder}/rows.csv', try_parse_dates=True)
metrics = sorted(vintages['metric'].unique())


def trap_removed(frame):
    """An amendment of an old year must not displace the newest: only vintages of the newest year so far stay."""
    return (
        frame.sort('filed', 'end')
        .filter(pl.col('end') >= pl.col('end').cum_max().over('ticker'))
        .with_columns(date=pl.col('filed') + timedelta(days=1))
        .select('ticker', 'date', 'value')
        .sort('date')
    )


def naive(frame):
    """The latest filing wins: what a join without a thought for amendments does."""
    dated = frame.with_columns(date=pl.col('filed') + timedelta(days=1))
    return dated.sort('date', 'end').select('ticker', 'date', 'value')


right = {metric: trap_removed(vintages.filter(pl.col('metric') == metric)) for metric in metrics}


def best(work):
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - started)
    return min(times), found


def join(tables):
    return [rows.join_asof(tables[m], on='date', by='ticker', check_sortedness=False)['value'] for m in metrics]


report = {'metrics': metrics, 'vintages': vintages.height}
report['polars'], columns = best(lambda: join(right))
for metric, column in zip(metrics, columns):
    column.fill_null(float('nan')).to_numpy().tofile(f'{folder}/{metric}.f64')
untrapped = join({m: naive(vintages.filter(pl.col('metric') == m)) for m in metrics})
report['trapped'] = sum(int((a.ne_missing(b)).sum()) for a, b in zip(columns, untrapped))
report['cells'] = rows.height * len(metrics)

if importlib.util.find_spec('pandas') and importlib.util.find_spec('pyarrow'):
    import pandas as pd

    left_pd = rows.to_pandas()
    left_pd['date'] = pd.to_datetime(left_pd['date'])
    right_pd = {}
    for metric, table in right.items():
        right_pd[metric] = table.to_pandas()
        right_pd[metric]['date'] = pd.to_datetime(right_pd[metric]['date'])
    report['pandas'], _ = best(
        lambda: [pd.merge_asof(left_pd, right_pd[m], on='date', by='ticker')['value'] for m in metrics]
    )

if importlib.util.find_spec('duckdb'):
    import duckdb

    connection = duckdb.connect()
    connection.register('rows', rows.to_arrow())
    for metric, table in right.items():
        connection.register(f'v_{metric}', table.to_arrow())
        connection.execute(f'create table t_{metric} as select * from v_{metric}')
    connection.execute('create table r as select * from rows')

    def duck():
        for metric in metrics:
            connection.execute(
                f'select value from r asof left join t_{metric} v on r.ticker = v.ticker and r.date >= v.date'
            ).fetchnumpy()

    report['duckdb'], _ = best(duck)

print(json.dumps(report))
