import { Failure } from '../../errors.ts'
import type { AsOf } from '../../instants.ts'
import { type Grouping, groupOf } from '../../markets/industries.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { statementsAsOf } from '../../postgres/statements.ts'

const maxAttempts = 8

/**
 * Reads a page and the groups of its companies from the same data version. If the request has no grouping, no company
 * has a group.
 *
 * @param companiesOf the companies whose groups are read
 */
export async function withGroups<
  Page extends {
    readonly dataVersion: number
    readonly rows: readonly { readonly entityId: number }[]
  },
>(
  sql: SqlClient,
  { grouping, asOf }: { readonly grouping: Grouping | null; readonly asOf: AsOf },
  read: () => Promise<Page>,
  companiesOf: (page: Page) => Page['rows'] = ({ rows }) => rows,
): Promise<{ readonly page: Page; readonly groupOfEntity: (entityId: number) => string | null }> {
  if (grouping === null) return { page: await read(), groupOfEntity: () => null }
  for (let left = maxAttempts; left > 0; left--) {
    const page = await read()
    const { version, sectors } = await readSectors(
      sql,
      companiesOf(page).map(({ entityId }) => entityId),
      asOf,
    )
    if (version === page.dataVersion)
      return { page, groupOfEntity: entityId => groupOf(grouping.scheme, sectors.get(entityId) ?? null) }
  }
  throw new Failure(
    'database_unavailable',
    'The data kept changing while this request was being served. Try again in a moment.',
    { retryAfterSeconds: 1 },
  )
}

/** The industry of each company, from its latest filing up to the day that states one. */
async function readSectors(
  sql: SqlClient,
  entityIds: readonly number[],
  asOf: AsOf,
): Promise<{ readonly version: number; readonly sectors: ReadonlyMap<number, string> }> {
  const rows = await sql<{ version: number; entityId: number | null; sector: string }[]>`
    select d.version::int as version, s.*
    from data_version d
    left join (
      select w.entity_id as "entityId", l.sector
      from unnest(${[...entityIds]}::int[]) w(entity_id)
      cross join lateral (
        select s.sector from ${statementsAsOf(sql, sql`w.entity_id`, asOf)} s where s.sector is not null
        order by s.filed desc, s.accepted_at desc nulls last, s.accession desc limit 1) l) s on true`
  const sectors = new Map(rows.flatMap(row => (row.entityId === null ? [] : [[row.entityId, row.sector]])))
  return { version: rows[0].version, sectors }
}
