import { randomOf } from '../data/makeEntity.ts'
import type { ScaleFigure } from './bounds.ts'
import type { Context } from './context.ts'
import { loadFigures } from './loadFigures.ts'
import { describeMemory, dropCaches } from './memory.ts'
import { sampleEntities } from './sampleEntities.ts'

const clients = 16
const warmUpMs = 2_000
/** A rate higher than the server can sustain. */
const maxPerSecond = 6_000
const p99BoundMs = { latest: 15, history: 25 } as const

/** Reads `latest` and `history` of single companies with 16 clients. The companies are a random sample of all markets, and
 * each is requested once. */
export async function reads(context: Context): Promise<ScaleFigure[]> {
  const { seconds, log } = context
  const views = ['latest', 'history'] as const
  const count = Math.round((2 * seconds + warmUpMs / 1_000) * maxPerSecond)
  const sampled = await context.withSql(sql => sampleEntities(sql, count, randomOf(`reads ${context.seed}`)))
  // The stop empties PostgreSQL's buffers, which contain what the sampling has read.
  await context.stopServer()
  if (context.dropsCaches) dropCaches()
  await context.server()
  log(`reads: ${await context.withSql(sql => describeMemory(context, sql))}`)
  log(
    context.dropsCaches
      ? 'reads: the page cache was dropped before the first request'
      : 'reads: the page cache is unchanged (--drop-caches empties it)',
  )
  const share = Math.floor(sampled.length / 3)
  const requestsOf = (from: number, view: string) =>
    sampled.slice(from, from + share).map(({ ticker }) => ({ path: companyPath(ticker, view) }))
  await context.load({ requests: requestsOf(0, 'latest'), connections: clients, ms: warmUpMs })
  const figures: ScaleFigure[] = []
  for (const [place, view] of views.entries()) {
    const requests = requestsOf((place + 1) * share, view)
    const outcome = await context.load({ requests, connections: clients, ms: seconds * 1_000 })
    if (outcome.requests > requests.length)
      log(
        `reads: ${view} sent ${outcome.requests} requests for ${requests.length} companies: responses repeat`,
      )
    figures.push(...loadFigures(`reads.${view}`, outcome, { p99Ms: p99BoundMs[view] }))
  }
  log(`reads: after the load ${await context.withSql(sql => describeMemory(context, sql))}`)
  return figures
}

export const companyPath = (ticker: string, view: string): string =>
  `/api/v1/fundamentals?ticker=${encodeURIComponent(ticker)}&view=${view}`

/** The name under which a response about one company is recorded. */
export const recordName = (ticker: string, view: string): string => `${ticker} ${view}`
