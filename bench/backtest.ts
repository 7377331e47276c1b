import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { ComputePool } from '../src/compute/ComputePool.ts'
import { buildDataset } from '../src/quant/buildDataset.ts'
import type { Columns } from '../src/quant/columns.ts'
import type { Dataset } from '../src/quant/dataset.ts'
import { rankDataset } from '../src/quant/rankDataset.ts'
import { asBody } from './backtest/asBody.ts'
import { makePanel } from './backtest/makePanel.ts'
import { measure } from './backtest/measure.ts'
import { proveLoopParity, provePeerParity } from './backtest/parity.ts'
import { peersFolder, runPython } from './backtest/python.ts'
import { type Timing, time } from './backtest/timings.ts'
import { readPanelFile } from './panelFile.ts'

export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: 'ms' | 'times' | 'rows/s'
  /** A ratio below this fails the build. */
  readonly budget?: number
  readonly spread?: string
}

const dates = 2520
const assets = 1000

/** Parity first, then speed: one base case over 2,520 x 1,000 rows, next to NumPy in the same sitting where it is
 * installed, and next to the loop reference in the same process everywhere.
 *
 * @param short fewer runs, for CI */
export async function benchBacktest({ short = false } = {}): Promise<Figure[]> {
  const runs = short ? 7 : 21
  const loopRatio = proveLoopParity(runs)
  const { columns, numpy } = peersFolder
    ? withNumpy(peersFolder, runs)
    : { columns: makePanel(dates, assets), numpy: null }
  const data = toDataset(columns)
  const raw = time(() => measure(data), runs)
  const ranked = rankDataset(data)
  const known = time(() => measure(ranked), runs)
  const built = time(() => measure(toDataset(columns)), Math.min(runs, 9))
  // The machine may be busy with other things: ask NumPy again afterwards and keep its better median.
  const again = peersFolder && numpy ? timeNumpy(peersFolder, runs) : null
  const numpyMs = numpy && again ? Math.min(numpy, again) : null
  const rows = short ? 100_000 : 1_000_000
  const bodyMs = await timeBody(columns, rows)
  return [
    { name: 'backtest.loop_ratio', value: loopRatio, unit: 'times', budget: 20 },
    figure('backtest.first_2520x1000', raw),
    figure('backtest.ranks_known_2520x1000', known),
    figure('backtest.from_columns_2520x1000', built),
    { name: 'backtest.body_rows_per_second', value: (rows / bodyMs) * 1000, unit: 'rows/s' },
    ...(numpyMs === null
      ? []
      : [
          { name: 'backtest.numpy_2520x1000', value: numpyMs, unit: 'ms' as const },
          { name: 'backtest.numpy_ratio', value: numpyMs / raw.medianMs, unit: 'times' as const, budget: 3 },
          {
            name: 'backtest.numpy_ratio_ranks_known',
            value: numpyMs / known.medianMs,
            unit: 'times' as const,
          },
        ]),
  ]
}

const panelFile = resolve(import.meta.dir, 'out/p1000.bin')

function withNumpy(folder: string, runs: number): { columns: Columns; numpy: number } {
  mkdirSync(resolve(import.meta.dir, 'out'), { recursive: true })
  runPython(folder, [
    'gen_panel.py',
    '--dates',
    String(dates),
    '--assets',
    String(assets),
    '--out',
    panelFile,
  ])
  provePeerParity(folder, panelFile)
  return { columns: readPanelFile(panelFile), numpy: timeNumpy(folder, runs) }
}

function timeNumpy(folder: string, runs: number): number {
  const line = runPython(folder, ['peer_numpy.py', '--panel', panelFile, '--repeat', String(runs)])
  const report: { timings: { single: { median_s: number } } } = JSON.parse(line)
  return 1000 * report.timings.single.median_s
}

function toDataset(columns: Columns): Dataset {
  const { dataset } = buildDataset(columns)
  if (!dataset) throw new Error('the panel repeats a cell')
  return dataset
}

/** The first request of a fresh pool, bytes to result. */
async function timeBody(columns: Columns, rows: number): Promise<number> {
  const pool = new ComputePool({ threads: 1, queue: 1, timeLimitMs: 120_000 })
  const costs = { markets: {}, standard: { roundTripBps: 20, source: 'bench', date: '2024-01-01' } }
  try {
    await pool.run('backtest_body', { body: asBody(columns, 1000), format: 'json', query: {}, costs })
    const body = asBody(columns, rows)
    const started = performance.now()
    await pool.run('backtest_body', { body, format: 'json', query: {}, costs }, { transfer: [body.buffer] })
    return performance.now() - started
  } finally {
    await pool.close()
  }
}

function figure(name: string, { medianMs, minMs, maxMs }: Timing): Figure {
  return { name, value: medianMs, unit: 'ms', spread: `${minMs.toFixed(2)} .. ${maxMs.toFixed(2)}` }
}

if (import.meta.main) {
  const figures = await benchBacktest({ short: process.argv.includes('--short') })
  const width = Math.max(...figures.map(({ name }) => name.length))
  for (const { name, value, unit, spread = '', budget } of figures) {
    const bound = budget === undefined ? '' : `(at least ${budget})`
    console.log(
      `${name.padEnd(width)}  ${value.toFixed(2).padStart(12)} ${unit.padEnd(6)} ${spread} ${bound}`,
    )
  }
  console.log(JSON.stringify(figures))
}
