import type { IsoDate } from '../../dates.ts'
import { type AsOf, isInstant } from '../../instants.ts'
import { filingIsKnown } from '../../postgres/asOf.ts'
import type { SqlClient } from '../../postgres/client.ts'

/** A position in the list of a market's or company's filings. */
export interface FilingPosition {
  readonly filed: IsoDate
  readonly accession: string
}

export interface FilingScope {
  readonly market: string
  /** Null for all companies of the market. */
  readonly entityId: number | null
  readonly asOf: AsOf
  readonly from: IsoDate | null
  /** In lower case; null for all. */
  readonly forms: readonly string[] | null
  readonly after: FilingPosition | null
  readonly limit: number
}

export interface StoredFiling extends FilingPosition {
  readonly form: string
  readonly acceptedAt: string | null
  readonly figures: number
  readonly ticker: string
  readonly issuerId: string
  /** Only as of an instant: whether the filing counts by its time rather than from the end of its day. */
  readonly byTime?: boolean
}

export interface FilingPage {
  readonly dataVersion: number
  readonly filings: StoredFiling[]
  /** Null on the last page. */
  readonly next: FilingPosition | null
}

/**
 * The maximum number of filings that one page examines. For a rare form, the page may have fewer rows than
 * its limit, or none, and `next` continues.
 */
const maxExamined = 20_000

interface Head {
  readonly version: string
  readonly examined: number
  readonly lastFiled: IsoDate | null
  readonly lastAccession: string | null
}

/**
 * Filings known on the day, latest first. The accession contains the market, so the page is one range of the
 * index filing_of_market.
 */
export async function filingPage(sql: SqlClient, scope: FilingScope): Promise<FilingPage> {
  const { market, entityId, asOf, from, forms, after, limit } = scope
  const whose =
    entityId === null ? sql`filing_market(l.accession) = ${market}` : sql`l.entity_id = ${entityId}`
  const since = from === null ? sql`` : sql`and l.filed >= ${from}`
  const before =
    after === null
      ? sql``
      : sql`and (l.filed, l.accession) < (${after.filed}::date, ${after.accession}::text)`
  const ofForms = forms === null ? sql`` : sql`where lower(l.form) = any(${[...forms]}::text[])`
  const rows = await sql<(Head & (StoredFiling | { readonly accession: null }))[]>`
    with examined as materialized (
      select l.filed, l.accession, l.form, l.accepted_at, l.figures, l.entity_id from filing l
      where ${whose} and ${filingIsKnown(sql, asOf)} ${since} ${before}
      order by l.filed desc, l.accession desc limit ${maxExamined})
    select d.version, (select count(*)::int from examined) as examined,
           last.filed as "lastFiled", last.accession as "lastAccession", r.*
    from data_version d
    left join lateral (select filed, accession from examined order by filed, accession limit 1) last on true
    left join lateral (
      select l.filed, l.accession, l.form, l.figures, e.ticker, e.issuer_id as "issuerId",
             to_char(l.accepted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "acceptedAt"
             ${isInstant(asOf) ? sql`, filing_has_time(l.filed, l.accepted_at) as "byTime"` : sql``}
      from (select * from examined l ${ofForms} order by l.filed desc, l.accession desc limit ${limit + 1}) l
      join entity e on e.entity_id = l.entity_id) r on true
    order by r.filed desc, r.accession desc`
  const [{ version, examined, lastFiled, lastAccession }] = rows
  const found = rows.flatMap(row => (row.accession === null ? [] : [row]))
  const filings = found.slice(0, limit)
  const last = filings.at(-1)
  const isCut = examined === maxExamined && lastFiled !== null && lastAccession !== null
  return {
    dataVersion: Number(version),
    filings,
    next:
      found.length > limit && last !== undefined
        ? { filed: last.filed, accession: last.accession }
        : isCut
          ? { filed: lastFiled, accession: lastAccession }
          : null,
  }
}
