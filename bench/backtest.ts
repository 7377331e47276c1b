import { buildDataset } from '../src/backtest/dataset/build.ts'
import type { Columns, Dataset } from '../src/backtest/dataset/dataset.ts'
import { shareDataset } from '../src/backtest/dataset/packed.ts'
import { rankDataset } from '../src/backtest/dataset/rank.ts'
import { costCurve } from './backtest/curve.ts'
import { makePanel } from './backtest/makePanel.ts'
import { measure } from './backtest/measure.ts'
import { proveLoopParity, provePeerParity, proveSweepParity } from './backtest/parity.ts'
import { fastest, type PeerTimings, timeCpp, timeNumpy } from './backtest/peerTimings.ts'
import { peersFolder, writePanel } from './backtest/python.ts'
import { openSweeps } from './backtest/sweeps.ts'
import { faster, type Timing, time, timeAsync } from './backtest/timings.ts'
import type { Figure } from './figure.ts'
import { readPanelFile } from './panelFile.ts'
import { table } from './table.ts'

const dates = 2520
const assets = 1000
/** The reference machine of the ratios has two cores. */
const threads = 2

/** Proves parity, then measures the base case and the grids of the peer implementations on 2,520 x 1,000 rows. Compares with
 * the loop reference in this process, and with NumPy and C++ in the same session where they are available.
 *
 * @param short fewer runs and no cost curve, for CI */
export async function benchBacktest({ short = false } = {}): Promise<Figure[]> {
  const runs = short ? 7 : 21
  const loopRatio = proveLoopParity(runs)
  const panel = peersFolder ? writePanel(peersFolder, dates, assets) : null
  const columns = panel ? readPanelFile(panel) : makePanel(dates, assets)
  if (peersFolder && panel) provePeerParity(peersFolder, panel)
  const before = peersFolder && panel ? timePeers(peersFolder, panel, short) : null
  const first = timeSingles(columns, runs)
  const sweeps = await timeSweeps(columns, panel, short)
  // The machine may have been busy: measure the peers and our single backtests again. The faster result counts, on both sides.
  const after = peersFolder && panel ? timePeers(peersFolder, panel, short) : null
  const peers = before && after ? fastestOf(before, after) : null
  const singles = fasterSingles(first, timeSingles(columns, runs))
  return [
    { name: 'backtest.loop_ratio', value: loopRatio, unit: 'times' },
    figure('backtest.raw_2520x1000', singles.raw),
    figure('backtest.stored_2520x1000', singles.stored),
    figure('backtest.rank_2520x1000', singles.rank),
    figure('backtest.stored_in_pool_2520x1000', sweeps.single),
    figure('backtest.sweep48_2520x1000', sweeps.sweep48),
    figure('backtest.sweep200_2520x1000', sweeps.sweep200),
    {
      name: 'backtest.sweep200_in_backtests',
      value: sweeps.sweep200.medianMs / sweeps.single.medianMs,
      unit: 'times',
    },
    { name: 'backtest.dataset_bytes_per_row', value: singles.bytesPerRow, unit: 'bytes/row' },
    ...(peers ? ratios(peers, singles, sweeps) : []),
    ...(short ? [] : costCurve()),
  ]
}

interface Peers {
  readonly numpy: PeerTimings
  readonly cpp: PeerTimings | null
}

function timePeers(folder: string, panel: string, short: boolean): Peers {
  const sweeps = short ? '' : '48,200'
  return {
    numpy: timeNumpy(folder, panel, short ? 5 : 9, sweeps),
    cpp: timeCpp(folder, panel, short ? 3 : 9, sweeps || '200'),
  }
}

function fastestOf(a: Peers, b: Peers): Peers {
  return { numpy: fastest(a.numpy, b.numpy), cpp: a.cpp && b.cpp ? fastest(a.cpp, b.cpp) : null }
}

function timeSingles(columns: Columns, runs: number) {
  const data = toDataset(columns)
  const raw = time(() => measure(data), runs, 10)
  const ranked = rankDataset(shareDataset(data))
  return {
    raw,
    stored: time(() => measure(ranked), runs, 10),
    rank: time(() => rankDataset(data), 5),
    bytesPerRow: bytes(ranked) / columns.count,
  }
}

type Singles = ReturnType<typeof timeSingles>

function fasterSingles(a: Singles, b: Singles): Singles {
  return {
    raw: faster(a.raw, b.raw),
    stored: faster(a.stored, b.stored),
    rank: faster(a.rank, b.rank),
    bytesPerRow: a.bytesPerRow,
  }
}

async function timeSweeps(columns: Columns, panel: string | null, short: boolean) {
  const bench = await openSweeps(columns, threads)
  try {
    if (peersFolder && panel && !short) await proveSweepParity(peersFolder, panel, bench)
    const runs = short ? 3 : 9
    return {
      single: await timeAsync(() => bench.single(), 4 * runs, 10),
      sweep48: await timeAsync(() => bench.run('sweep48'), runs, 2),
      sweep200: await timeAsync(() => bench.run('sweep200'), runs, 2),
    }
  } finally {
    await bench.close()
  }
}

type Timings = Record<'raw' | 'stored', Timing>
type SweepTimings = Record<'sweep48' | 'sweep200', Timing>

function ratios({ numpy, cpp }: Peers, { raw, stored }: Timings, sweeps: SweepTimings): Figure[] {
  const rows: [name: string, theirs: number | undefined, ours: Timing][] = [
    ['numpy_ratio_raw', numpy.single, raw],
    ['numpy_ratio_stored', numpy.single, stored],
    ['numpy_ratio_sweep48', numpy.sweep48, sweeps.sweep48],
    ['numpy_ratio_sweep200', numpy.sweep200, sweeps.sweep200],
    ['cpp_ratio_raw', cpp?.single, raw],
    ['cpp_ratio_stored', cpp?.single, stored],
    ['cpp_two_threads_ratio_sweep200', cpp?.sweep200OnTwo, sweeps.sweep200],
  ]
  return rows
    .filter(([, theirs]) => theirs !== undefined && !Number.isNaN(theirs))
    .map(([name, theirs = 0, ours]) => ({
      name: `backtest.${name}`,
      value: theirs / ours.medianMs,
      unit: 'times',
      spread: `${theirs.toFixed(1)} / ${ours.medianMs.toFixed(2)} ms`,
    }))
}

function toDataset(columns: Columns): Dataset {
  const { dataset } = buildDataset(columns)
  if (!dataset) throw new Error('the panel repeats a cell')
  return dataset
}

/** Bytes of all arrays of a dataset, which the threads share. */
function bytes(data: Dataset): number {
  const { ranking, assets, markets, ...columns } = data
  const parts = [columns, assets, markets, ranking ?? {}].flatMap(part => Object.values(part))
  return parts.reduce<number>((sum, part) => sum + (ArrayBuffer.isView(part) ? part.byteLength : 0), 0)
}

function figure(name: string, { medianMs, minMs, maxMs }: Timing): Figure {
  return { name, value: medianMs, unit: 'ms', spread: `${minMs.toFixed(2)} .. ${maxMs.toFixed(2)}` }
}

if (import.meta.main) {
  const figures = await benchBacktest({ short: process.argv.includes('--short') })
  console.log(table(figures.map(one => ({ ...one, failed: false }))))
}
