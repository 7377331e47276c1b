import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { formattedBodies } from './backtest/bodies.ts'
import { makePanel } from './backtest/makePanel.ts'
import { grids } from './backtest/sweeps.ts'
import type { Figure } from './figure.ts'
import { codeOf, demoJoin, equalRows, type SentRequest, send } from './neighbours/senders.ts'
import { postOk, type Service, withService } from './service/server.ts'
import { table } from './table.ts'

/** Measures how much other callers slow down an innocent caller with a paid key: the time of a backtest while they send
 * requests, divided by its time on the idle server. Idle and busy rounds alternate on one server process. Parity is not
 * checked here, because other benchmarks check the same bodies. */

export interface Neighbours {
  readonly name: string
  readonly senders: number
  readonly next: (sender: number, round: number, other: OtherCaller) => SentRequest
}

/** A second caller with a paid key, besides the innocent one. */
interface OtherCaller {
  readonly key: string
  /** The ID of its stored panel. */
  readonly panel: string
}

const fiveMillion = equalRows(5_000_000)
const smallJoin = equalRows(5_000)
const wholeBudget = equalRows(100_000)
const paidHeaders = (key: string, type = 'application/json') => ({
  Authorization: `Bearer ${key}`,
  'Content-Type': type,
})

/** Every round has its own addresses, so that the budgets used up in earlier rounds do not limit its senders. */
export const scenarios: readonly Neighbours[] = [
  {
    name: '12_demo_5m_rows',
    senders: 12,
    next: (sender, round) => demoJoin(`198.51.${100 + round}.${sender}`, fiveMillion),
  },
  {
    name: '75_demo_3_addresses',
    senders: 75,
    next: (sender, round) => demoJoin(`203.0.${100 + round}.${sender % 3}`, fiveMillion),
  },
  {
    name: '75_demo_within_budget',
    senders: 75,
    next: (sender, round) =>
      demoJoin(`10.${round}.${sender}.${sender}`, sender % 2 === 0 ? smallJoin : wholeBudget),
  },
  {
    name: '16_sweeps_of_another_key',
    senders: 16,
    next: (_sender, _round, { key, panel }) => ({
      path: '/api/v1/backtest',
      headers: paidHeaders(key),
      body: JSON.stringify({ panel, sweep: grids.sweep200 }),
    }),
  },
  {
    name: '16_sweeps_with_their_rows',
    senders: 16,
    next: (_sender, _round, { key }) => ({
      path: '/api/v1/backtest',
      headers: paidHeaders(key),
      body: sweepWithRows,
    }),
  },
  {
    name: '8_paid_joins_of_5m_rows',
    senders: 8,
    next: (_sender, _round, { key }) => {
      const { path, body } = demoJoin('', fiveMillion)
      return { path, body, headers: paidHeaders(key, 'application/vnd.apache.parquet') }
    },
  },
]

const rowsToSweep = new TextDecoder().decode(formattedBodies(makePanel(504, 200))[1].bytes)
/** Requests whose body has the settings before its rows. */
const sweepWithRows = `{"sweep":${JSON.stringify(grids.sweep200)},${rowsToSweep.slice(rowsToSweep.indexOf('"panel"'))}`
const sweptPanel = formattedBodies(makePanel(2_520, 500))[2]
const innocent = formattedBodies(makePanel(504, 100))[2]
const giveUpMs = 60_000
const rampMs = 1_000

interface Round {
  readonly idleMs: number
  readonly loadedMs: number
  readonly busy: number
  readonly asked: number
}

export async function benchNeighbours(names: readonly string[], rounds: number, threads: number) {
  return withService(
    async service => {
      const key = await service.newKey()
      const other = await openOther(service)
      for (let i = 0; i < 20; i++) await askOnce(service, key)
      const figures: Figure[] = []
      for (const scenario of scenarios) {
        if (names.length > 0 && !names.includes(scenario.name)) continue
        const measured: Round[] = []
        for (let round = 0; round < rounds; round++)
          measured.push(await runRound(service, scenario, round, { key, other }))
        figures.push(...figuresOf(scenario.name, measured))
      }
      return figures
    },
    { COMPUTE_THREADS: String(threads), TRUSTED_PROXIES: '127.0.0.0/8', LOG_LEVEL: 'warn' },
    'none',
  )
}

async function openOther(service: Service): Promise<OtherCaller> {
  const key = await service.newKey()
  const stored = await postOk(service, 'panels', { key, body: sweptPanel.bytes, type: sweptPanel.type })
  const { id }: { id: string } = JSON.parse(stored)
  return { key, panel: id }
}

async function runRound(
  service: Service,
  { name, senders, next }: Neighbours,
  round: number,
  { key, other }: { readonly key: string; readonly other: OtherCaller },
): Promise<Round> {
  const idle = await askRepeatedly(service, key, 9)
  const load = send(service, senders, sender => next(sender, round, other))
  await Bun.sleep(rampMs)
  const loaded = await askRepeatedly(service, key, 9)
  const { answered, refused } = load
  await load.stop()
  const seen = [...refused].map(([code, count]) => `${count} ${code}`).join(', ')
  console.error(
    `${name}, round ${round + 1}: idle ${idle.medianMs.toFixed(0)} ms, loaded ${loaded.medianMs.toFixed(0)} ms, ` +
      `busy ${loaded.busy} of ${loaded.asked}; the senders: ${answered} answered, ${seen || 'none refused'}; load ${loadavg()[0].toFixed(1)}`,
  )
  // Waits until the server has finished what the senders started, so that the next idle round is really idle.
  await untilIdle(service, key, idle.medianMs)
  return { idleMs: idle.medianMs, loadedMs: loaded.medianMs, busy: loaded.busy, asked: loaded.asked }
}

async function askOnce({ port }: Service, key: string): Promise<{ ms: number; code: string | null }> {
  const startMs = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/backtest${innocent.query}`, {
    method: 'POST',
    headers: paidHeaders(key, innocent.type),
    body: innocent.bytes,
  })
  const code = await codeOf(response)
  return { ms: performance.now() - startMs, code }
}

/** Sends requests one after the other until it has sent `count` of them or too much time has passed. */
async function askRepeatedly(service: Service, key: string, count: number) {
  const times: number[] = []
  let busy = 0
  const startMs = performance.now()
  while (times.length + busy < count && performance.now() - startMs < giveUpMs) {
    const { ms, code } = await askOnce(service, key)
    if (code === null) times.push(ms)
    else if (code === 'compute_busy') busy++
    else throw new Error(`The innocent caller was answered ${code}.`)
  }
  return { medianMs: medianOf(times), busy, asked: times.length + busy }
}

async function untilIdle(service: Service, key: string, idleMs: number): Promise<void> {
  const startMs = performance.now()
  while (performance.now() - startMs < giveUpMs) {
    const { ms, code } = await askOnce(service, key)
    if (code === null && ms < 1.3 * idleMs) return
    await Bun.sleep(200)
  }
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.POSITIVE_INFINITY
}

function figuresOf(name: string, rounds: readonly Round[]): Figure[] {
  const ratios = rounds.map(({ idleMs, loadedMs }) => loadedMs / idleMs)
  const spread = `${Math.min(...ratios).toFixed(2)} .. ${Math.max(...ratios).toFixed(2)}`
  const busy = rounds.reduce((sum, round) => sum + round.busy, 0)
  return [
    { name: `neighbours.${name}`, value: medianOf(ratios), unit: 'times', spread },
    { name: `neighbours.${name}_busy`, value: busy, unit: 'answers' },
  ]
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: 'string', default: '5' }, threads: { type: 'string', default: '2' } },
  })
  const { rounds, threads } = values
  console.error(
    `${cpus().length} cores, ${threads} compute threads, load ${loadavg()[0].toFixed(1)} at the start`,
  )
  const figures = await benchNeighbours(positionals, Number(rounds), Number(threads))
  console.log(table(figures.map(found => ({ ...found, failed: false }))))
}
