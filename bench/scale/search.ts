import { randomOf } from '../data/makeEntity.ts'
import { searchQueries } from '../search/queries.ts'
import { realNames } from '../search/realNames.ts'
import type { ScaleFigure } from './bounds.ts'
import type { Context } from './context.ts'
import { loadFigures } from './loadFigures.ts'
import { dropCaches } from './memory.ts'
import { sampleEntities } from './sampleEntities.ts'

const clients = 4
const queriesPerKind = 300
const bounds = { p50Ms: 3, p99Ms: 25, maxMs: 150 }
/** Stays below the limit of 120 searches per minute and address. */
const searchesOfAddress = 100
/** Warm-up queries differ from the timed ones, so they warm up the server without caching the timed names. */
const warmUps = 200

/** Sends mixed queries with four clients, each query once. */
export async function search(context: Context): Promise<ScaleFigure[]> {
  const lists = await realNames()
  if (lists === null) throw new Error('The real lists of names (../shared/names) are not on this machine.')
  const random = randomOf(`search ${context.seed}`)
  const entities = await context.withSql(sql => sampleEntities(sql, 4 * queriesPerKind, random))
  const sampled = entities.flatMap(({ name, ticker }) => (name === null ? [] : [{ name, ticker }]))
  const kinds = searchQueries(lists, sampled, queriesPerKind, random)
  const requests = Object.entries(kinds).flatMap(([kind, queries]) =>
    queries.map(query => ({ kind, path: `/api/search?q=${encodeURIComponent(query)}`, order: random() })),
  )
  requests.sort((a, b) => a.order - b.order)
  const timed = requests.map(({ kind, path }, place) => ({ kind, path, headers: addressHeader(place) }))
  await context.stopServer()
  if (context.dropsCaches) dropCaches()
  await context.server()
  const warmUp = sampled.slice(0, warmUps).map(({ name }, place) => ({
    path: `/api/search?q=${encodeURIComponent(`${name} `.slice(0, 4))}`,
    headers: addressHeader(requests.length + place),
  }))
  await context.load({ requests: warmUp, once: true, connections: clients, ms: 5_000 })
  const outcome = await context.load({ requests: timed, once: true, connections: clients, ms: 60_000 })
  const slow = outcome.slowest.map(
    ({ path, ms }) => `${decodeURIComponent(path.split('=')[1])} (${ms.toFixed(0)} ms)`,
  )
  context.log(
    `search: ${requests.length} queries of ${Object.keys(kinds).length} kinds, slowest: ${slow.join(', ')}`,
  )
  if (outcome.requests < requests.length)
    context.log(`search: only ${outcome.requests} of ${requests.length} queries were answered in time`)
  const figuresByKind = Object.entries(outcome.kinds)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([kind, { requests: count, p50Ms, p99Ms, maxMs }]): ScaleFigure[] => [
      { name: `search.${kind}_p50`, value: p50Ms, unit: 'ms', spread: `${count} queries` },
      { name: `search.${kind}_max`, value: maxMs, unit: 'ms', spread: `p99 ${p99Ms.toFixed(1)}` },
    ])
  return [...loadFigures('search.all', outcome, bounds), ...figuresByKind]
}

const addressHeader = (place: number): Record<string, string> => {
  const address = Math.floor(place / searchesOfAddress)
  return { 'X-Forwarded-For': `10.${process.pid & 255}.${address >> 8}.${address & 255}` }
}
