import { availableParallelism } from 'node:os'
import type { ArchiveRequest } from '../src/backtest/codec/settings.ts'
import type { Columns } from '../src/backtest/dataset/dataset.ts'
import { formattedBodies } from './backtest/bodies.ts'
import { makePanel } from './backtest/makePanel.ts'
import { grids } from './backtest/sweeps.ts'
import { time } from './backtest/timings.ts'
import type { Figure } from './figure.ts'
import { measure, type Served } from './http.ts'
import { type ArchiveKernel, horizon, importArchive } from './service/baseArchive.ts'
import { timeBatches } from './service/batch.ts'
import { openPanelKernel } from './service/panelKernel.ts'
import { postOk, type Service, withService } from './service/server.ts'
import { sliceTimes } from './service/sliceTimes.ts'
import { table } from './table.ts'

/** Measures the backtest service under load, on the real server process: the time that HTTP, admission and the worker pool
 * add to the kernel, the share of the machine that the kernels get, and how much callers affect each other. */

const threads = availableParallelism()
/** The base case. */
const request: ArchiveRequest = {
  config: { quantile: 0.1, holdDays: 5, returnDays: 1 },
  source: { horizon },
  include: [],
}
const single = JSON.stringify({ config: request.config, source: request.source })
const settings = { COMPUTE_THREADS: String(threads), LOG_LEVEL: 'info' }
const path = '/api/v1/backtest'

/** 1,000 configurations. */
const wide = {
  quantile: Array.from({ length: 20 }, (_, i) => (i + 1) / 50),
  holdDays: Array.from({ length: 25 }, (_, i) => i + 1),
  weighting: ['equal' as const, 'rank' as const],
}

/** First proves parity: the service must return the result of the kernel in this process.
 *
 * @param short only the figures with a budget, from a fifth of the archive, for CI: importing it takes longer than all loads */
export async function benchService({ short = false } = {}): Promise<Figure[]> {
  const ms = short ? 1_500 : 4_000
  const rounds = short ? 2 : 5
  return withService(
    async service => {
      const key = await service.newKey()
      const kernel = await importArchive(service.env, makePanel(short ? 504 : 2_520, 1_000))
      await proveParity(service, key, kernel)
      const alone = short ? [] : await timeAlone(service, key, kernel, rounds, ms)
      const run = () => void kernel.run(request, 1)
      const many = await timeMany('archive', service, threads, key, single, run, rounds, ms)
      const spared = await timeSpared(service, key, run, rounds, ms)
      const batches = await timeBatches(service, key, threads, short ? 1 : 3, ms, short)
      const shared = short ? [] : await timeShared(service, key)
      return [...alone, ...many, ...spared, ...batches, ...shared]
      // Short runs ask for no figures of a company.
    },
    settings,
    short ? 'none' : 'sample',
  )
}

async function proveParity(service: Service, key: string, kernel: ArchiveKernel): Promise<void> {
  const answer = await postOk(service, 'backtest', { key, body: single })
  const { data_version: version }: { data_version: number } = JSON.parse(answer)
  if (answer !== JSON.stringify(kernel.run(request, version)))
    throw new Error('The service and the kernel have different results.')
}

const headersOf = (key: string) => ({ Authorization: `Bearer ${key}` })

/** Times one client: the median and the 99th percentile, minus the kernel's median in the same round. */
async function timeAlone(
  service: Service,
  key: string,
  kernel: ArchiveKernel,
  rounds: number,
  ms: number,
): Promise<Figure[]> {
  const task = { port: service.port, path, headers: headersOf(key), body: single, connections: 1, ms }
  await measure(service, task)
  const kernels: number[] = []
  const p50: number[] = []
  const p99: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { medianMs } = time(() => kernel.run(request, 1), 200, 50)
    const found = await measure(service, task)
    kernels.push(medianMs)
    p50.push(found.p50Ms - medianMs)
    p99.push(found.p99Ms - medianMs)
  }
  return [
    figure('service.kernel_archive', kernels),
    figure('service.p50_over_kernel', p50),
    figure('service.p99_over_kernel', p99),
  ]
}

/** Times eight clients. Throughput is relative to one kernel per worker, each running alone on a thread. If the workers
 * use all cores, the clients' own processor time is subtracted from the available time. Also reports the kernel's share
 * of the server's processor time, which does not depend on other load. */
async function timeMany(
  what: string,
  service: Served,
  workers: number,
  key: string,
  body: string,
  kernel: () => void,
  rounds: number,
  ms: number,
): Promise<Figure[]> {
  const task = { port: service.port, path, headers: headersOf(key), body, connections: 8, ms }
  await measure(service, task)
  const rates: number[] = []
  const ratios: number[] = []
  const shares: number[] = []
  for (let round = 0; round < rounds; round++) {
    const { medianMs } = time(kernel, 100, 30)
    const { perSecond, requests, cpuSeconds, micros } = await measure(service, task)
    const seconds = requests / perSecond
    const available = workers < threads ? seconds : seconds - cpuSeconds / threads
    rates.push(perSecond)
    ratios.push(requests / available / (workers * (1_000 / medianMs)))
    if (micros !== null) shares.push((medianMs * 1_000) / micros)
  }
  return [
    { ...figure(`service.${what}_8_clients`, rates), unit: 'requests/s' },
    { ...figure(`service.${what}_throughput`, ratios), unit: 'times' },
    ...(shares.length > 0
      ? [{ ...figure(`service.${what}_kernel_share_of_cpu`, shares), unit: 'times' as const }]
      : []),
  ]
}

/** Runs the same measurement on a server that leaves one core for HTTP, the database and the clients. */
async function timeSpared(
  service: Service,
  key: string,
  run: () => void,
  rounds: number,
  ms: number,
): Promise<Figure[]> {
  const workers = Math.max(1, threads - 1)
  const served = await service.startSecond({ COMPUTE_THREADS: String(workers) })
  await postOk(served, 'backtest', { key, body: single })
  return timeMany('archive_spared', served, workers, key, single, run, rounds, ms)
}

/** Runs the same measurement on a stored panel, after a parity check. */
async function timeStored(service: Service, key: string, id: string, columns: Columns) {
  const { config, include } = request
  const kernel = await openPanelKernel(columns)
  const body = JSON.stringify({ config, panel: id })
  const answer = await postOk(service, 'backtest', { key, body })
  if (answer !== JSON.stringify(kernel({ config, include, panelId: id })))
    throw new Error('The service and the kernel have different results on a stored panel.')
  const run = () => void kernel({ config, include, panelId: id })
  return timeMany('panel', service, threads, key, body, run, 3, 4_000)
}

/** Measures the effect of continuous sweeps on other callers. */
async function timeShared(service: Service, key: string): Promise<Figure[]> {
  const columns = makePanel(2_520, 500)
  const slices = await sliceTimes(columns, wide)
  const csv = formattedBodies(columns)[2]
  const others = [await service.newKey(), await service.newKey()]
  const panels: string[] = []
  for (const other of others) {
    const stored = await postOk(service, 'panels', { key: other, body: csv.bytes, type: csv.type })
    panels.push(JSON.parse(stored).id)
  }
  const panel = await timeStored(service, others[0], panels[0], columns)
  const probe = { port: service.port, headers: headersOf(key), connections: 1, ms: 12_000 }
  const sweeping = (places: number[], sweep: object, work: () => Promise<Figure[]>) =>
    whileSweeping(
      service,
      places.map(place => ({ key: others[place], body: JSON.stringify({ panel: panels[place], sweep }) })),
      work,
    )
  const readers = await sweeping([0, 1], grids.sweep200, async () => {
    const fundamentals = '/api/v1/fundamentals?ticker=AAPL&metric=revenue&as_of='
    const found = []
    for (const year of [2012, 2016, 2020, 2024])
      found.push(
        await measure(service, {
          ...probe,
          ms: probe.ms / 4,
          path: `${fundamentals}${year}-03-04`,
          restMs: 3,
        }),
      )
    return [
      figure(
        'service.fundamentals_p50_while_sweeping',
        found.map(({ p50Ms }) => p50Ms),
      ),
      figure(
        'service.fundamentals_p99_while_sweeping',
        found.map(({ p99Ms }) => p99Ms),
      ),
    ]
  })
  const fair = await sweeping([0], wide, async () => {
    const { p50Ms, p99Ms, maxMs } = await measure(service, { ...probe, path, body: single, restMs: 20 })
    return [
      { name: 'service.single_p50_while_sweeping_1000', value: p50Ms, unit: 'ms' },
      {
        name: 'service.single_p99_while_sweeping_1000',
        value: p99Ms,
        unit: 'ms',
        spread: `.. ${maxMs.toFixed(1)}`,
      },
    ]
  })
  const slice = figure('service.sweep_slice', slices)
  return [...panel, ...readers, slice, ...fair]
}

/** Runs `work` while each client repeats its sweep without a pause. */
async function whileSweeping<T>(
  service: Service,
  sweeps: { key: string; body: string }[],
  work: () => Promise<T>,
): Promise<T> {
  let going = true
  const left = new AbortController()
  const clients = sweeps.map(async sweep => {
    while (going) await postOk(service, 'backtest', { ...sweep, signal: left.signal })
  })
  const failed = Promise.all(clients).then(() => new Promise<never>(() => {}))
  failed.catch(() => {})
  try {
    await Bun.sleep(1_000)
    return await Promise.race([work(), failed])
  } finally {
    going = false
    left.abort()
    await Promise.allSettled(clients)
  }
}

function figure(name: string, found: readonly number[]): Figure {
  const sorted = found.toSorted((a, b) => a - b)
  const spread = `${sorted[0].toFixed(2)} .. ${sorted[sorted.length - 1].toFixed(2)}`
  return { name, value: sorted[sorted.length >> 1], unit: 'ms', spread }
}

if (import.meta.main) {
  const figures = await benchService({ short: process.argv.includes('--short') })
  console.log(table(figures.map(found => ({ ...found, failed: false }))))
}
