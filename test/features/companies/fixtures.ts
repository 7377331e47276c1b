import { createKey } from '../../../src/access/keys.ts'
import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import type { PageViewer } from '../../../src/features/marketPages/query.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { withAllowance } from '../../../src/rights/entityCap.ts'
import type { Principal } from '../../../src/rights/licences.ts'
import { Rights } from '../../../src/rights/rights.ts'
import { Terms } from '../../../src/wholeFilings/terms.ts'
import { testCursors } from '../../cursors.ts'
import { sampleDatabase, type TestDatabase, testDatabase } from '../../database.ts'

/** One vintage as a test states it: [metric, fp, fy, start or null, end, filed, value, accession]. */
export type Vintage = [string, number, number, string | null, string, string, number, string]

/** Apple's fiscal years 2008 and 2009 as 10-K 0001193125-09-214859 (2009-10-27) states them and 10-K/A
 * 0001193125-10-012091 (2010-01-25) restates them, in US dollars; net_margin follows from both. */
export const appleVintages: Vintage[] = [
  ['revenue', 0, 2009, '2008-09-28', '2009-09-26', '2009-10-27', 36_537e6, '0001193125-09-214859'],
  ['revenue', 0, 2009, '2008-09-28', '2009-09-26', '2010-01-25', 42_905e6, '0001193125-10-012091'],
  ['net_income', 0, 2009, '2008-09-28', '2009-09-26', '2009-10-27', 5_704e6, '0001193125-09-214859'],
  ['net_income', 0, 2009, '2008-09-28', '2009-09-26', '2010-01-25', 8_235e6, '0001193125-10-012091'],
  ['net_margin', 0, 2009, '2008-09-28', '2009-09-26', '2009-10-27', 5_704 / 36_537, '0001193125-09-214859'],
  ['net_margin', 0, 2009, '2008-09-28', '2009-09-26', '2010-01-25', 8_235 / 42_905, '0001193125-10-012091'],
  ['assets', 0, 2009, null, '2009-09-26', '2009-10-27', 53_851e6, '0001193125-09-214859'],
  ['assets', 0, 2009, null, '2009-09-26', '2010-01-25', 47_501e6, '0001193125-10-012091'],
]

export async function insertEntity(
  sql: Sql,
  entity: { market: string; issuerId: string; ticker: string; name: string | null; aliases?: string[] },
): Promise<number> {
  const [row] = await sql<{ entity_id: number }[]>`
    insert into entity (market, issuer_id, ticker, name)
    values (${entity.market}, ${entity.issuerId}, ${entity.ticker}, ${entity.name}) returning entity_id`
  for (const ticker of [entity.ticker, ...(entity.aliases ?? [])]) {
    await sql`insert into entity_ticker (ticker, entity_id) values (${ticker}, ${row.entity_id})`
  }
  return row.entity_id
}

/** Appends vintages in the given order, so that of two of one day the later one counts. */
export async function insertVintages(
  sql: Sql,
  entityId: number,
  vintages: readonly Vintage[],
  unitName = 'USD',
): Promise<void> {
  await sql`insert into unit (name) values (${unitName}) on conflict do nothing`
  const [unit] = await sql<{ unit_id: number }[]>`select unit_id from unit where name = ${unitName}`
  for (const [metric, fp, fy, start, end, filed, value, accession] of vintages) {
    await sql`insert into metric (name) values (${metric}) on conflict do nothing`
    const [{ metric_id }] = await sql<
      { metric_id: number }[]
    >`select metric_id from metric where name = ${metric}`
    await sql`
      update fact set superseded = ${filed}
      where entity_id = ${entityId} and metric_id = ${metric_id} and period_end = ${end} and fp = ${fp}
        and superseded = 'infinity'`
    await sql`
      insert into fact (entity_id, metric_id, fp, fy, unit_id, period_start, period_end, filed, value, filing_id)
      values (${entityId}, ${metric_id}, ${fp}, ${fy}, ${unit.unit_id}, ${start}, ${end}, ${filed}, ${value},
              ${await filingNumber(sql, entityId, accession, filed)})`
  }
}

/** The number of a filing, which is put on record where it is not. */
export async function filingNumber(
  sql: Sql,
  entityId: number,
  accession: string,
  filed: string,
  acceptedAt: string | null = null,
): Promise<number> {
  const [row] = await sql<{ filing_id: number }[]>`
    insert into filing (accession, entity_id, form, filed, accepted_at)
    values (${accession}, ${entityId}, '10-K', ${filed}, ${acceptedAt})
    on conflict (accession) do update set form = filing.form
    returning filing_id`
  return row.filing_id
}

/** The rights of a licence.
 *
 * @param flagships as FLAGSHIP_TICKERS by default */
export const rightsOf = (
  licence: Principal['licence'],
  more: Partial<Principal> = {},
  flagships: readonly string[] = ['AAPL', 'GOOGL', 'GOOG'],
): Rights => {
  const entityCap = licence === 'evaluation' ? 1_000 : null
  const plain = { keyId: licence === 'demo' ? null : 1, licence, quant: false, entityCap, bulk: false }
  return new Rights({ ...plain, ...more }, new Set(flagships))
}

/** For statements that are tested without a plan. */
export const allYears = rightsOf('personal').recentYearOnlyOfMarkets
export const recentYear = rightsOf('free').recentYearOnlyOfMarkets

/** A key without a cap asks for a page of a market. */
export const viewerOf = (rights: Rights): PageViewer => ({ rights, allowance: null })

/** A capped key asks, with what it may see at present.
 *
 * @param work as for a route: runs again where a page was counted meanwhile */
export const asCapped = <T>(sql: Sql, rights: Rights, work: (viewer: PageViewer) => Promise<T>) =>
  withAllowance(sql, rights, allowance => work({ rights, allowance }))

export const markets = await loadMarkets()

/** The shipped manifests, one of them of a market whose importer does not ship. */
export const withAnnounced = (code: string): CompanyDeps['markets'] => ({
  ...markets,
  get: wanted => {
    const manifest = markets.get(wanted)
    return manifest !== undefined && wanted === code ? { ...manifest, status: 'announced' } : manifest
  },
})

/** What reads of companies' figures need, over `sql` and on 2026-11-20. */
export const companyDeps = (sql: Sql, change: Partial<CompanyDeps> = {}): CompanyDeps => ({
  sql,
  lookups: sql,
  markets,
  today: () => '2026-11-20',
  cursors: testCursors,
  terms: new Terms(),
  ...change,
})

export interface CompanyBench extends CompanyDeps {
  readonly database: TestDatabase
}

/** A database with Apple (flagship) and a few others, and today on 2026-11-20. */
export async function companyBench(): Promise<CompanyBench> {
  const database = await testDatabase()
  const { sql } = database
  await insertCompanies(sql)
  // The first key on record is the one of `rightsOf`.
  await evaluationKey(sql)
  return { ...companyDeps(sql), database }
}

/** The same with the shipped sample instead of those companies. */
export async function sampleBench(): Promise<CompanyBench> {
  const database = await sampleDatabase()
  await evaluationKey(database.sql)
  return { ...companyDeps(database.sql), database }
}

export async function insertCompanies(sql: Sql): Promise<void> {
  const apple = await insertEntity(sql, {
    market: 'US',
    issuerId: '0000320193',
    ticker: 'AAPL',
    name: 'Apple Inc.',
  })
  await insertVintages(sql, apple, appleVintages)
  const snow = await insertEntity(sql, {
    market: 'US',
    issuerId: '0001640147',
    ticker: 'SNOW',
    name: 'Snowflake Inc.',
  })
  await insertVintages(sql, snow, [
    ['revenue', 0, 2024, '2023-02-01', '2024-01-31', '2024-03-26', 2_806e6, 'a-1'],
    ['revenue', 0, 2025, '2024-02-01', '2025-01-31', '2025-03-21', 3_626e6, 'a-2'],
    ['revenue', 1, 2026, '2025-02-01', '2025-04-30', '2025-05-30', 1_042e6, 'a-3'],
    ['shares_outstanding', 0, 2026, null, '2025-05-15', '2025-05-30', 333e6, 'a-3'],
  ])
  await insertEntity(sql, {
    market: 'US',
    issuerId: '0001652044',
    ticker: 'GOOGL',
    name: 'Alphabet Inc.',
    aliases: ['GOOG'],
  })
  await insertEntity(sql, { market: 'KR', issuerId: '00126380', ticker: '005930.KS', name: '삼성전자' })
  await insertEntity(sql, { market: 'BE', issuerId: '0410682657', ticker: '0410682657.BE', name: null })
}

let evaluations = 0

/** The holder of a new evaluation key, which may see `entityCap` companies. */
export async function evaluationKey(sql: Sql, entityCap = 1_000): Promise<Rights> {
  const email = `analyst@evaluation${++evaluations}.example`
  const order = { email, licence: 'evaluation', quant: false, environment: 'live' } as const
  const { prefix } = await createKey({ sql, today: () => '2026-11-20' }, order)
  const [key] = await sql<{ keyId: number }[]>`
    update key_grant set entity_cap = ${entityCap}
    where key_id = (select key_id from api_key where prefix = ${prefix}) returning key_id as "keyId"`
  return rightsOf('evaluation', { keyId: key.keyId, entityCap })
}

/** The companies that count against a key's cap, in the order of their numbers. */
export async function seenEntities(sql: Sql, { keyId }: Principal): Promise<number[]> {
  const rows = await sql<{ entityId: number }[]>`
    select entity_id as "entityId" from key_entity where key_id = ${keyId} order by 1`
  return rows.map(({ entityId }) => entityId)
}

/** The number under which a company is on record. */
export async function entityIdOf(sql: Sql, ticker: string): Promise<number> {
  const [row] = await sql<{ entityId: number }[]>`
    select entity_id as "entityId" from entity_ticker where ticker = ${ticker}`
  return row.entityId
}
