/** A sweep of 48 on an uploaded panel, end to end, against pyarrow reading the same file and NumPy computing the same: over HTTP and
 * offline, from Parquet and from CSV, in alternating runs. Needs `../shared/peers` and a Python with NumPy and pyarrow (`PYTHON`).
 *
 *   bun bench/panelSize.ts [--dates 2520] [--assets 1000] [--runs 3] */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { postOk, type Service, withService } from './service/server.ts'

const { values } = parseArgs({
  options: {
    dates: { type: 'string', default: '2520' },
    assets: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '3' },
  },
})
const python = process.env.PYTHON ?? 'python3'
const peers = resolve(import.meta.dir, '../../shared/peers')
const root = resolve(import.meta.dir, '..')

const makeFiles = `
import sys
sys.path.insert(0, sys.argv[1])
from panelio import read_panel
import numpy as np, pyarrow as pa, pyarrow.csv as pc, pyarrow.parquet as pq
folder = sys.argv[2]
p = read_panel(folder + "/panel.bin")
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

/** Reads a file, makes the grid of dates and names that the peer takes, and sweeps. Prints the seconds of it. */
const peer = `
import sys, time
sys.path.insert(0, sys.argv[1])
from panelio import *
import peer_numpy as pn, numpy as np, pyarrow.csv as pc, pyarrow.parquet as pq
read = pq.read_table if sys.argv[2].endswith("parquet") else pc.read_csv
started = time.perf_counter()
t = read(sys.argv[2])
d = t["date"].combine_chunks().dictionary_encode()
a = t["asset"].combine_chunks().dictionary_encode()
m = t["market"].combine_chunks().dictionary_encode()
D, N = len(d.dictionary), len(a.dictionary)
cell = d.indices.to_numpy().astype(np.int64) * N + a.indices.to_numpy()
s, f = np.full(D * N, np.nan), np.full(D * N, np.nan)
s[cell] = t["score"].to_numpy(); f[cell] = t["forward_return"].to_numpy()
market = np.zeros(N, "u1"); market[a.indices.to_numpy()] = m.indices.to_numpy()
p = dict(D=D, N=N, M=4, dates=None, market=market, score=s.reshape(D, N), fwd=f.reshape(D, N))
pn.sweep(p, grid48())
print(time.perf_counter() - started)
`

async function output(command: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn([...command], { cwd: root, env: { ...process.env, ...env }, stderr: 'ignore' })
  const text = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`${command.slice(0, 3).join(' ')} failed`)
  return text
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1_000
}

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

const types = { parquet: 'application/vnd.apache.parquet', csv: 'text/csv' } as const

async function measure(service: Service, folder: string): Promise<void> {
  const key = await service.newKey()
  for (const format of ['parquet', 'csv'] as const) {
    const path = join(folder, `panel.${format}`)
    const body = await Bun.file(path).bytes()
    const times = {
      numpy: [] as number[],
      stored: [] as number[],
      sent: [] as number[],
      offline: [] as number[],
    }
    for (let run = 0; run < Number(values.runs); run++) {
      times.numpy.push(Number(await output([python, '-c', peer, peers, path])))
      times.stored.push(
        await seconds(async () => {
          const { id } = JSON.parse(await postOk(service, 'panels', { key, body, type: types[format] }))
          await postOk(service, 'backtest', { key, body: JSON.stringify({ panel: id, sweep: true }) })
          await fetch(`http://127.0.0.1:${service.port}/api/v1/panels/${id}`, {
            method: 'DELETE',
            headers: { Authorization: `Bearer ${key}` },
          })
        }),
      )
      times.sent.push(
        await seconds(() =>
          postOk(service, 'backtest', { key, body, type: types[format], query: '?sweep=true' }),
        ),
      )
      times.offline.push(
        await seconds(() =>
          output([process.execPath, 'src/cli.ts', 'backtest', path, '--sweep', '--json', '-']),
        ),
      )
    }
    const numpy = median(times.numpy)
    for (const [name, list] of Object.entries(times))
      console.log(
        `${format} ${name}: ${median(list).toFixed(2)} s, ${(numpy / median(list)).toFixed(2)} times as fast as pyarrow and NumPy`,
      )
  }
}

const folder = mkdtempSync(join(tmpdir(), 'asfiled-size-'))
try {
  const { dates, assets } = values
  const bin = join(folder, 'panel.bin')
  await output([python, join(peers, 'gen_panel.py'), '--dates', dates, '--assets', assets, '--out', bin])
  await output([python, '-c', makeFiles, peers, folder])
  await withService(service => measure(service, folder), { COMPUTE_TIMEOUT_MS: '600000' })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
