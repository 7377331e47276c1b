import { isoDate } from '../../model/date.ts'
import type { Filing, MetricRules, Statement } from '../../model/statement.ts'
import type { StoredRow } from '../../store/facts/storedRows.ts'
import { spanOf, storedMetric } from './span.ts'

/** A register as it was read on one day. */
export interface Pull {
  readonly pulledOn: number
  /** Its filings replace one another: see `Register.replaces`. */
  readonly replaces: boolean
  readonly rules: Pick<MetricRules, 'rank'>
}

/** What a register that overwrites says now, beside what it is on record to have said: a figure that it states otherwise
 * is a statement of its own, of the day on which the register was read, and one that it only repeats is none. Without
 * this a later edit would stand under the first day and be seen before it was made. Where filings replace one
 * another, the same holds for one that takes the place of the one on record for its period; one of a lower accession says
 * nothing any more.
 *
 * @param stored rows of the entity */
export function separateOverwrites(
  statements: readonly Statement[],
  stored: readonly StoredRow[],
  { pulledOn, replaces, rules }: Pull,
): readonly Statement[] {
  if (stored.length === 0) return statements
  const record = readRecord(stored)
  const separated: Statement[] = []
  const edited = new Map<string, Filing>()
  const dated = (filing: Filing, accession: string): Filing => {
    const known = edited.get(accession)
    if (known !== undefined) return known
    const made = { ...filing, accession, filed: Math.max(filing.filed, pulledOn) }
    edited.set(accession, made)
    return made
  }
  for (const statement of preferred(statements, rules)) {
    const { filing, metric, start, end } = statement
    const { accession } = filing
    const newest = replaces ? record.newestOfEnd.get(end) : undefined
    if (newest !== undefined && newest > accession) continue
    if (!record.accessions.has(accession)) {
      if (newest === undefined) separated.push(statement)
      else separated.push({ ...statement, filing: dated(filing, accession) })
      continue
    }
    const span = spanOf(start, end) ?? 0
    const said = record.latest.get(`${accession} ${storedMetric(metric, span)} ${start} ${end}`)
    if (said !== undefined && said.value === statement.value && said.unit === statement.unit) continue
    // Read before the edit that is on record: nothing new.
    if (said !== undefined && said.filed > pulledOn) continue
    separated.push({ ...statement, filing: dated(filing, editOf(accession, pulledOn)) })
  }
  return separated
}

/** Of several tags for one metric only the preferred one is on record: another would look like an edit. */
function preferred(statements: readonly Statement[], rules: Pull['rules']): Iterable<Statement> {
  const best = new Map<string, Statement>()
  for (const statement of statements) {
    const { metric, tag, filing, start, end, unit } = statement
    const key = `${filing.accession} ${metric} ${start} ${end} ${unit}`
    const rival = best.get(key)
    if (rival === undefined || rules.rank(metric, tag) < rules.rank(metric, rival.tag))
      best.set(key, statement)
  }
  return best.values()
}

interface OnRecord {
  /** Accessions without the day of an edit. */
  readonly accessions: ReadonlySet<string>
  /** What each accession said last, by metric and period. */
  readonly latest: ReadonlyMap<string, StoredRow>
  /** The highest accession that says anything of a period or day with this end. */
  readonly newestOfEnd: ReadonlyMap<number, string>
}

function readRecord(stored: readonly StoredRow[]): OnRecord {
  const accessions = new Set<string>()
  const latest = new Map<string, StoredRow>()
  const newestOfEnd = new Map<number, string>()
  for (const row of stored) {
    if (row.tag === null) continue
    const accession = firstAccession(row.accession)
    accessions.add(accession)
    const key = `${accession} ${row.metric} ${row.start} ${row.end}`
    const other = latest.get(key)
    if (other === undefined || isLater(row, other)) latest.set(key, row)
    const newest = newestOfEnd.get(row.end)
    if (newest === undefined || newest < accession) newestOfEnd.set(row.end, accession)
  }
  return { accessions, latest, newestOfEnd }
}

const editOf = (accession: string, pulledOn: number) => `${accession}@${isoDate(pulledOn)}`

const firstAccession = (accession: string) => accession.replace(/@\d{4}-\d\d-\d\d$/, '')

const isLater = (a: StoredRow, b: StoredRow) =>
  a.filed > b.filed || (a.filed === b.filed && a.accession > b.accession)
