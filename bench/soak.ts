import { readFileSync } from 'node:fs'
import { formedBodies } from './backtest/bodies.ts'
import { makePanel } from './backtest/makePanel.ts'
import { answerOf, ask, type Service, withService } from './service/server.ts'

/** Mixed backtests against one server, and what its memory does: `bun bench/soak.ts [REQUESTS] [MINUTES]`.
 *
 * Single backtests of the archive, panels small and middling in three forms, sweeps, a stored panel, bodies that are refused
 * and clients that leave half-way, eight at a time. Prints the server's resident memory as it goes. It comes and goes with
 * the collector, so what counts is the least of the last three readings: exit code 1 where that is more than a tenth and
 * 64 MB above the one after the first 500. */

const clients = 8
const settled = 500

export interface SoakOutcome {
  readonly requests: number
  readonly statuses: Record<string, number>
  /** Resident megabytes, after `settled` requests and at every tenth of the rest. */
  readonly memory: { readonly requests: number; readonly mb: number }[]
}

type Send = (service: Service, key: string, place: number) => Promise<string>

export async function soak(requests: number, mostMs = Number.POSITIVE_INFINITY): Promise<SoakOutcome> {
  return withService(async service => {
    const key = await service.newKey()
    const mix = await makeMix(service, key)
    const statuses: Record<string, number> = {}
    const memory: { requests: number; mb: number }[] = []
    const endMs = performance.now() + mostMs
    const step = Math.max(1, Math.floor((requests - settled) / 10))
    let sent = 0
    for (let until = Math.min(settled, requests); ; until = Math.min(requests, until + step)) {
      const client = async () => {
        while (sent < until && performance.now() < endMs) {
          const place = sent++
          const outcome = await mix[place % mix.length](service, key, place)
          statuses[outcome] = (statuses[outcome] ?? 0) + 1
        }
      }
      await Promise.all(Array.from({ length: clients }, client))
      memory.push({ requests: sent, mb: await restingMb(service.pid) })
      console.error(`${sent} requests: ${memory.at(-1)?.mb.toFixed(0)} MB`)
      if (sent >= requests || performance.now() >= endMs) return { requests: sent, statuses, memory }
    }
  })
}

/** What a hundred requests are, over and over. */
async function makeMix(service: Service, key: string): Promise<Send[]> {
  const small = formedBodies(makePanel(60, 40)).slice(0, 3)
  const middling = formedBodies(makePanel(252, 200))
  const { bytes, type } = middling[2]
  const stored: { id: string } = JSON.parse(await answerOf(service, 'panels', { key, body: bytes, type }))
  const plain =
    (body: (place: number) => string): Send =>
    async (on, as, place) =>
      statusOf(ask(on, 'backtest', { key: as, body: body(place) }))
  const archive = plain(place =>
    JSON.stringify({ config: { quantile: 0.05 + (place % 40) / 100, holdDays: 1 + (place % 10) } }),
  )
  const named = plain(place => JSON.stringify({ config: { holdDays: 1 + (place % 5) }, panel: stored.id }))
  const sweep = plain(place =>
    JSON.stringify({
      sweep: { quantile: [0.1, 0.2, 0.3], holdDays: [1, 2 + (place % 5)] },
      source: { market: 'US' },
    }),
  )
  const bad = plain(place => ['{"panel":[', '{"config":{"quantile":7}}', '[]', '{"panel":[]}'][place % 4])
  const leaving: Send = (on, as, place) => {
    const sweeps = JSON.stringify({ sweep: true, panel: stored.id })
    const left = new AbortController()
    const answered = statusOf(ask(on, 'backtest', { key: as, body: sweeps, signal: left.signal }))
    setTimeout(() => left.abort(), 5 + (place % 40))
    return answered
  }
  const formed =
    (forms: ReturnType<typeof formedBodies>): Send =>
    (on, as, place) => {
      const { type, query, bytes } = forms[place % forms.length]
      return statusOf(ask(on, 'backtest', { key: as, body: bytes, type, query }))
    }
  const shares: [Send, number][] = [
    [archive, 35],
    [formed(small), 25],
    [named, 15],
    [formed(middling), 5],
    [sweep, 5],
    [bad, 10],
    [leaving, 5],
  ]
  const all = shares.flatMap(([send, times]) => new Array<Send>(times).fill(send))
  // In an order that mixes them: 37 and 100 have no common divisor.
  return all.map((_, i) => all[(i * 37) % all.length])
}

async function statusOf(answer: Promise<Response>): Promise<string> {
  try {
    const response = await answer
    await response.arrayBuffer()
    return String(response.status)
  } catch {
    return 'left'
  }
}

/** The least of some seconds: what was let go is given back only after a while. */
async function restingMb(pid: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 8; i++) {
    await Bun.sleep(500)
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
    least = Math.min(least, (pages * 4_096) / 1e6)
  }
  return least
}

if (import.meta.main) {
  const [requests = 10_000, minutes = 60] = Bun.argv.slice(2).map(Number)
  const { statuses, memory, requests: sent } = await soak(requests, minutes * 60_000)
  const [first] = memory
  const last = Math.min(...memory.slice(-3).map(({ mb }) => mb))
  console.log(`${sent} requests, answered ${JSON.stringify(statuses)}`)
  console.log(memory.map(({ requests: at, mb }) => `${at}: ${mb.toFixed(0)} MB`).join(', '))
  process.exit(last > Math.max(first.mb * 1.1, first.mb + 64) ? 1 : 0)
}
