import { Failure } from '../../../errors.ts'
import type { EntityProfile } from '../../../facts/reportedFact.ts'
import { textOf } from '../../reading/fields.ts'
import { type CsvRows, csvRows } from '../../reading/text.ts'
import { isSiren } from './figures.ts'

export interface UnitNames {
  readonly profiles: readonly EntityProfile[]
  readonly leftOut: Readonly<Record<string, number>>
}

/** Names of the SIRENE directory: `StockUniteLegale`. Its 28 million units include everybody who ever was in business, so
 * it registers nobody. Establishments and ratios are recognised and left out. */
export function readUnitNames(text: string): UnitNames {
  const rows = csvRows(text)
  const { header } = rows
  if (header.includes('siret')) return all(rows, 'an establishment: names are those of the legal unit')
  if (header.includes('siren') && header.includes('date_cloture_exercice')) {
    return all(rows, noDay)
  }
  if (!header.includes('siren') || !header.includes('denominationUniteLegale')) {
    throw new Failure(
      'body_invalid',
      'line 1: the table has neither `siren` and `denominationUniteLegale` (SIRENE legal units) nor `siret` (its establishments).',
    )
  }
  const profiles: EntityProfile[] = []
  const leftOut: Record<string, number> = {}
  const skip = (reason: string) => {
    leftOut[reason] = (leftOut[reason] ?? 0) + 1
  }
  for (const row of rows.records) {
    const siren = row.siren ?? ''
    const name = textOf(row.denominationUniteLegale)
    if (!isSiren(siren)) skip('a legal unit without a company number')
    else if (row.statutDiffusionUniteLegale !== 'O') skip('a legal unit whose name may not be spread')
    else if (name === null) skip('a legal unit without a company name')
    else profiles.push(profileOf(siren, name, row))
  }
  return { profiles, leftOut }
}

/** What every figure of the open data sets of ratios lacks. */
export const noDay = 'a row of figures without the day of its deposit'

function all(rows: CsvRows, reason: string): UnitNames {
  return { profiles: [], leftOut: { [reason]: rows.records.length } }
}

const otherNameFields = [
  'sigleUniteLegale',
  'denominationUsuelle1UniteLegale',
  'denominationUsuelle2UniteLegale',
  'denominationUsuelle3UniteLegale',
]

function profileOf(siren: string, name: string, row: Readonly<Record<string, string>>): EntityProfile {
  const otherNames = otherNameFields.map(field => textOf(row[field])).filter(other => other !== null)
  return {
    market: 'FR',
    issuerId: siren,
    name,
    ...(otherNames.length > 0 ? { otherNames } : {}),
    registers: false,
  }
}
