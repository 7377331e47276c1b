import { randomOf } from '../data/makeEntity.ts'
import type { LoadRequest } from '../httpLoad.ts'
import type { ScaleFigure } from './bounds.ts'
import type { Context } from './context.ts'
import { loadFigures } from './loadFigures.ts'
import { sampleEntities } from './sampleEntities.ts'

const clients = 16
const seenCompanies = 200
/** A rate higher than the server can sustain. */
const maxPerSecond = 8_000
const unseenPages = 1_000
const seenP99Ms = 25
/** Measured to the last byte of the page. */
const unseenP99Ms = 60

/** Measures company pages: with 16 clients from memory, and one after the other for pages that nobody has opened yet. */
export async function pages(context: Context): Promise<ScaleFigure[]> {
  const random = randomOf(`pages ${context.seed}`)
  const sampled = await context.withSql(sql => sampleEntities(sql, seenCompanies + unseenPages + 500, random))
  const seen = sampled.slice(0, seenCompanies)
  const unseen = sampled.slice(seenCompanies)
  await context.stopServer()
  await context.server()
  let sent = 0
  const requestOf = ({ ticker }: { ticker: string }): LoadRequest => ({
    path: `/companies/${encodeURIComponent(ticker)}`,
    // Page requests are limited per address, so each one is sent from a different address.
    headers: { 'X-Forwarded-For': addressOf(sent++), 'Accept-Encoding': 'gzip' },
  })
  // The first requests compile the code of the page.
  const warmUp = { requests: unseen.slice(0, 500).map(requestOf), connections: 4, ms: 60_000, once: true }
  await context.load(warmUp)
  const first = { requests: unseen.slice(500).map(requestOf), connections: 1, ms: 120_000, once: true }
  const unseenOutcome = await context.load(first)
  await context.load({ requests: seen.map(requestOf), connections: 4, ms: 60_000, once: true })
  const count = context.seconds * maxPerSecond
  const repeated = Array.from({ length: count }, (_, i) => requestOf(seen[i % seen.length]))
  const seenOutcome = await context.load({
    requests: repeated,
    connections: clients,
    ms: context.seconds * 1_000,
  })
  return [
    ...loadFigures('pages.unseen', unseenOutcome, { p99Ms: unseenP99Ms }),
    ...loadFigures('pages.from_memory', seenOutcome, { p99Ms: seenP99Ms }),
  ]
}

const addressOf = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
