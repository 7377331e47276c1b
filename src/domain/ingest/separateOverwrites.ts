import { isoDate } from '../../model/date.ts'
import type { Filing, Statement } from '../../model/statement.ts'
import type { StoredRow } from '../../store/facts/storedRows.ts'
import { spanOf, storedMetric } from './span.ts'

/** What a register that overwrites says now, beside what it is on record to have said: a figure that it states otherwise
 * is a statement of its own, of the day on which the register was read, and one that it only repeats is none. Without
 * this a later edit would stand under the first day and be seen before it was made.
 *
 * @param stored rows of the entity
 * @param pulledOn day on which the register was read */
export function separateOverwrites(
  statements: readonly Statement[],
  stored: readonly StoredRow[],
  pulledOn: number,
): readonly Statement[] {
  if (stored.length === 0) return statements
  const latest = new Map<string, StoredRow>()
  const known = new Set<string>()
  for (const row of stored) {
    if (row.tag === null) continue
    const accession = firstAccession(row.accession)
    known.add(accession)
    const key = `${accession} ${row.metric} ${row.start} ${row.end}`
    const other = latest.get(key)
    if (other === undefined || isLater(row, other)) latest.set(key, row)
  }
  const separated: Statement[] = []
  const filings = new Map<string, Filing>()
  for (const statement of statements) {
    const { filing, metric, start, end } = statement
    if (!known.has(filing.accession)) {
      separated.push(statement)
      continue
    }
    const span = spanOf(start, end) ?? 0
    const said = latest.get(`${filing.accession} ${storedMetric(metric, span)} ${start} ${end}`)
    if (said !== undefined && said.value === statement.value && said.unit === statement.unit) continue
    // Read before the edit that is on record: nothing new.
    if (said !== undefined && said.filed > pulledOn) continue
    let edited = filings.get(filing.accession)
    if (edited === undefined) {
      edited = { ...filing, ...editOf(filing, pulledOn) }
      filings.set(filing.accession, edited)
    }
    separated.push({ ...statement, filing: edited })
  }
  return separated
}

const editOf = ({ accession, filed }: Filing, pulledOn: number) => ({
  accession: `${accession}@${isoDate(pulledOn)}`,
  filed: Math.max(filed, pulledOn),
})

const firstAccession = (accession: string) => accession.replace(/@\d{4}-\d\d-\d\d$/, '')

const isLater = (a: StoredRow, b: StoredRow) =>
  a.filed > b.filed || (a.filed === b.filed && a.accession > b.accession)
