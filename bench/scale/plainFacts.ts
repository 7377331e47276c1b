import { fiscalPeriods } from '../../src/features/fundamentals/schema.ts'
import type { Sql } from '../../src/postgres/client.ts'

/** A row of the table `fact`, read without the service's functions. Trailing years are left out, because they are served
 * only with `fp=TTM`. */
export interface PlainFact {
  readonly entityId: number
  readonly m: string
  readonly fy: number
  readonly fp: number
  readonly end: string
  readonly filed: string
  /** A day, or `infinity`, which sorts after every day. */
  readonly superseded: string
  readonly v: number
  readonly u: string
}

export async function readPlainFacts(
  sql: Sql,
  entityIds: readonly number[],
): Promise<Map<number, PlainFact[]>> {
  const rows = await sql<PlainFact[]>`
    select f.entity_id as "entityId", m.name as m, f.fy, f.fp, f.period_end as "end", f.filed,
           f.superseded::text as superseded, f.value as v, u.name as u
    from fact f join metric m using (metric_id) join unit u using (unit_id)
    where f.entity_id = any(${[...entityIds]}) and f.fp <> ${fiscalPeriods.indexOf('TTM')}`
  const byEntity = new Map<number, PlainFact[]>(entityIds.map(id => [id, []]))
  for (const row of rows) byEntity.get(row.entityId)?.push(row)
  return byEntity
}

/** The expected rows of `view=history` as of a day: every vintage filed by then. */
export const plainHistory = (facts: readonly PlainFact[], asOf: string): PlainFact[] =>
  facts.filter(({ filed }) => filed <= asOf)

/** The expected rows of `view=latest` as of a day: the latest period of each metric. A full year comes before its last
 * quarter. */
export function plainLatest(facts: readonly PlainFact[], asOf: string): PlainFact[] {
  const latest = new Map<string, PlainFact>()
  for (const fact of facts) {
    if (fact.filed > asOf || fact.superseded <= asOf) continue
    const rival = latest.get(fact.m)
    if (rival === undefined || isLater(fact, rival)) latest.set(fact.m, fact)
  }
  return [...latest.values()]
}

function isLater(fact: PlainFact, rival: PlainFact): boolean {
  if (fact.end !== rival.end) return fact.end > rival.end
  return fact.fp === 0 || (rival.fp !== 0 && fact.fp > rival.fp)
}

export interface ServedRow {
  readonly m: string
  readonly fy: number
  readonly fp: string
  readonly end: string
  readonly filed: string
  readonly v: number
  readonly u: string
}

/** Rows as one sorted text, to compare with `servedText`. */
export const plainText = (facts: readonly PlainFact[]): string =>
  facts
    .map(({ m, fy, fp, end, filed, v, u }) => JSON.stringify([m, fy, fiscalPeriods[fp], end, filed, v, u]))
    .sort()
    .join('\n')

export const servedText = (rows: readonly ServedRow[]): string =>
  rows
    .map(({ m, fy, fp, end, filed, v, u }) => JSON.stringify([m, fy, fp, end, filed, v, u]))
    .sort()
    .join('\n')
