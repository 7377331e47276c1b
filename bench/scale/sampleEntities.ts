import type { Sql, SqlFragment } from '../../src/postgres/client.ts'
import { reportingIssuers } from '../data/makeReportingCompany.ts'

export interface SampledEntity {
  readonly entityId: number
  readonly ticker: string
  readonly market: string
  readonly name: string | null
}

/** Whether a company `e` reports in full. Such companies have no mapped figures. */
export const reportingCompanies = (sql: Sql): SqlFragment =>
  sql`(e.market = 'US' and e.issuer_id like ${`${reportingIssuers}%`})`

const idsPerRound = 20_000
const maxRounds = 100

/** Random entities of all markets with mapped figures, without repeats. Fewer than `count` if the database has fewer. */
export async function sampleEntities(
  sql: Sql,
  count: number,
  random: () => number,
): Promise<SampledEntity[]> {
  const [{ minId, maxId, all }] = await sql<{ minId: number; maxId: number; all: number }[]>`
    select min(entity_id) as "minId", max(entity_id) as "maxId", count(*)::int as all
    from entity e where not ${reportingCompanies(sql)}`
  if (all === 0) throw new Error('The database is empty: fill it with `asfiled bench-data`.')
  const wanted = Math.min(count, all)
  const sampled = new Map<number, SampledEntity>()
  for (let round = 0; round < maxRounds && sampled.size < wanted; round++) {
    const ids = Array.from({ length: idsPerRound }, () => minId + Math.floor(random() * (maxId - minId + 1)))
    const rows = await sql<SampledEntity[]>`
      select entity_id as "entityId", ticker, market, name from entity e
      where entity_id = any(${ids}) and not ${reportingCompanies(sql)}`
    for (const row of rows) sampled.set(row.entityId, row)
  }
  return shuffle([...sampled.values()], random).slice(0, count)
}

export function shuffle<T>(all: T[], random: () => number): T[] {
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const swapped = all[i]
    all[i] = all[j]
    all[j] = swapped
  }
  return all
}
