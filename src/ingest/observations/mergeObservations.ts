import type { Filing, ReportedFact } from '../../facts/reportedFact.ts'
import type { ObservedFiling } from './factsFromObservations.ts'

/** Everything that was read about one entity on one day. */
export interface Observation {
  readonly day: number
  readonly reportedFacts: readonly ReportedFact[]
  /** Filings without reported facts that the document states in full. */
  readonly filings?: readonly Filing[]
}

interface MergedObservations<Stored extends ObservedFiling> {
  /** Everything ever observed. */
  readonly all: readonly ObservedFiling[]
  /** Those of `all` that are not stored in this form. */
  readonly fresh: readonly ObservedFiling[]
  /** The stored ones that `fresh` replaces. */
  readonly outdated: readonly Stored[]
}

/**
 * Adds observations to those on record. Each version of a filing is stored once, with every day on which it
 * was observed. The result is therefore a set that does not depend on the order or number of observations.
 */
export function mergeObservations<Stored extends ObservedFiling>(
  stored: readonly Stored[],
  observations: readonly Observation[],
): MergedObservations<Stored> {
  const days = new Map<string, Set<number>>()
  const observed = new Map<string, ObservedFiling>()
  for (const { day, reportedFacts } of observations) {
    for (const ofFiling of Map.groupBy(reportedFacts, ({ filing }) => filing.accession).values()) {
      const version = { filing: ofFiling[0].filing, reportedFacts: sortedUnique(ofFiling), days: [] }
      const key = keyOf(version)
      const daysOfKey = days.get(key)
      if (daysOfKey !== undefined) daysOfKey.add(day)
      else {
        days.set(key, new Set([day]))
        observed.set(key, version)
      }
    }
  }
  const all: ObservedFiling[] = []
  const fresh: ObservedFiling[] = []
  const outdated: Stored[] = []
  for (const version of stored) {
    const key = keyOf(version)
    const more = days.get(key)
    const { reportedFacts } = withNewStates(version, observed.get(key))
    observed.delete(key)
    const merged = inOrder([...version.days, ...(more ?? [])])
    if (merged.length === version.days.length && reportedFacts === version.reportedFacts) all.push(version)
    else {
      outdated.push(version)
      fresh.push({ ...version, reportedFacts, days: merged })
    }
  }
  for (const [key, version] of observed) fresh.push({ ...version, days: inOrder(days.get(key) ?? []) })
  return { all: [...all, ...fresh], fresh, outdated }
}

/** The statements of a filing may be read after its figures, or by newer rules. Their states are the only difference. */
function withNewStates(stored: ObservedFiling, observed: ObservedFiling | undefined): ObservedFiling {
  if (observed === undefined || observed.reportedFacts.every(({ check }) => check === undefined))
    return stored
  const isSame = observed.reportedFacts.every(
    ({ check = 'unchecked' }, at) => check === (stored.reportedFacts[at]?.check ?? 'unchecked'),
  )
  return isSame ? stored : observed
}

const inOrder = (days: Iterable<number>): readonly number[] => [...new Set(days)].sort((a, b) => a - b)

function keyOf({ filing, reportedFacts }: ObservedFiling): string {
  const { accession, form, filed, acceptedAt } = filing
  return [accession, form, filed, acceptedAt, ...reportedFacts.map(factKey)].join('\n')
}

/** Sorted and without duplicates, so that equal figures always compare equal. */
function sortedUnique(reportedFacts: readonly ReportedFact[]): readonly ReportedFact[] {
  const byKey = new Map(reportedFacts.map(reported => [factKey(reported), reported]))
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, reported]) => reported)
}

const factKey = ({ metric, tag, unit, start, end, value, rounded }: ReportedFact) =>
  `${metric} ${tag} ${unit} ${start} ${end} ${value} ${rounded}`
