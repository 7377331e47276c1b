import type { FactRow } from './factRow.ts'
import type { Filing } from './reportedFact.ts'

/**
 * From `from` up to but excluding `until`, a company's figures are those as of `day`. At any other instant they are
 * those as of the last day that has ended in its market. Milliseconds since 1970 and days since 1970-01-01.
 */
export interface KnownMoment {
  readonly from: number
  readonly until: number
  readonly day: number
  /** Whether all filings of the day counted by their times. */
  readonly byTime: boolean
  /**
   * Rows that differ from those as of the day, because only some filings of a later day are public. A row replaces the
   * one with the same metric, period and filing.
   */
  readonly interim: readonly FactRow[]
}

/** A stretch of time in which the same filings of a company are public. */
interface Stretch {
  readonly from: number
  readonly until: number
  readonly day: number
  readonly byTime: boolean
  /** The public filings, if they are not exactly those up to the day. */
  readonly known: ReadonlySet<string> | null
}

const dayMs = 86_400_000

/** An acceptance time more than this many days before the filing day contradicts that day. */
const maxDaysAhead = 5

/**
 * The instant from which a filing is public: the time at which its register accepted it or, if that is not known or
 * contradicts its day, the end of its day. So a filing may appear too late but never too early. The SQL function
 * `filing_is_known` applies the same rule.
 */
export function knownAt(
  { filed, acceptedAt }: Pick<Filing, 'filed' | 'acceptedAt'>,
  endOfDay: (day: number) => number,
): number {
  const isPlausible = acceptedAt !== null && acceptedAt >= (filed - maxDaysAhead) * dayMs
  return isPlausible ? acceptedAt : endOfDay(filed)
}

/** The maximum number of interim states that are derived for a company. Beyond it, the filings of a day count together
 * once the last one is public. */
const maxInterims = 64

/**
 * Finds the stretches of time in which a company's figures are not those of the last ended day. Filings become public one
 * by one, but in the figures as of a day they count only once that day has ended. So a stretch usually begins with a
 * filing and ends with its day.
 *
 * @param filings all filings that state figures, in their order
 * @param facts every vintage of the company
 * @param derive returns the vintages that follow from a subset of the filings
 */
export function knownMoments(
  filings: readonly Filing[],
  endOfDay: (day: number) => number,
  facts: readonly FactRow[],
  derive: (known: ReadonlySet<string>) => readonly FactRow[],
): readonly KnownMoment[] {
  let interims = 0
  return stretches(filings, endOfDay).map(({ known, ...stretch }) => {
    if (known === null || interims >= maxInterims) return { ...stretch, interim: [] }
    interims++
    return { ...stretch, interim: differing(derive(known), facts, stretch.day) }
  })
}

function stretches(filings: readonly Filing[], endOfDay: (day: number) => number): readonly Stretch[] {
  const timed = filings.map(filing => ({
    accession: filing.accession,
    day: filing.filed,
    at: knownAt(filing, endOfDay),
    dayEnds: endOfDay(filing.filed),
  }))
  if (timed.every(({ at, dayEnds }) => at === dayEnds)) return []
  const byDay = Map.groupBy(timed, ({ day }) => day)
  const hasTimes = (day: number) => byDay.get(day)?.every(({ at, dayEnds }) => at !== dayEnds) ?? false
  const points = [...new Set(timed.flatMap(({ at, dayEnds }) => [at, dayEnds]))].sort((a, b) => a - b)
  const found: Stretch[] = []
  for (const [index, from] of points.entries()) {
    const known = timed.filter(({ at }) => at <= from)
    const ended = timed.filter(({ dayEnds }) => dayEnds <= from)
    if (known.length === ended.length && known.every(({ dayEnds }) => dayEnds <= from)) continue
    const firstUnknown = timed.reduce((day, one) => (one.at > from ? Math.min(day, one.day) : day), Infinity)
    const upTo = known.filter(({ day }) => day < firstUnknown)
    const day = upTo.reduce((last, one) => Math.max(last, one.day), timed[0].day - 1)
    const isWhole = upTo.length === known.length
    const accessions = isWhole ? null : new Set(known.map(({ accession }) => accession))
    const last = found.at(-1)
    const until = points[index + 1] ?? from
    if (last?.until === from && last.day === day && isSame(last.known, accessions))
      found[found.length - 1] = { ...last, until }
    else found.push({ from, until, day, byTime: isWhole && hasTimes(day), known: accessions })
  }
  const told = new Set(found.flatMap(({ day, byTime }) => (byTime ? [day] : [])))
  // If all filings of a day were accepted after its end, an empty stretch records that they counted by their times.
  for (const [day, ofDay] of byDay) {
    if (told.has(day) || !hasTimes(day)) continue
    const from = Math.max(...ofDay.map(({ at }) => at))
    found.push({ from, until: from, day, byTime: true, known: null })
  }
  return found
}

/** The set of public filings only ever grows, so two of the same size are equal. */
const isSame = (a: ReadonlySet<string> | null, b: ReadonlySet<string> | null) => a?.size === b?.size

/** The rows of `between` that differ from those as of the day. */
function differing(between: readonly FactRow[], facts: readonly FactRow[], day: number): FactRow[] {
  const asOfDay = new Map<string, FactRow>()
  for (const row of facts) if (row.filing.filed <= day) asOfDay.set(placeOf(row), row)
  return between.filter(row => {
    const known = asOfDay.get(placeOf(row))
    return known === undefined || !isSameRow(row, known, day)
  })
}

const placeOf = ({ metric, fp, end, filing }: FactRow) =>
  `${metric} ${fp} ${end} ${filing.filed} ${filing.accession}`

function isSameRow(row: FactRow, known: FactRow, day: number): boolean {
  const upTo = (ended: number | null) => (ended !== null && ended <= day ? ended : null)
  return (
    row.value === known.value &&
    row.superseded === upTo(known.superseded) &&
    row.earlierSince === upTo(known.earlierSince) &&
    row.fy === known.fy &&
    row.unit === known.unit &&
    row.tag === known.tag &&
    row.start === known.start &&
    row.check === known.check
  )
}
