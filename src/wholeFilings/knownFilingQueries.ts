import type { IsoDate } from '../dates.ts'
import { type AsOf, lastWholeDay } from '../instants.ts'
import { filingIsKnown } from '../postgres/asOf.ts'
import type { SqlClient, SqlFragment } from '../postgres/client.ts'
import { type OpenFigures, openFigures } from './figureBlock.ts'
import { decodePresentation } from './presentationBlock.ts'
import { type WholeSource, wholeSources } from './statedFiling.ts'
import { loadMoreTerms } from './termQueries.ts'
import type { Terms } from './terms.ts'
import type { ReportedFigure, WholeFiling } from './wholeFiling.ts'

/** A filing whose content in full was public at some time. */
export interface KnownFiling {
  readonly filingId: number
  /** The company whose content it is. A report of several companies has one of each. */
  readonly entityId: number
  readonly accession: string
  readonly form: string
  readonly filed: IsoDate
  readonly acceptedAt: Date | null
  /** Null if the source does not state it. */
  readonly periodEnd: IsoDate | null
  readonly source: WholeSource
  readonly figures: number
  readonly lines: number
  /** The day on which we saw this content, for a register that overwrites its filings; null for all others. */
  readonly seenOn: IsoDate | null
}

/**
 * The filings of a company that were public as of a day or an instant, the latest first. Of a report of
 * several companies this company's content counts. If a register edited a filing, its content is the one known then: the
 * first content counts from the filing on, and each later one from the end of the day on which it was seen. Nothing may
 * read whole filings in any other way.
 */
export async function listKnownFilings(
  sql: SqlClient,
  entityId: number,
  asOf: AsOf,
): Promise<readonly KnownFiling[]> {
  // Filings are looked up one by one: after an import, before its rows are counted, a join would scan all of them.
  const rows = await sql<(Omit<KnownFiling, 'source'> & { source: number })[]>`
    select l.filing_id as "filingId", l.entity_id as "entityId", l.accession, l.form, l.filed, l.accepted_at as "acceptedAt",
           l.period_end as "periodEnd", l.source, l.figures, l.lines, nullif(l.seen_on, '-infinity') as "seenOn"
    from (select distinct c.filing_id from whole_filing c where c.entity_id = ${entityId}) own
    cross join lateral (
      select f.filing_id, v.entity_id, f.accession, f.form, f.filed, f.accepted_at, v.period_end, v.source, v.figures, v.lines, v.seen_on
      from whole_filing v join filing f on f.filing_id = v.filing_id
      where v.filing_id = own.filing_id and v.entity_id = ${entityId}
      order by v.seen_on <= ${lastWholeDay(asOf)}::date desc,
               case when v.seen_on <= ${lastWholeDay(asOf)}::date then v.seen_on end desc nulls last, v.seen_on
      limit 1) l
    where ${filingIsKnown(sql, asOf)}
    order by l.filed desc, l.accepted_at desc nulls first, l.accession desc`
  return rows.map(row => ({ ...row, source: wholeSources[row.source - 1] }))
}

/** A content of a filing, and since when it is known. */
export interface FilingContent extends KnownFiling {
  /** The filing day or, for a content that replaced another one, the day on which it was seen. */
  readonly since: IsoDate
  /** Whether it replaced an earlier content. */
  readonly isEdit: boolean
  /** The position of the filing among those of the company, the earliest first. */
  readonly order: number
}

/**
 * Every content of the filings of a company that was known on some day up to `until`, in the order in which they became
 * known. On each day the latest content of each filing is what `listKnownFilings` lists for that day, and the filings are
 * in its order, reversed.
 */
export async function listFilingContents(
  sql: SqlClient,
  entityId: number,
  until: IsoDate,
): Promise<readonly FilingContent[]> {
  const rows = await sql<(Omit<FilingContent, 'source'> & { source: number })[]>`
    select l.filing_id as "filingId", l.entity_id as "entityId", l.accession, l.form, l.filed, l.accepted_at as "acceptedAt",
           l.period_end as "periodEnd", l.source, l.figures, l.lines, nullif(l.seen_on, '-infinity') as "seenOn",
           case when l.is_edit then greatest(l.filed, l.seen_on) else l.filed end as since, l.is_edit as "isEdit",
           (dense_rank() over (order by l.filed, l.accepted_at nulls last, l.accession) - 1)::int as "order"
    from (
      select f.filing_id, v.entity_id, f.accession, f.form, f.filed, f.accepted_at, v.period_end, v.source, v.figures, v.lines,
             v.seen_on, row_number() over (partition by v.filing_id order by v.seen_on) > 1 as is_edit
      from whole_filing v
      cross join lateral (select * from filing o where o.filing_id = v.filing_id limit 1) f
      where v.entity_id = ${entityId}) l
    where ${filingIsKnown(sql, until)} and (not l.is_edit or l.seen_on <= ${until}::date)
    order by since, "order", l.seen_on`
  return rows.map(row => ({ ...row, source: wholeSources[row.source - 1] }))
}

/** Whether any filing of a company is on record, public or not. */
export async function hasFilings(sql: SqlClient, entityId: number): Promise<boolean> {
  const [{ found }] = await sql<{ found: boolean }[]>`
    select exists (select from filing where entity_id = ${entityId})
      or exists (select from whole_filing where entity_id = ${entityId})
      or exists (select from co_filer where entity_id = ${entityId}) as found`
  return found
}

/** Since which day the content of some filing of a company is known, and that of some filing with statements; null: never. */
export interface ContentSince {
  readonly statements: IsoDate | null
  readonly segments: IsoDate | null
}

/** Contents that become known up to `until`. A content that replaced another one counts from the day on which it was seen. */
export async function contentSince(sql: SqlClient, entityId: number, until: IsoDate): Promise<ContentSince> {
  const [found] = await sql<ContentSince[]>`
    select min(l.since) filter (where l.lines > 0) as statements, min(l.since) as segments
    from (
      select f.filed, v.lines,
             case when exists (
               select from whole_filing e
               where e.filing_id = v.filing_id and e.entity_id = v.entity_id and e.seen_on < v.seen_on)
             then greatest(f.filed, v.seen_on) else f.filed end as since
      from whole_filing v
      cross join lateral (select o.filed from filing o where o.filing_id = v.filing_id limit 1) f
      where v.entity_id = ${entityId}) l
    where l.since <= ${until}::date`
  return found
}

/** A filing whose figures are decoded on demand. */
export interface StoredFiling
  extends Omit<WholeFiling, 'figures'>,
    Pick<OpenFigures, 'concepts' | 'figuresOf'> {}

/**
 * Reads the content of known filings, in their order.
 *
 * @param terms those known so far; the ones that are stored since are added
 */
export async function readWholeFilings(
  sql: SqlClient,
  terms: Terms,
  filings: readonly KnownFiling[],
): Promise<readonly WholeFiling[]> {
  const stored = await openWholeFilings(sql, terms, filings)
  return stored.map(({ figuresOf, concepts: _, ...filing }) => ({ ...filing, figures: figuresOf(null) }))
}

/** Like `readWholeFilings`, for readers that need only some of the figures and statements. */
export async function openWholeFilings(
  sql: SqlClient,
  terms: Terms,
  filings: readonly KnownFiling[],
): Promise<readonly StoredFiling[]> {
  const rows = await readBlocks<{ figures: Uint8Array; statements: Uint8Array }>(
    sql,
    terms,
    filings,
    sql`w.figure_block as figures, w.statement_block as statements`,
  )
  return rows.map(({ figures, statements }, at): StoredFiling => {
    const { ownTexts, ...opened } = openFigures(figures, terms)
    return { accession: filings[at].accession, ...opened, ...decodePresentation(statements, terms, ownTexts) }
  })
}

/** Reads the figures of some concepts of known filings, in the order of the filings. */
export async function readFiguresOf(
  sql: SqlClient,
  terms: Terms,
  filings: readonly KnownFiling[],
  /** The concepts of interest among those of a filing. */
  choose: (concepts: readonly string[]) => ReadonlySet<string>,
): Promise<readonly (readonly ReportedFigure[])[]> {
  const rows = await readBlocks<{ figures: Uint8Array }>(sql, terms, filings, sql`w.figure_block as figures`)
  return rows.map(({ figures }) => {
    const { concepts, figuresOf } = openFigures(figures, terms)
    const chosen = choose(concepts)
    return chosen.size === 0 ? [] : figuresOf(chosen)
  })
}

/** Blocks refer to terms by number, so the terms that the database has are loaded before they are decoded. */
async function readBlocks<Blocks extends object>(
  sql: SqlClient,
  terms: Terms,
  filings: readonly KnownFiling[],
  columns: SqlFragment,
): Promise<readonly Blocks[]> {
  const rows = await sql<(Blocks & { readonly terms: number })[]>`
    select ${columns}, (select coalesce(max(term_id) + 1, 0) from term) as terms
    from unnest(${filings.map(({ filingId }) => filingId)}::int[], ${filings.map(({ entityId }) => entityId)}::int[],
                ${filings.map(({ seenOn }) => seenOn ?? '-infinity')}::date[])
           with ordinality as wanted (filing_id, entity_id, seen_on, position)
    join whole_filing w using (filing_id, entity_id, seen_on)
    order by wanted.position`
  if (rows.length !== filings.length) throw new Error('a filing was replaced while it was read')
  if (rows.some(row => row.terms > terms.count)) await loadMoreTerms(sql, terms)
  return rows
}
