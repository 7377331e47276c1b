import { type IsoDate, isoDate } from '../../src/dates.ts'
import type { Sql } from '../../src/postgres/client.ts'
import {
  type KnownFiling,
  listKnownFilings,
  readWholeFilings,
} from '../../src/wholeFilings/knownFilingQueries.ts'
import { loadTerms } from '../../src/wholeFilings/termQueries.ts'
import type { ReportedFigure, WholeFiling } from '../../src/wholeFilings/wholeFiling.ts'

/** A company's filings in full as they were known on a day, by accession. */
export async function knownFilings(
  sql: Sql,
  market: string,
  issuerId: string,
  asOf: IsoDate,
): Promise<Map<string, { readonly known: KnownFiling; readonly whole: WholeFiling }>> {
  const [entity] = await sql<{ id: number }[]>`
    select entity_id as id from entity where market = ${market} and issuer_id = ${issuerId}`
  if (entity === undefined) throw new Error(`${market} ${issuerId} is not on record`)
  const known = await listKnownFilings(sql, entity.id, asOf)
  const wholes = await readWholeFilings(sql, await loadTerms(sql), known)
  return new Map(wholes.map((whole, at) => [whole.accession, { known: known[at], whole }]))
}

/** `營業收入 2026-01-01..2026-06-30 2404483690000 TWD` */
export const spellFigure = ({ concept, context, unit, value }: ReportedFigure) =>
  `${concept} ${context.start === null ? '' : isoDate(context.start)}..${isoDate(context.end)} ${value} ${unit}`

/** Every row of whole filings, with its day and the content that is in it. */
export async function storedWholeFilings(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<(KnownFiling & { seen: string; ends: string })[]>`
    select w.filing_id as "filingId", w.entity_id as "entityId", l.accession, w.seen_on::text as seen, nullif(w.seen_on, '-infinity') as "seenOn",
           w.period_end::text as ends, w.source, w.figures, w.lines
    from whole_filing w join filing l using (filing_id)
    order by l.accession, w.seen_on`
  const wholes = await readWholeFilings(sql, await loadTerms(sql), rows)
  return rows.map(({ accession, seen, ends, source, figures, lines }, at) => {
    const { figures: stated, statements } = wholes[at]
    return JSON.stringify([
      accession,
      seen,
      ends,
      source,
      figures,
      lines,
      stated.map(spellFigure).sort(),
      statements,
    ])
  })
}
