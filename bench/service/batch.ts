import { availableParallelism } from 'node:os'
import type { BacktestBatchRequest } from '../../src/backtest/batchRequest.ts'
import type { Columns } from '../../src/backtest/dataset/dataset.ts'
import type { BacktestConfig } from '../../src/backtest/request.ts'
import { formattedBodies } from '../backtest/bodies.ts'
import { makePanel } from '../backtest/makePanel.ts'
import { time } from '../backtest/timings.ts'
import type { Figure } from '../figure.ts'
import { measure } from '../http.ts'
import { table } from '../table.ts'
import type { BatchLoadOutcome, BatchLoadTask } from './batchLoad.ts'
import { openBatchKernel, openPanelKernel } from './panelKernel.ts'
import { postOk, type Service, withService } from './server.ts'

/** A small panel, for which a request costs more than its backtest: dates x names. */
const dates = 100
const names = 250
const size = 500

/** Configurations that are all different, ordered so that neighbours have different targets. */
const configs: BacktestConfig[] = Array.from({ length: size }, (_, i) => ({
  quantile: ((i % 50) + 1) / 100,
  weighting: (['equal', 'rank', 'score'] as const)[i % 3],
  holdDays: 1 + (i % 21),
  returnDays: 1,
}))

/** Panels to store for the batch that spreads its backtests over several panels. A key may store 64. */
const panels = 50

/** Times small backtests one by one and in batches of 500: configurations of one panel, and the same configurations spread
 * over 50 panels. Throughput is relative to one kernel per worker, each running alone on a thread. The throughput of a
 * batch is also relative to its own work, including encoding, on as many threads. Each round measures all of them, so that
 * the ratios come from one session. First proves parity: a batch must give the same bytes as single requests, which must
 * give the kernel's results.
 *
 * @param short only the figures with a budget */
export async function timeBatches(
  service: Service,
  key: string,
  threads: number,
  rounds: number,
  ms: number,
  short = false,
): Promise<Figure[]> {
  const columns = makePanel(dates, names)
  const stored: string[] = []
  for (let p = 0; p < panels; p++) stored.push(await store(service, key, columns, p))
  const [panel] = stored
  const kernel = await openPanelKernel(columns)
  const batchKernel = await openBatchKernel(columns)
  const run = (config: BacktestConfig) => kernel({ config, include: [], panelId: panel })
  const ofOne = JSON.stringify({ panel, configs } satisfies BacktestBatchRequest)
  const items = configs.map((config, i) => ({ panel: stored[i % panels], config }))
  const ofMany = JSON.stringify({ items } satisfies BacktestBatchRequest)
  proveParity(await postOk(service, 'backtests/batch', { key, body: ofOne }), run, () => true)
  // Panel 0 has the same rows as the kernel's panel.
  proveParity(await postOk(service, 'backtests/batch', { key, body: ofMany }), run, i => i % panels === 0)

  const headers = { Authorization: `Bearer ${key}` }
  const singleRate = async () => {
    const body = JSON.stringify({ panel, config: configs[0] })
    const task = { path: '/api/v1/backtest', body, port: service.port, headers, connections: 8, ms }
    const { requests, perSecond, cpuSeconds } = await measure(service, task)
    return requests / (requests / perSecond - cpuSeconds / threads)
  }
  const batchRate = async (body: string, clients: number) => {
    const url = `http://127.0.0.1:${service.port}/api/v1/backtests/batch`
    const type = { 'Content-Type': 'application/json' }
    const task = { url, headers: { ...headers, ...type }, body, clients, ms }
    const { lines, seconds, cpuSeconds } = await loadBatches(task)
    // One line in 501 is a summary. The client's own processor time is subtracted, because the server cannot use it.
    return (lines * size) / (size + 1) / (seconds - cpuSeconds / threads)
  }
  const found: Record<string, number[]> = {}
  const note = (name: string, ratio: number) => {
    found[name] ??= []
    found[name].push(ratio)
  }
  for (let round = -1; round < rounds; round++) {
    // Times all configurations, because a batch runs all of them.
    const { medianMs } = time(() => configs.forEach(config => void run(config)), 3, 1)
    const capacity = (threads * 1_000 * size) / medianMs
    const one = await batchRate(ofOne, 2)
    const many = await batchRate(ofMany, 2)
    // The first round warms up the server.
    if (round >= 0) {
      note('small_batch_throughput', one / capacity)
      note('small_batch_panels_throughput', many / capacity)
    }
    if (short) continue
    const { medianMs: batchMs } = time(() => batchKernel(configs), 3, 1)
    const single = await singleRate()
    const alone = await batchRate(ofOne, 1)
    if (round < 0) continue
    note('small_single_throughput', single / capacity)
    note('small_batch_one_client_throughput', alone / capacity)
    note('small_batch_of_own_work', one / ((threads * 1_000 * size) / batchMs))
  }
  return Object.entries(found).map(([name, ratios]) => ratioFigure(`service.${name}`, ratios))
}

/** Stores a panel with the same rows in the same order but with different scores. */
async function store(service: Service, key: string, columns: Columns, p: number): Promise<string> {
  const score = columns.score.map(value => value * (1 + p / 64))
  const csv = formattedBodies({ ...columns, score })[2]
  const answer = await postOk(service, 'panels', { key, body: csv.bytes, type: csv.type })
  const { id }: { id: string } = JSON.parse(answer)
  return id
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
  readonly result: object
}

/** The verdict of a line takes the other configurations of its batch into account, so it differs from a single backtest's. */
const withoutVerdict = (result: object) => JSON.stringify({ ...result, verdict: undefined })

function proveParity(
  text: string,
  run: (config: BacktestConfig) => object,
  isKernels: (index: number) => boolean,
): void {
  const lines: Line[] = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  const results = lines.filter(({ object }) => object === 'batch_result')
  if (results.length !== size) throw new Error(`The batch has ${results.length} results of ${size}.`)
  for (const { index, result } of results)
    if (isKernels(index) && withoutVerdict(result) !== withoutVerdict(run(configs[index])))
      throw new Error(`The batch and the kernel have different results at ${index}.`)
}

function ratioFigure(name: string, ratios: readonly number[]): Figure {
  const sorted = ratios.toSorted((a, b) => a - b)
  const spread = `${sorted[0].toFixed(2)} .. ${sorted[sorted.length - 1].toFixed(2)}`
  return { name, value: sorted[sorted.length >> 1], unit: 'times', spread }
}

if (import.meta.main) {
  const threads = availableParallelism()
  const figures = await withService(
    async service => timeBatches(service, await service.newKey(), threads, Number(Bun.argv[2] ?? 5), 3_000),
    { COMPUTE_THREADS: String(threads), LOG_LEVEL: 'info' },
    'none',
  )
  console.log(table(figures.map(found => ({ ...found, failed: false }))))
}
