import type { IsoDate } from '../dates.ts'
import { filingIsKnown } from '../postgres/asOf.ts'
import type { SqlClient } from '../postgres/client.ts'
import { openFigures } from './figureBlock.ts'
import { decodePresentation } from './presentationBlock.ts'
import { type WholeSource, wholeSources } from './statedFiling.ts'
import type { Terms } from './terms.ts'
import type { WholeFiling } from './wholeFiling.ts'

/** A company's content of a filing, for readers of the whole store. */
export interface EveryFiling {
  readonly entityId: number
  readonly ticker: string
  readonly accession: string
  readonly form: string
  readonly filed: IsoDate
  readonly acceptedAt: Date | null
  /** As in `KnownFiling`. */
  readonly seenOn: IsoDate | null
  readonly source: WholeSource
  /** The data version in which this content came. */
  readonly dataVersion: number
  readonly whole: WholeFiling
}

/** The first and last year in which a market has filings that were public on a day; null if it has none. */
export async function yearsOfFilings(
  sql: SqlClient,
  market: string,
  asOf: IsoDate,
): Promise<{ readonly first: number; readonly last: number } | null> {
  const [{ first, last }] = await sql<{ first: number | null; last: number | null }[]>`
    select extract(year from min(l.filed))::int as first, extract(year from max(l.filed))::int as last
    from filing l where filing_market(l.accession) = ${market} and ${filingIsKnown(sql, asOf)}`
  return first === null || last === null ? null : { first, last }
}

/** Filings per fetch. The largest have some 40,000 figures, which take 10 MB decoded. */
const filingsPerFetch = 8

/**
 * Streams the filings of a market and a year with every version of their content that was public on a day,
 * the latest filing first. A report of several companies has the content of each. If a register edited a filing,
 * these are all versions seen up to that day or, if there are none, its first one, by the rule of
 * `listKnownFilings`.
 *
 * @param terms all that the database has
 */
export async function* everyFilingOf(
  sql: SqlClient,
  terms: Terms,
  market: string,
  year: number,
  asOf: IsoDate,
): AsyncGenerator<EveryFiling> {
  const query = sql<(Omit<EveryFiling, 'source' | 'whole'> & BlockRecord)[]>`
    select e.entity_id as "entityId", e.ticker, l.accession, l.form, l.filed, l.accepted_at as "acceptedAt",
           nullif(w.seen_on, '-infinity') as "seenOn", w.source, w.since_version as "dataVersion",
           w.figure_block as figures, w.statement_block as statements
    from filing l
    join whole_filing w on w.filing_id = l.filing_id
    join entity e on e.entity_id = w.entity_id
    where filing_market(l.accession) = ${market} and l.filed >= ${`${year}-01-01`} and l.filed <= ${`${year}-12-31`}
      and ${filingIsKnown(sql, asOf)}
      and (w.seen_on <= ${asOf} or not exists (
        select from whole_filing v where v.filing_id = w.filing_id and v.entity_id = w.entity_id and v.seen_on < w.seen_on))
    order by filing_market(l.accession), l.filed desc, l.accession desc, w.entity_id, w.seen_on`
  for await (const rows of query.cursor(filingsPerFetch))
    for (const { figures, statements, source, ...filing } of rows) {
      const { ownTexts, figuresOf, taxonomies, defaultMembers } = openFigures(figures, terms)
      const whole: WholeFiling = {
        accession: filing.accession,
        taxonomies,
        defaultMembers,
        figures: figuresOf(null),
        ...decodePresentation(statements, terms, ownTexts),
      }
      yield { ...filing, source: wholeSources[source - 1], whole }
    }
}

interface BlockRecord {
  readonly source: number
  readonly figures: Uint8Array
  readonly statements: Uint8Array
}
