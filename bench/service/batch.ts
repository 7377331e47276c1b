import type { BacktestBatchRequest } from '../../src/backtest/batchRequest.ts'
import type { BacktestConfig } from '../../src/backtest/request.ts'
import { formattedBodies } from '../backtest/bodies.ts'
import { makePanel } from '../backtest/makePanel.ts'
import { time } from '../backtest/timings.ts'
import type { Figure } from '../figure.ts'
import { measure } from '../http.ts'
import type { BatchLoadOutcome, BatchLoadTask } from './batchLoad.ts'
import { openPanelKernel } from './panelKernel.ts'
import { postOk, type Service } from './server.ts'

/** A small panel, for which a request costs more than its backtest: dates x names. */
const dates = 100
const names = 250
const size = 500

/** Configurations that all differ, in an order in which neighbours have different targets. */
const configs: BacktestConfig[] = Array.from({ length: size }, (_, i) => ({
  quantile: ((i % 50) + 1) / 100,
  weighting: (['equal', 'rank', 'score'] as const)[i % 3],
  holdDays: 1 + (i % 21),
  returnDays: 1,
}))

/** Small backtests one by one and in batches of 500, by eight and by two clients. A round measures the kernel, single requests and
 * batches, so that the ratios are of one session. First proves parity: the results of a batch have the bytes of single requests, and
 * these are the kernel's. */
export async function timeBatches(
  service: Service,
  key: string,
  threads: number,
  rounds: number,
  ms: number,
): Promise<Figure[]> {
  const columns = makePanel(dates, names)
  const csv = formattedBodies(columns)[2]
  const stored = await postOk(service, 'panels', { key, body: csv.bytes, type: csv.type })
  const { id: panel }: { id: string } = JSON.parse(stored)
  const kernel = await openPanelKernel(columns)
  const run = (config: BacktestConfig) => kernel({ config, include: [], panelId: panel })
  const batch = JSON.stringify({ panel, configs } satisfies BacktestBatchRequest)
  await proveParity(await postOk(service, 'backtests/batch', { key, body: batch }), run)

  const headers = { Authorization: `Bearer ${key}` }
  const single = { path: '/api/v1/backtest', body: JSON.stringify({ panel, config: configs[0] }) }
  const singleRate = async () => {
    const task = { ...single, port: service.port, headers, connections: 8, ms }
    const { requests, perSecond, cpuSeconds } = await measure(service, task)
    return requests / (requests / perSecond - cpuSeconds / threads)
  }
  const batchRate = async (clients: number) => {
    const url = `http://127.0.0.1:${service.port}/api/v1/backtests/batch`
    const type = { 'Content-Type': 'application/json' }
    const { lines, seconds, cpuSeconds } = await loadBatches({
      ...{ url, headers: { ...headers, ...type }, body: batch, clients, ms },
    })
    // One line in 501 is a summary. The client's own processor time is not the server's to use.
    return (lines * size) / (size + 1) / (seconds - cpuSeconds / threads)
  }
  const ratios: Record<'single' | 'batch' | 'alone', number[]> = { single: [], batch: [], alone: [] }
  for (let round = -1; round < rounds; round++) {
    // All of the configurations, since a batch runs them all.
    const { medianMs } = time(() => configs.forEach(config => void run(config)), 3, 1)
    const capacity = (threads * 1_000 * size) / medianMs
    const found = { single: await singleRate(), batch: await batchRate(2), alone: await batchRate(1) }
    // The first round warms up the server.
    if (round < 0) continue
    ratios.single.push(found.single / capacity)
    ratios.batch.push(found.batch / capacity)
    ratios.alone.push(found.alone / capacity)
  }
  return [
    ratioFigure('service.small_single_throughput', ratios.single),
    ratioFigure('service.small_batch_throughput', ratios.batch),
    ratioFigure('service.small_batch_one_client_throughput', ratios.alone),
  ]
}

async function loadBatches(task: BatchLoadTask): Promise<BatchLoadOutcome> {
  const child = Bun.spawn(['bun', 'bench/service/batchLoad.ts'], {
    stdin: Buffer.from(JSON.stringify(task)),
    stdout: 'pipe',
  })
  return JSON.parse(await new Response(child.stdout).text())
}

interface Line {
  readonly object: string
  readonly index: number
  readonly result: unknown
}

function proveParity(text: string, run: (config: BacktestConfig) => object): void {
  const lines: Line[] = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  const results = lines.filter(({ object }) => object === 'batch_result')
  if (results.length !== size) throw new Error(`The batch has ${results.length} results of ${size}.`)
  for (const { index, result } of results)
    if (JSON.stringify(result) !== JSON.stringify(run(configs[index])))
      throw new Error(`The batch and the kernel have different results at ${index}.`)
}

function ratioFigure(name: string, ratios: readonly number[]): Figure {
  const sorted = ratios.toSorted((a, b) => a - b)
  const spread = `${sorted[0].toFixed(2)} .. ${sorted[sorted.length - 1].toFixed(2)}`
  return { name, value: sorted[sorted.length >> 1], unit: 'times', spread }
}
