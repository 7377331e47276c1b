import type { Sql } from '../../src/postgres/client.ts'
import { type PlainFact, readPlainFacts } from './plainFacts.ts'
import type { PreparedImport } from './prepareImport.ts'

/** The rows of a company before and after an import, and the data version that changed them. */
export interface ChangedCompany {
  readonly ticker: string
  readonly facts: {
    readonly before: readonly PlainFact[]
    readonly after: readonly PlainFact[]
    readonly since: number
  }
  readonly name: { readonly before: string; readonly after: string; readonly since: number }
}

export interface Changes {
  /** The checked companies, by ticker. */
  readonly companies: ReadonlyMap<string, ChangedCompany>
  /** The data version that changed the figures of each company, by ticker. */
  readonly since: ReadonlyMap<string, number>
}

/** Reads the companies after the import, checks that each filing has the figures of its file, and finds the data version of
 * each change. A row and the batch of its version were written by one transaction, so both have its number in `xmin`. */
export async function changedCompanies(sql: Sql, { day, checked, facts }: PreparedImport): Promise<Changes> {
  const rows = await sql<{ entityId: number; metric: string; value: number; version: number }[]>`
    select f.entity_id as "entityId", m.name as metric, f.value, b.version::int as version
    from filing l join fact f on f.filing_id = l.filing_id join metric m using (metric_id)
    join import_batch b on b.xmin = f.xmin
    where l.accession = any(${day.companies.map(day.accessionOf)}) and f.tag_id is not null and f.fp = 0`
  const since = new Map<string, number>()
  const byEntity = Map.groupBy(rows, ({ entityId }) => entityId)
  for (const company of day.companies) {
    const own = byEntity.get(company.entityId) ?? []
    for (const [metric, value] of day.stated.get(company.entityId) ?? []) {
      const found = own.filter(row => row.metric === metric)
      if (found.length !== 1 || found[0].value !== value)
        throw new Error(
          `${company.ticker}: its file states ${metric} ${value}, the database has ${found[0]?.value}`,
        )
      since.set(company.ticker, found[0].version)
    }
  }
  const ids = checked.map(({ entityId }) => entityId)
  const named = await sql<{ entityId: number; name: string; version: number }[]>`
    select e.entity_id as "entityId", e.name, b.version::int as version
    from entity e join import_batch b on b.xmin = e.xmin where e.entity_id = any(${ids})`
  const names = new Map(named.map(row => [row.entityId, row]))
  const after = await readPlainFacts(sql, ids)
  const companies = checked.map(({ entityId, ticker, name }): [string, ChangedCompany] => {
    const found = names.get(entityId)
    const figuresSince = since.get(ticker)
    if (found === undefined || found.name !== day.names.get(entityId) || figuresSince === undefined)
      throw new Error(`${ticker} has the name ${found?.name} after the import`)
    return [
      ticker,
      {
        ticker,
        facts: { before: facts.get(entityId) ?? [], after: after.get(entityId) ?? [], since: figuresSince },
        name: { before: name, after: found.name, since: found.version },
      },
    ]
  })
  return { companies: new Map(companies), since }
}
