import { Failure } from '../../errors.ts'
import type { EntityProfile } from '../../model/statement.ts'
import { textOf } from '../fields.ts'
import { type CsvRows, csvRows } from '../reading/csvRows.ts'
import { enterpriseNumber } from './enterpriseNumber.ts'

export interface TableContent {
  readonly profiles: readonly EntityProfile[]
  readonly leftOut: Readonly<Record<string, number>>
}

/** Names from a table of enterprises. Most of them never deposit accounts, so it registers nobody. Other tables on
 * enterprises are recognised and left out: accounts by the year have no day of deposit. */
export function readTable(text: string): TableContent {
  const rows = csvRows(text)
  const { header } = rows
  const has = (...names: string[]) => names.every(name => header.includes(name))
  if (has('enterprisenumber', 'denomination')) return readNames(rows)
  const reason = has('enterprise_number', 'year', '20/58')
    ? 'a row of accounts without the day of its deposit'
    : has('code', 'description')
      ? 'a row of a list of codes'
      : has('enterprisenumber') || has('enterprise_number')
        ? 'a row that says other things of an enterprise than its name'
        : null
  if (reason === null) {
    throw new Failure(
      'body_invalid',
      'line 1: the table has no column `enterprisenumber`. Names are read from `enterprisenumber` and `denomination`.',
    )
  }
  return { profiles: [], leftOut: { [reason]: rows.records.length } }
}

function readNames(rows: CsvRows): TableContent {
  const profiles: EntityProfile[] = []
  const leftOut: Record<string, number> = {}
  const skip = (reason: string) => {
    leftOut[reason] = (leftOut[reason] ?? 0) + 1
  }
  for (const row of rows.records) {
    const issuerId = enterpriseNumber(row.enterprisenumber)
    const name = textOf(row.denomination)
    if (issuerId === null) skip('an enterprise without a number')
    else if (name === null) skip('an enterprise without a name')
    else profiles.push({ market: 'BE', issuerId, name, nameIsFallback: true, registers: false })
  }
  return { profiles, leftOut }
}
