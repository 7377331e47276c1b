import { readFileSync } from 'node:fs'
import { formattedBodies } from './backtest/bodies.ts'
import { makePanel } from './backtest/makePanel.ts'
import { post, postOk, type Service, withService } from './service/server.ts'

/** Mixed backtests against one server, to find memory leaks: `bun bench/soak.ts [REQUESTS] [MINUTES]`.
 *
 * Eight clients send backtests of the archive, small and medium panels in three formats, sweeps, backtests of a stored panel,
 * invalid bodies, and requests that they abort. Prints the server's resident memory during the run. The memory varies with
 * garbage collection, so the minimum of the last three readings counts. Exit code 1: it is more than a tenth and more than
 * 64 MB above the reading after the first 500 requests. */

const clients = 8
const settledAfter = 500

export interface SoakOutcome {
  readonly requests: number
  readonly statuses: Record<string, number>
  /** Resident megabytes after `settledAfter` requests, and after every tenth of the rest. */
  readonly memory: { readonly requests: number; readonly mb: number }[]
}

type Send = (service: Service, key: string, place: number) => Promise<string>

export async function soak(requests: number, maxMs = Number.POSITIVE_INFINITY): Promise<SoakOutcome> {
  return withService(async service => {
    const key = await service.newKey()
    const mix = await makeMix(service, key)
    const statuses: Record<string, number> = {}
    const memory: { requests: number; mb: number }[] = []
    const endMs = performance.now() + maxMs
    const step = Math.max(1, Math.floor((requests - settledAfter) / 10))
    let sent = 0
    for (let until = Math.min(settledAfter, requests); ; until = Math.min(requests, until + step)) {
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

/** A hundred requests, which the clients repeat. */
async function makeMix(service: Service, key: string): Promise<Send[]> {
  const small = formattedBodies(makePanel(60, 40)).slice(0, 3)
  const medium = formattedBodies(makePanel(252, 200))
  const { bytes, type } = medium[2]
  const stored: { id: string } = JSON.parse(await postOk(service, 'panels', { key, body: bytes, type }))
  const posting =
    (body: (place: number) => string): Send =>
    async (on, as, place) =>
      statusOf(post(on, 'backtest', { key: as, body: body(place) }))
  const archive = posting(place =>
    JSON.stringify({ config: { quantile: 0.05 + (place % 40) / 100, holdDays: 1 + (place % 10) } }),
  )
  const onStored = posting(place =>
    JSON.stringify({ config: { holdDays: 1 + (place % 5) }, panel: stored.id }),
  )
  const sweep = posting(place =>
    JSON.stringify({
      sweep: { quantile: [0.1, 0.2, 0.3], holdDays: [1, 2 + (place % 5)] },
      source: { market: 'US' },
    }),
  )
  const bad = posting(place => ['{"panel":[', '{"config":{"quantile":7}}', '[]', '{"panel":[]}'][place % 4])
  const aborted: Send = (on, as, place) => {
    const sweeps = JSON.stringify({ sweep: true, panel: stored.id })
    const abort = new AbortController()
    const response = statusOf(post(on, 'backtest', { key: as, body: sweeps, signal: abort.signal }))
    setTimeout(() => abort.abort(), 5 + (place % 40))
    return response
  }
  const formed =
    (forms: ReturnType<typeof formattedBodies>): Send =>
    (on, as, place) => {
      const { type, query, bytes } = forms[place % forms.length]
      return statusOf(post(on, 'backtest', { key: as, body: bytes, type, query }))
    }
  const shares: [Send, number][] = [
    [archive, 35],
    [formed(small), 25],
    [onStored, 15],
    [formed(medium), 5],
    [sweep, 5],
    [bad, 10],
    [aborted, 5],
  ]
  const all = shares.flatMap(([send, times]) => new Array<Send>(times).fill(send))
  // Steps of 37 mix the kinds and reach every index, because 37 and 100 have no common divisor.
  return all.map((_, i) => all[(i * 37) % all.length])
}

async function statusOf(answer: Promise<Response>): Promise<string> {
  try {
    const response = await answer
    await response.arrayBuffer()
    return String(response.status)
  } catch {
    return 'aborted'
  }
}

/** The minimum over four seconds, because freed memory is returned to the system with a delay. */
async function restingMb(pid: number): Promise<number> {
  let min = Number.POSITIVE_INFINITY
  for (let i = 0; i < 8; i++) {
    await Bun.sleep(500)
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
    min = Math.min(min, (pages * 4_096) / 1e6)
  }
  return min
}

if (import.meta.main) {
  const [requests = 10_000, minutes = 60] = Bun.argv.slice(2).map(Number)
  const { statuses, memory, requests: sent } = await soak(requests, minutes * 60_000)
  const [first] = memory
  const last = Math.min(...memory.slice(-3).map(({ mb }) => mb))
  console.log(`${sent} requests, statuses ${JSON.stringify(statuses)}`)
  console.log(memory.map(({ requests: at, mb }) => `${at}: ${mb.toFixed(0)} MB`).join(', '))
  process.exit(last > Math.max(first.mb * 1.1, first.mb + 64) ? 1 : 0)
}
