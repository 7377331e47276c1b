import type { Cluster } from '../../deploy/cluster/cluster.ts'
import { formattedBodies } from '../backtest/bodies.ts'
import { makePanel } from '../backtest/makePanel.ts'
import { post, postOk } from '../service/server.ts'

/** The cluster's HAProxy, to which all requests are sent. */
interface Target {
  readonly port: number
}

type Send = (target: Target, key: string, place: number) => Promise<string>

const pauseMs = 500

/** Starts a client that sends backtests of the archive, small and medium panels in three formats, sweeps, backtests of a
 * stored panel, invalid bodies, and requests that it aborts. */
export async function startBacktests(cluster: Cluster) {
  const target = { port: Number(new URL(cluster.address).port) }
  const key = await cluster.newKey()
  const mix = await makeMix(target, key)
  const outcomes: Record<string, number> = {}
  let isOpen = true
  const working = (async () => {
    for (let place = 0; isOpen; place++) {
      const outcome = await mix[place % mix.length](target, key, place)
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      await Bun.sleep(pauseMs)
    }
  })()
  return {
    /** Stops the client. Returns the number of answers with each status. */
    async stop(): Promise<Readonly<Record<string, number>>> {
      isOpen = false
      await working
      return outcomes
    },
  }
}

/** A hundred requests, which the clients repeat. */
async function makeMix(service: Target, key: string): Promise<Send[]> {
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
