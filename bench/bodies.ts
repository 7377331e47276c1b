import { readBody } from '../src/backtest/codec/body.ts'
import { buildDataset } from '../src/backtest/dataset/build.ts'
import { type Columns, datasetBytes } from '../src/backtest/dataset/dataset.ts'
import { openDataset, packDataset } from '../src/backtest/dataset/packed.ts'
import { rankDataset } from '../src/backtest/dataset/rank.ts'
import { type FormattedBody, formattedBodies } from './backtest/bodies.ts'
import { makePanel } from './backtest/makePanel.ts'
import { readNaively } from './backtest/naiveBody.ts'
import { type Timing, time } from './backtest/timings.ts'
import type { Figure } from './figure.ts'
import type { Served } from './http.ts'
import { withService } from './service/server.ts'
import { table } from './table.ts'

/** Posts a panel of 1.26M rows in each body format to the real server, and times the whole request: parsing, checks, ranking
 * and backtest. In this process it compares our reader with a naive one: JSON.parse, the schema check on every row, Maps
 * for the names. First proves parity: all formats must get the same response. */
export async function benchBodies({ short = false } = {}): Promise<Figure[]> {
  const columns = makePanel(short ? 126 : 1_260, 1_000)
  const bodies = formattedBodies(columns)
  const runs = short ? 3 : 7
  const plain = time(() => readNaively(bodies[0].bytes), runs, 1)
  const ours = time(() => readBody(bodies[0].bytes), runs, 1)
  const timings = await withService(
    async served => {
      const key = await served.newKey()
      const answers = new Set<string>()
      for (const body of bodies) answers.add(await post(served, key, body))
      if (answers.size !== 1) throw new Error('The formats of one panel got different responses.')
      const formats: Timing[] = []
      for (const body of bodies) formats.push(await timeAsync(() => post(served, key, body), runs))
      return {
        formats,
        stored: await timeStored(served, key, bodies[2], [...answers][0], short ? 40 : 200),
      }
    },
    {},
    'none',
  )
  const rows = `${columns.count / 1e6}M`
  return [
    ...bodies.map(({ name }, i) => figure(`bodies.${name}_${rows}`, timings.formats[i])),
    ...timings.stored,
    { name: 'bodies.stored_memory', value: bytesPerRow(columns), unit: 'bytes/row' },
    figure(`bodies.read_json_rows_${rows}`, ours),
    figure(`bodies.read_json_rows_plainly_${rows}`, plain),
    { name: 'bodies.naive_ratio', value: plain.medianMs / ours.medianMs, unit: 'times' },
  ]
}

/** A result without the one thing in which it may differ: its echo of the request names the stored panel. */
function withoutPanel(text: string, id: string): string {
  const { request, ...result } = JSON.parse(text)
  const { panel = id, ...settings } = request
  if (panel !== id) throw new Error('The echo of the request names another panel.')
  return JSON.stringify([settings, result])
}

/** Times storing the rows, then backtests on the stored panel, one after the other. */
async function timeStored(
  served: Served,
  key: string,
  body: FormattedBody,
  expected: string,
  requests: number,
): Promise<Figure[]> {
  const startedMs = performance.now()
  const stored: { id: string } = JSON.parse(await post(served, key, { ...body, query: '' }, 'panels'))
  const storeMs = performance.now() - startedMs
  const request = new TextEncoder().encode(JSON.stringify({ config: { holdDays: 5 }, panel: stored.id }))
  const onStored = { ...body, type: 'application/json', query: '', bytes: request }
  if (withoutPanel(await post(served, key, onStored), stored.id) !== withoutPanel(expected, stored.id))
    throw new Error('A stored panel got a different response.')
  const timesMs: number[] = []
  for (let i = 0; i < requests; i++) {
    const sentMs = performance.now()
    await post(served, key, onStored)
    timesMs.push(performance.now() - sentMs)
  }
  timesMs.sort((a, b) => a - b)
  return [
    { name: 'bodies.store_csv', value: storeMs, unit: 'ms' },
    { name: 'bodies.stored_backtest_p50', value: timesMs[requests >> 1], unit: 'ms' },
    { name: 'bodies.stored_backtest_p99', value: timesMs[Math.floor(0.99 * requests)], unit: 'ms' },
  ]
}

function bytesPerRow(columns: Columns): number {
  const { dataset } = buildDataset(columns)
  const opened = dataset && openDataset(packDataset(dataset))
  if (!opened) throw new Error('the panel repeats a cell')
  return datasetBytes(rankDataset(opened)) / columns.count
}

async function post(
  served: Served,
  key: string,
  { type, query, bytes }: FormattedBody,
  route = 'backtest',
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${served.port}/api/v1/${route}${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': type, 'Accept-Encoding': 'identity' },
    body: bytes,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${type} was answered ${response.status}: ${text.slice(0, 300)}`)
  return text
}

async function timeAsync(work: () => Promise<unknown>, runs: number): Promise<Timing> {
  const timesMs: number[] = []
  for (let i = -1; i < runs; i++) {
    const startedMs = performance.now()
    await work()
    if (i >= 0) timesMs.push(performance.now() - startedMs)
  }
  timesMs.sort((a, b) => a - b)
  return { medianMs: timesMs[runs >> 1], minMs: timesMs[0], maxMs: timesMs[runs - 1] }
}

function figure(name: string, { medianMs, minMs, maxMs }: Timing): Figure {
  return { name, value: medianMs, unit: 'ms', spread: `${minMs.toFixed(0)} .. ${maxMs.toFixed(0)}` }
}

if (import.meta.main) {
  const figures = await benchBodies({ short: process.argv.includes('--short') })
  console.log(table(figures.map(found => ({ ...found, failed: false }))))
}
