import { type ClockReading, type Filing, type ReportedFact, unknownFilingDate } from './reportedFact.ts'

export interface FiledFacts {
  readonly filing: Filing
  readonly reportedFacts: readonly ReportedFact[]
}

/**
 * Groups reported facts by filing, sorted by day, acceptance time (unknown first) and accession. Merges what
 * several sources state about one filing.
 *
 * @param known what other sources state about filings, by accession
 */
export function groupByFiling(
  reportedFacts: readonly ReportedFact[],
  known: ReadonlyMap<string, Filing>,
): readonly FiledFacts[] {
  const groups = new Map<string, { filing: Filing; last: Filing; reportedFacts: ReportedFact[] }>()
  for (const reported of reportedFacts) {
    const { filing } = reported
    const group = groups.get(filing.accession)
    if (group === undefined) {
      const other = known.get(filing.accession)
      const merged = other === undefined ? filing : mergeFilings(filing, other)
      groups.set(filing.accession, { filing: merged, last: filing, reportedFacts: [reported] })
    } else {
      // Most facts of a filing share one object, which is merged once.
      if (group.last !== filing) group.filing = mergeFilings(group.filing, filing)
      group.last = filing
      group.reportedFacts.push(reported)
    }
  }
  return [...groups.values()].sort((a, b) => compareFilings(a.filing, b.filing))
}

/** Groups sorted filings by day. */
export function groupByDay(filings: readonly FiledFacts[]): readonly (readonly FiledFacts[])[] {
  const days: FiledFacts[][] = []
  for (const one of filings) {
    const day = days.at(-1)
    if (day?.[0].filing.filed === one.filing.filed) day.push(one)
    else days.push([one])
  }
  return days
}

/**
 * Merges what two sources state about one filing. Each may leave something out. If they disagree on the day or the time,
 * the later one counts, because nothing may be visible before it was filed. A known day replaces an unknown one.
 */
export function mergeFilings(a: Filing, b: Filing): Filing {
  if (b.filed === unknownFilingDate && a.filed !== unknownFilingDate) return a
  if (a.filed === unknownFilingDate && b.filed !== unknownFilingDate) return b
  const filed = Math.max(a.filed, b.filed)
  const form = [a.form, b.form].sort()[0]
  const acceptedAt =
    a.acceptedAt === null
      ? b.acceptedAt
      : b.acceptedAt === null
        ? a.acceptedAt
        : Math.max(a.acceptedAt, b.acceptedAt)
  const readings = mergeReadings(a.readings, b.readings)
  const merged: Filing = {
    accession: a.accession,
    form,
    filed,
    acceptedAt,
    ...(readings === undefined ? {} : { readings }),
    ...mergeAttributes(a, b),
  }
  return isSameFiling(merged, a) && readings?.length === a.readings?.length ? a : merged
}

function mergeReadings(
  a: readonly ClockReading[] | undefined,
  b: readonly ClockReading[] | undefined,
): readonly ClockReading[] | undefined {
  if (a === undefined || b === undefined || a === b) return a ?? b
  return [...new Map([...a, ...b].map(one => [`${one.lister} ${one.shown} ${one.clock}`, one])).values()]
}

const attributes = ['fiscalYearEnd', 'companyName', 'sector'] as const

/**
 * What documents state about the company. If two differ, the alphabetically first value wins, so that the
 * order of reading does not matter.
 */
export function mergeAttributes(a: Filing, b: Filing): Pick<Filing, (typeof attributes)[number]> {
  return Object.fromEntries(
    attributes.flatMap(name => {
      const stated = [a[name], b[name]].filter(value => value !== undefined).sort()
      return stated.length === 0 ? [] : [[name, stated[0]]]
    }),
  )
}

/** Whether two sources state the same about one filing. */
export const isSameFiling = (a: Filing, b: Filing): boolean =>
  a.form === b.form &&
  a.filed === b.filed &&
  a.acceptedAt === b.acceptedAt &&
  attributes.every(name => a[name] === b[name])

export function compareFilings(a: Filing, b: Filing): number {
  if (a.filed !== b.filed) return a.filed - b.filed
  if (a.acceptedAt !== b.acceptedAt) return (a.acceptedAt ?? -1) - (b.acceptedAt ?? -1)
  return a.accession < b.accession ? -1 : a.accession > b.accession ? 1 : 0
}
