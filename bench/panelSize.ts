import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { BacktestResult } from '../src/backtest/result.ts'
import { findPython, runPython } from '../test/python.ts'
import { peersFolder, writePanel } from './backtest/python.ts'
import { grids } from './backtest/sweeps.ts'
import type { Figure } from './figure.ts'
import { postOk, type Service, withService } from './service/server.ts'
import { table } from './table.ts'

const root = resolve(import.meta.dir, '..')
const assets = 1_000
/** The peers' costs differ by market. This benchmark uses one cost for all markets. */
const costBps = 20

const makeFiles = `
import sys
from panelio import read_panel
import numpy as np, pyarrow as pa, pyarrow.csv as pc, pyarrow.parquet as pq
panel, folder = sys.argv[1:]
p = read_panel(panel)
D, N = p["D"], p["N"]
days = np.array([np.datetime64(f"{x//10000:04d}-{x//100%100:02d}-{x%100:02d}") for x in p["dates"]])
table = pa.table({
    "date": pa.array(np.repeat(days, N)),
    "asset": pa.array(np.tile(np.array([f"A{i:05d}" for i in range(N)]), D)),
    "market": pa.array(np.tile(np.array([f"M{m}" for m in p["market"]]), D)),
    "score": p["score"].ravel(), "forward_return": p["fwd"].ravel()})
pq.write_table(table, folder + "/panel.parquet")
pc.write_csv(table, folder + "/panel.csv", pc.WriteOptions(quoting_style="none"))
`

/** Reads a file with pyarrow, builds the grid of dates and names that the peer expects, and sweeps. The time excludes the
 * start of Python. */
const peer = `
import sys, time, json
import panelio, peer_numpy as pn, numpy as np, pyarrow.csv as pc, pyarrow.parquet as pq
pn.RT_BPS = np.full(4, float(sys.argv[2]))
grid = panelio.grid48()
read = pq.read_table if sys.argv[1].endswith("parquet") else pc.read_csv
started = time.perf_counter()
t = read(sys.argv[1])
d = t["date"].combine_chunks().dictionary_encode()
a = t["asset"].combine_chunks().dictionary_encode()
m = t["market"].combine_chunks().dictionary_encode()
D, N = len(d.dictionary), len(a.dictionary)
cell = d.indices.to_numpy().astype(np.int64) * N + a.indices.to_numpy()
s, f = np.full(D * N, np.nan), np.full(D * N, np.nan)
s[cell] = t["score"].to_numpy(); f[cell] = t["forward_return"].to_numpy()
market = np.zeros(N, "u1"); market[a.indices.to_numpy()] = m.indices.to_numpy()
out = pn.sweep(dict(D=D, N=N, M=4, dates=None, market=market, score=s.reshape(D, N), fwd=f.reshape(D, N)), grid)
seconds = time.perf_counter() - started
label = lambda c: f'{c["mode"]} q{c["q"]:g} {c["weight"]} h{c["hold"]}'
print(json.dumps({"seconds": seconds, "sharpes": {label(c): m["sharpe"] for c, m in zip(grid, out)}}))
`

const types = { parquet: 'application/vnd.apache.parquet', csv: 'text/csv' } as const
type FileType = keyof typeof types

interface PeerSweep {
  readonly seconds: number
  readonly sharpes: Readonly<Record<string, number>>
}

/** Times a sweep of 48 configurations from a file of 2,520 x 1,000 rows to its result, both uploaded over HTTP and offline
 * with the command, whose start is included. Before each of our runs, the peer reads the same file with pyarrow and sweeps
 * with NumPy. Every trial must have the peer's Sharpe ratio.
 *
 * @param short a third of the dates, one run, and only uploads, for CI; with so few rows the command's time would be
 * mostly its start */
export async function benchPanelSize({ short = false } = {}): Promise<Figure[]> {
  const python = peersFolder === null ? null : findPython('numpy', 'pyarrow')
  if (peersFolder === null || python === null) return []
  const peers = peersFolder
  const dates = short ? 840 : 2_520
  const runs = short ? 1 : 3
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-size-'))
  try {
    runPython(python, peers, ['-c', makeFiles, writePanel(peers, dates, assets), folder])
    return await withService(
      async service => {
        const key = await service.newKey()
        const figures: Figure[] = []
        for (const type of ['parquet', 'csv'] as const) {
          const path = join(folder, `panel.${type}`)
          const sweep = (): PeerSweep =>
            JSON.parse(runPython(python, peers, ['-c', peer, path, `${costBps}`]))
          const uploaded = await compare(sweep, () => sweepUploaded(service, key, path, type), runs)
          figures.push(...figuresOf(`panel_size.${type}_uploaded`, uploaded))
          if (short) continue
          const offline = await compare(sweep, () => sweepOffline(path), runs)
          figures.push(...figuresOf(`panel_size.${type}_offline`, offline))
        }
        return figures
      },
      {},
      'none',
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Pair {
  readonly ourSeconds: number
  readonly ratio: number
}

/** Runs the two sides alternately. */
async function compare(
  theirs: () => PeerSweep,
  ours: () => Promise<BacktestResult>,
  runs: number,
): Promise<Pair[]> {
  const pairs: Pair[] = []
  for (let run = 0; run < runs; run++) {
    const { seconds, sharpes } = theirs()
    const started = performance.now()
    const result = await ours()
    const ourSeconds = (performance.now() - started) / 1_000
    requireSame(result, sharpes)
    pairs.push({ ourSeconds, ratio: seconds / ourSeconds })
  }
  return pairs
}

function requireSame({ trials = [] }: BacktestResult, sharpes: PeerSweep['sharpes']): void {
  if (trials.length !== Object.keys(sharpes).length) throw new Error(`The sweep has ${trials.length} trials.`)
  for (const { label, sharpe } of trials)
    if (sharpe === null || !(Math.abs(sharpe - sharpes[label]) <= 1e-9 * Math.abs(sharpes[label])))
      throw new Error(`The Sharpe ratio of ${label} is ${sharpe}, the peer has ${sharpes[label]}.`)
}

async function sweepUploaded(
  service: Service,
  key: string,
  path: string,
  type: FileType,
): Promise<BacktestResult> {
  const file = await Bun.file(path).bytes()
  const { id } = JSON.parse(await postOk(service, 'panels', { key, body: file, type: types[type] }))
  const request = { panel: id, config: { costBps }, sweep: grids.sweep48 }
  const result = JSON.parse(await postOk(service, 'backtest', { key, body: JSON.stringify(request) }))
  await fetch(`http://127.0.0.1:${service.port}/api/v1/panels/${id}`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${key}` },
  })
  return result
}

async function sweepOffline(path: string): Promise<BacktestResult> {
  const { quantile, weighting, holdDays } = grids.sweep48
  const child = Bun.spawn(
    [
      process.execPath,
      'src/cli.ts',
      'backtest',
      path,
      '--json',
      '-',
      `--cost-bps=${costBps}`,
      `--quantile=${quantile.join()}`,
      `--weighting=${weighting.join()}`,
      `--hold-days=${holdDays.join()}`,
    ],
    { cwd: root, stdout: 'pipe', stderr: 'ignore' },
  )
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('asfiled backtest failed.')
  return JSON.parse(text)
}

function figuresOf(name: string, pairs: readonly Pair[]): Figure[] {
  const ratios = pairs.map(({ ratio }) => ratio).toSorted((a, b) => a - b)
  const seconds = pairs.map(({ ourSeconds }) => ourSeconds).toSorted((a, b) => a - b)
  const spread = (sorted: readonly number[]) => `${sorted[0].toFixed(2)} .. ${sorted.at(-1)?.toFixed(2)}`
  const load = `load ${loadavg()[0].toFixed(0)}`
  return [
    { name, value: seconds[seconds.length >> 1], unit: 's', spread: spread(seconds) },
    {
      name: `${name}_numpy_ratio`,
      value: ratios[ratios.length >> 1],
      unit: 'times',
      spread: `${spread(ratios)}, ${load}`,
    },
  ]
}

if (import.meta.main) {
  const figures = await benchPanelSize({ short: process.argv.includes('--short') })
  console.log(table(figures.map(found => ({ ...found, failed: false }))))
}
