import { Failure } from '../../../errors.ts'
import type { ParsedDocument } from '../../../facts/reportedFact.ts'
import { textOf } from '../../reading/fields.ts'
import { csvRows } from '../../reading/text.ts'
import { contentWithoutFigures, type DocumentContent, LeftOut } from '../registerInterface.ts'
import { isSiren } from './header.ts'

/**
 * Reads names from the SIRENE directory: `StockUniteLegale`. Its 28 million units include everyone who was
 * ever in business, so a name alone registers no entity. Establishments and ratios are recognised and
 * skipped.
 */
export function readNames(text: string): DocumentContent {
  const { header, records } = csvRows(text)
  const leftOut = new LeftOut()
  if (header.includes('siret')) {
    leftOut.add('an establishment: names are those of the legal unit', records.length)
    return contentWithoutFigures([], leftOut)
  }
  if (header.includes('siren') && header.includes('date_cloture_exercice')) {
    leftOut.add(undatedRow, records.length)
    return contentWithoutFigures([], leftOut)
  }
  if (!header.includes('siren') || !header.includes('denominationUniteLegale')) {
    throw new Failure(
      'body_invalid',
      'line 1: the table has neither `siren` and `denominationUniteLegale` (SIRENE legal units) nor `siret` (its establishments).',
    )
  }
  const parsed: ParsedDocument[] = []
  for (const row of records) {
    const siren = row.siren ?? ''
    const name = textOf(row.denominationUniteLegale)
    if (!isSiren(siren)) leftOut.add('a legal unit without a company number')
    else if (row.statutDiffusionUniteLegale !== 'O')
      leftOut.add('a legal unit whose name may not be published')
    else if (name === null) leftOut.add('a legal unit without a company name')
    else parsed.push(named(siren, name, row))
  }
  return contentWithoutFigures(parsed, leftOut)
}

/** Rows of the open data sets of ratios, which never state a deposit date. */
export const undatedRow = 'a row of figures without a deposit date'

const otherNameFields = [
  'sigleUniteLegale',
  'denominationUsuelle1UniteLegale',
  'denominationUsuelle2UniteLegale',
  'denominationUsuelle3UniteLegale',
]

function named(siren: string, name: string, row: Readonly<Record<string, string>>): ParsedDocument {
  const otherNames = otherNameFields.map(field => textOf(row[field])).filter(other => other !== null)
  const profile = {
    market: 'FR',
    issuerId: siren,
    name,
    ...(otherNames.length > 0 ? { otherNames } : {}),
    registers: false,
  }
  return { profile, reportedFacts: [], filings: [] }
}
