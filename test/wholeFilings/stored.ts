import { isoDate } from '../../src/dates.ts'
import { FilingIds } from '../../src/ingest/store/filingQueries.ts'
import { type EncodedFiling, saveWholeFilings } from '../../src/ingest/store/wholeFilingQueries.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { encodeFigures } from '../../src/wholeFilings/figureBlock.ts'
import { framesOfFigures } from '../../src/wholeFilings/frames.ts'
import { encodePresentation } from '../../src/wholeFilings/presentationBlock.ts'
import { loadTerms, storeTerms } from '../../src/wholeFilings/termQueries.ts'
import type { WholeFiling } from '../../src/wholeFilings/wholeFiling.ts'

export interface FiledWhole {
  readonly market: string
  readonly issuerId: string
  readonly form: string
  /** Days since 1970-01-01. */
  readonly filed: number
  readonly acceptedAt?: Date | null
  readonly seenOn?: number | null
  readonly periodEnd?: number | null
  readonly whole: WholeFiling
}

/** Puts companies, filings and their content on record in one transaction, as an import does. */
export async function storeFiled(sql: Sql, filed: readonly FiledWhole[]): Promise<void> {
  const terms = await loadTerms(sql)
  const byCompany = Map.groupBy(filed, ({ market, issuerId }) => `${market} ${issuerId}`)
  await storeTerms(
    sql,
    terms,
    terms.propose([...byCompany.values()].map(all => all.map(({ whole }) => whole))),
  )
  await sql.begin(async transaction => {
    const ids = new FilingIds()
    const encoded: EncodedFiling[] = []
    for (const { market, issuerId, form, whole, ...one } of filed) {
      const [known] = await transaction<{ id: number }[]>`
        select entity_id as id from entity where market = ${market} and issuer_id = ${issuerId}`
      const [{ id: entityId }] =
        known === undefined
          ? await transaction<{ id: number }[]>`
              insert into entity (market, issuer_id, ticker, name)
              values (${market}, ${issuerId}, ${issuerId}, ${issuerId}) returning entity_id as id`
          : [known]
      const { accession } = whole
      await transaction`
        insert into filing (accession, entity_id, form, filed, accepted_at)
        values (${accession}, ${entityId}, ${form}, ${isoDate(one.filed)}, ${one.acceptedAt ?? null})
        on conflict do nothing`
      const [{ id }] = await transaction<{ id: number }[]>`
        select filing_id as id from filing where accession = ${accession}`
      ids.set(accession, id)
      const { bytes, ownTexts } = encodeFigures(whole, terms)
      encoded.push({
        entityId,
        accession,
        source: 'dataSet',
        periodEnd: one.periodEnd ?? null,
        seenOn: one.seenOn ?? null,
        frames: framesOfFigures(whole.figures),
        figures: whole.figures.length,
        lines: whole.statements.reduce((sum, { lines }) => sum + lines.length, 0),
        figureBlock: bytes,
        statementBlock: encodePresentation(whole, terms, ownTexts),
      })
    }
    await saveWholeFilings(transaction, terms, encoded, ids)
  })
}
