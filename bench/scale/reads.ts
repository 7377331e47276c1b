import { randomOf } from '../data/makeEntity.ts'
import type { ScaleFigure } from './bars.ts'
import type { Context } from './Context.ts'
import { drawEntities } from './draw.ts'
import { loadFigures } from './loadFigures.ts'
import { describeMemory, dropCaches } from './memory.ts'

const clients = 16
const warmUpMs = 2_000
/** More than are answered a second. */
const mostPerSecond = 6_000
const bars = { latest: 15, history: 25 } as const

/** `latest` and `history` of one company at 16 clients, companies at random over all markets, each asked for once. */
export async function reads(context: Context): Promise<ScaleFigure[]> {
  const { seconds, say } = context
  const views = ['latest', 'history'] as const
  const count = Math.round((2 * seconds + warmUpMs / 1_000) * mostPerSecond)
  const drawn = await context.withSql(sql => drawEntities(sql, count, randomOf(`reads ${context.seed}`)))
  // What the draw has brought into PostgreSQL's own memory goes with it.
  await context.stopServer()
  if (context.dropsCaches) dropCaches()
  await context.server()
  say(`reads: ${await context.withSql(sql => describeMemory(context, sql))}`)
  say(
    context.dropsCaches
      ? 'reads: the page cache was dropped before the first request'
      : 'reads: the page cache is as it was found (--drop-caches empties it)',
  )
  const share = Math.floor(drawn.length / 3)
  const requestsOf = (from: number, view: string) =>
    drawn.slice(from, from + share).map(({ ticker }) => ({ path: companyPath(ticker, view) }))
  await context.load({ requests: requestsOf(0, 'latest'), connections: clients, ms: warmUpMs })
  const figures: ScaleFigure[] = []
  for (const [place, view] of views.entries()) {
    const requests = requestsOf((place + 1) * share, view)
    const outcome = await context.load({ requests, connections: clients, ms: seconds * 1_000 })
    if (outcome.requests > requests.length)
      say(`reads: ${view} asked ${requests.length} companies ${outcome.requests} times: answers repeat`)
    figures.push(...loadFigures(`reads.${view}`, outcome, { p99Ms: bars[view] }))
  }
  say(`reads: afterwards ${await context.withSql(sql => describeMemory(context, sql))}`)
  return figures
}

export const companyPath = (ticker: string, view: string): string =>
  `/api/v1/fundamentals?ticker=${encodeURIComponent(ticker)}&view=${view}`
