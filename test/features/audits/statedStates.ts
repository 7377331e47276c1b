import { dayNumber } from '../../../src/dates.ts'
import type { Audit } from '../../../src/features/audits/schema.ts'

/** An audit whose columns are read by their names. */
export interface AuditAnswer extends Omit<Audit, 'rows'> {
  readonly rows: Readonly<Record<string, readonly (string | number | null)[]>>
}

/** A figure that a filing states, as its source file has it. Days since 1970-01-01. */
export interface SourceFigure {
  readonly accession: string
  readonly filed: number
  /** In which order the filings of a day count. */
  readonly order: string
  readonly kind: 'year' | 'quarter' | 'instant'
  readonly end: number
  readonly value: number
}

/** A value of a period and the days on which it was the latest that was filed. */
export interface SourceVintage extends SourceFigure {
  until: number
}

export const kindOfDays = (start: string | null, end: string): SourceFigure['kind'] | null => {
  if (start === null) return 'instant'
  const days = dayNumber(end) - dayNumber(start) + 1
  if (days >= 335 && days <= 395) return 'year'
  return days >= 61 && days <= 121 ? 'quarter' : null
}

/** Whether a value is another one rounded to thousands or millions. */
function rounds(later: number, earlier: number): boolean {
  for (const unit of [1e6, 1e3])
    if (later % unit === 0 && earlier % unit !== 0 && Math.abs(later - earlier) <= unit / 2)
      return later !== 0
  return false
}

/** Goes through the filings one by one and writes down whenever a period gets another value. */
export function vintagesOf(figures: readonly SourceFigure[]): SourceVintage[] {
  const vintages: SourceVintage[] = []
  const accessions = [...new Map(figures.map(one => [one.accession, one])).values()].sort(
    (a, b) => a.filed - b.filed || (a.order < b.order ? -1 : 1),
  )
  for (const { accession } of accessions) {
    const stated = figures.filter(one => one.accession === accession && one.end <= one.filed)
    for (const key of new Set(stated.map(({ kind, end }) => `${kind} ${end}`))) {
      const ofPeriod = stated.filter(({ kind, end }) => `${kind} ${end}` === key)
      // A filing that contradicts itself says nothing.
      if (new Set(ofPeriod.map(({ value }) => value)).size > 1) continue
      const [one] = ofPeriod
      const current = vintages.findLast(({ kind, end }) => `${kind} ${end}` === key)
      if (current !== undefined && (current.value === one.value || rounds(one.value, current.value))) continue
      if (current !== undefined) current.until = one.filed
      vintages.push({ ...one, until: Number.POSITIVE_INFINITY })
    }
  }
  return vintages
}

/** The state of a cell that can be told from the vintages of its own company alone, and the filing of its figure. */
export function stateOf(
  all: readonly SourceVintage[],
  kinds: readonly SourceFigure['kind'][],
  value: number,
  date: number,
): { readonly state: string; readonly known: number | null; readonly filing: string | null } {
  const vintages = all.filter(({ kind }) => kinds.includes(kind))
  const filed = vintages.filter(one => one.filed < date)
  const current = filed.filter(({ until }) => until >= date)
  const latest = current.toSorted((a, b) => a.end - b.end || a.filed - b.filed).at(-1) ?? null
  const known = latest?.value ?? null
  const same = vintages.filter(one => one.value === value)
  const found = (state: string, one: SourceVintage | undefined) => ({
    state,
    known,
    filing: one?.accession ?? null,
  })
  if (latest !== null && known === value) return found('known', latest)
  const stale = same.filter(one => one.filed < date)
  if (stale.length > 0)
    return found('stale', stale.toSorted((a, b) => a.end - b.end || a.filed - b.filed).at(-1))
  const later = same.toSorted((a, b) => a.filed - b.filed)
  const isStated = ({ kind, end }: SourceVintage) => filed.some(one => one.kind === kind && one.end === end)
  const restated = later.find(isStated)
  if (restated !== undefined) return found('restated', restated)
  if (later.length > 0) {
    // A period that is first on record as a comparative figure of a later report: its own report is not on record.
    const isRepeated = (one: SourceVintage) =>
      vintages.every(other => other.kind !== one.kind || other.end !== one.end || other.filed >= one.filed) &&
      vintages.some(other => other.filed === one.filed && other.end > one.end)
    const repeated = later.find(one => isRepeated(one) && one.end <= date)
    const unseen = later.find(one => !isRepeated(one) || one.end > date)
    const isUnsaid = repeated !== undefined && (unseen === undefined || repeated.filed <= unseen.filed)
    return isUnsaid ? found('not_covered', undefined) : found('early', unseen)
  }
  return found(filed.length > 0 ? 'no_match' : 'not_covered', undefined)
}
