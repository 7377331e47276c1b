import { isoDate } from '../../dates.ts'
import { mergeFilings } from '../../facts/filings.ts'
import type { MetricRules } from '../../facts/metricRules.ts'
import type { Filing, ReportedFact } from '../../facts/reportedFact.ts'

/** One version of a filing at a register that overwrites, and the days on which it was observed. */
export interface ObservedFiling {
  /** As the document states it: its own accession, without the day of an edit, and its own filing date. */
  readonly filing: Filing
  /** All that this version of the filing reports. */
  readonly reportedFacts: readonly ReportedFact[]
  /** In ascending order. `unknownObservationDay` is before every day. */
  readonly days: readonly number[]
}

/**
 * The day of everything that was already stored when we began to store observations. It is before every day.
 */
export const unknownObservationDay = Number.NEGATIVE_INFINITY

export interface OverwriteRules {
  /** Whether the register's filings replace one another: see `Register.replaces`. */
  readonly replaces: boolean
  readonly rules: Pick<MetricRules, 'rank'>
}

/**
 * What a register that overwrites reported, and when: derived from all observations of one entity, ordered by
 * day.
 *
 * - What the first observation of a filing contains belongs to that filing, under the filing's own day.
 * - A figure that a later observation changes or adds is a new reported fact, under the day of that observation. A
 *   repeated figure is not a new fact. Otherwise an edit would appear under the filing's day, before it was made.
 * - If filings replace one another, a replacement gets the day of the observation in which it first appeared.
 *   From then on, filings with a lower accession report nothing for its period.
 * - All observations of one day count as one. If they contradict one another, the preferred tag wins, then
 *   the figure that is new.
 *
 * Observations of a later day never change the facts of an earlier day.
 */
export function factsFromObservations(
  observedFilings: readonly ObservedFiling[],
  { replaces, rules }: OverwriteRules,
): readonly ReportedFact[] {
  const seen: Seen = { facts: new Map(), filedByAccession: new Map(), newestByEnd: new Map() }
  const reportedFacts: ReportedFact[] = []
  for (const [day, observed] of byDay(observedFilings)) {
    const chosen = chooseFigures(observed, seen, rules)
    const newest = new Map(replaces ? seen.newestByEnd : [])
    if (replaces) for (const { end, filing } of chosen) raise(newest, end, filing.accession)
    const valid = chosen.filter(({ end, filing }) => (newest.get(end) ?? '') <= filing.accession)
    for (const [accession, ofFiling] of Map.groupBy(valid, ({ filing }) => filing.accession)) {
      const isKnown = seen.filedByAccession.has(accession)
      const fresh = isKnown ? ofFiling.filter(reported => isNews(reported, seen)) : ofFiling
      if (fresh.length === 0) continue
      const merged = fresh.map(({ filing }) => filing).reduce(mergeFilings)
      const filing = isKnown
        ? {
            ...merged,
            accession: editAccession(accession, day),
            filed: notBefore(merged, day, [accession], seen),
            acceptedAt: null,
          }
        : onDay(merged, notBefore(merged, day, replacedBy(fresh, seen), seen))
      for (const reported of fresh) reportedFacts.push({ ...reported, filing })
      seen.filedByAccession.set(accession, filing.filed)
    }
    for (const reported of valid) {
      seen.facts.set(figureKey(reported), reported)
      if (replaces) raise(seen.newestByEnd, reported.end, reported.filing.accession)
    }
  }
  return reportedFacts
}

/** The content of the observations so far. */
interface Seen {
  /** The last version of each figure, by `figureKey`. */
  readonly facts: Map<string, ReportedFact>
  /** The last day under which a filing or an edit of it is recorded. */
  readonly filedByAccession: Map<string, number>
  /** If filings replace one another, the highest accession for each period end. */
  readonly newestByEnd: Map<number, string>
}

function byDay(observedFilings: readonly ObservedFiling[]): [number, ReportedFact[]][] {
  const ofDay = new Map<number, ReportedFact[]>()
  for (const { days, reportedFacts } of observedFilings) {
    for (const day of days) {
      const observed = ofDay.get(day)
      if (observed === undefined) ofDay.set(day, [...reportedFacts])
      else observed.push(...reportedFacts)
    }
  }
  return [...ofDay].sort(([a], [b]) => a - b)
}

/** Chooses one reported fact per figure. */
function chooseFigures(
  observed: readonly ReportedFact[],
  seen: Seen,
  rules: OverwriteRules['rules'],
): ReportedFact[] {
  const best = new Map<string, ReportedFact>()
  for (const reported of observed) {
    const key = figureKey(reported)
    const rival = best.get(key)
    if (rival === undefined || isPreferred(reported, rival, seen, rules)) best.set(key, reported)
  }
  return [...best.values()]
}

function isPreferred(a: ReportedFact, b: ReportedFact, seen: Seen, rules: OverwriteRules['rules']): boolean {
  const rank = rules.rank(a.metric, a.tag) - rules.rank(b.metric, b.tag)
  if (rank !== 0) return rank < 0
  const news = Number(isNews(b, seen)) - Number(isNews(a, seen))
  if (news !== 0) return news < 0
  return a.value === b.value ? a.unit < b.unit : a.value < b.value
}

function isNews(reported: ReportedFact, { facts }: Seen): boolean {
  const previous = facts.get(figureKey(reported))
  return previous === undefined || previous.value !== reported.value || previous.unit !== reported.unit
}

/** The accessions on record that a new filing replaces. */
const replacedBy = (fresh: readonly ReportedFact[], { newestByEnd }: Seen): readonly string[] =>
  fresh.flatMap(({ end }) => newestByEnd.get(end) ?? [])

/** A filing that counts on a later day than its own, so the register's acceptance time does not apply to it. */
const onDay = (filing: Filing, filed: number): Filing =>
  filed === filing.filed ? filing : { ...filing, filed, acceptedAt: null }

/** The day of a filing that changes others: the day of the observation, but never a day before theirs. */
const notBefore = (
  { filed }: Filing,
  day: number,
  changed: readonly string[],
  { filedByAccession }: Seen,
): number =>
  changed.length === 0
    ? filed
    : Math.max(filed, day, ...changed.map(accession => filedByAccession.get(accession) ?? filed))

function raise(newestByEnd: Map<number, string>, end: number, accession: string): void {
  if ((newestByEnd.get(end) ?? '') < accession) newestByEnd.set(end, accession)
}

const figureKey = ({ metric, filing, start, end }: ReportedFact) =>
  `${filing.accession} ${metric} ${start} ${end}`

const editAccession = (accession: string, day: number) => `${accession}@${isoDate(day)}`

/** The accession of the filing that was edited. */
export const withoutEdit = (accession: string) => accession.replace(/@\d{4}-\d\d-\d\d$/, '')
