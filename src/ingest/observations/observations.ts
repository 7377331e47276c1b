import { isoDate } from '../../dates.ts'
import { mergeFilings } from '../../facts/filings.ts'
import type { Filing, MetricRules, PulledFiling, Statement } from '../../facts/reportedFact.ts'

/** How a register overwrites. */
export interface Overwriting {
  /** Its filings replace one another: see `Register.replaces`. */
  readonly replaces: boolean
  readonly rules: Pick<MetricRules, 'rank'>
}

/** What a register that overwrites stated and when, from all that was ever read of one entity, gone through in the order
 * of the days on which it was read.
 *
 * - What the first reading of a filing says is that filing's, under the filing's own day.
 * - A figure that a later reading states otherwise, or for the first time, is a statement of its own, of the day of that
 * reading, and one that it only repeats is none. Without this an edit would stand under the filing's day and be seen
 * before it was made.
 * - Where filings replace one another, one that takes the place of another for its period is of the day of the reading that
 * first had it; one of a lower accession says nothing any more.
 * - All readings of a day are one. Where they contradict one another the preferred tag counts, then what is news.
 *
 * What came of a day's readings is not changed by any later day's. */
export function replayPulls(
  pulls: readonly PulledFiling[],
  { replaces, rules }: Overwriting,
): readonly Statement[] {
  const told: Told = { said: new Map(), filedOf: new Map(), newestOfEnd: new Map() }
  const statements: Statement[] = []
  for (const [day, read] of byDay(pulls)) {
    const chosen = chooseFigures(read, told, rules)
    const newest = new Map(replaces ? told.newestOfEnd : [])
    if (replaces) for (const { end, filing } of chosen) raise(newest, end, filing.accession)
    const taken = chosen.filter(({ end, filing }) => (newest.get(end) ?? '') <= filing.accession)
    for (const [accession, ofFiling] of Map.groupBy(taken, ({ filing }) => filing.accession)) {
      const isKnown = told.filedOf.has(accession)
      const stated = isKnown ? ofFiling.filter(statement => isNews(statement, told)) : ofFiling
      if (stated.length === 0) continue
      const merged = stated.map(({ filing }) => filing).reduce(mergeFilings)
      const filing = isKnown
        ? { ...merged, accession: editOf(accession, day), filed: notBefore(merged, day, [accession], told) }
        : { ...merged, filed: notBefore(merged, day, replacedBy(stated, told), told) }
      for (const statement of stated) statements.push({ ...statement, filing })
      told.filedOf.set(accession, filing.filed)
    }
    for (const statement of taken) {
      told.said.set(figureOf(statement), statement)
      if (replaces) raise(told.newestOfEnd, statement.end, statement.filing.accession)
    }
  }
  return statements
}

/** What the readings so far have told. */
interface Told {
  readonly said: Map<string, Statement>
  /** The last day under which a filing or an edit of it stands, by accession. */
  readonly filedOf: Map<string, number>
  /** Where filings replace one another, the highest accession for each last day of a period. */
  readonly newestOfEnd: Map<number, string>
}

function byDay(pulls: readonly PulledFiling[]): [number, Statement[]][] {
  const days = new Map<number, Statement[]>()
  for (const { days: readOn, statements } of pulls) {
    for (const day of readOn) {
      const read = days.get(day)
      if (read === undefined) days.set(day, [...statements])
      else read.push(...statements)
    }
  }
  return [...days].sort(([a], [b]) => a - b)
}

/** One statement a figure. */
function chooseFigures(read: readonly Statement[], told: Told, rules: Overwriting['rules']): Statement[] {
  const best = new Map<string, Statement>()
  for (const statement of read) {
    const key = figureOf(statement)
    const rival = best.get(key)
    if (rival === undefined || precedes(statement, rival, told, rules)) best.set(key, statement)
  }
  return [...best.values()]
}

function precedes(a: Statement, b: Statement, told: Told, rules: Overwriting['rules']): boolean {
  const rank = rules.rank(a.metric, a.tag) - rules.rank(b.metric, b.tag)
  if (rank !== 0) return rank < 0
  const news = Number(isNews(b, told)) - Number(isNews(a, told))
  if (news !== 0) return news < 0
  return a.value === b.value ? a.unit < b.unit : a.value < b.value
}

function isNews(statement: Statement, { said }: Told): boolean {
  const before = said.get(figureOf(statement))
  return before === undefined || before.value !== statement.value || before.unit !== statement.unit
}

/** The accessions on record whose place a new filing takes. */
const replacedBy = (stated: readonly Statement[], { newestOfEnd }: Told): readonly string[] =>
  stated.flatMap(({ end }) => newestOfEnd.get(end) ?? [])

/** The day of what changes others: that of the reading, and never before theirs. */
const notBefore = ({ filed }: Filing, day: number, changed: readonly string[], { filedOf }: Told): number =>
  changed.length === 0 ? filed : Math.max(filed, day, ...changed.map(one => filedOf.get(one) ?? filed))

function raise(newestOfEnd: Map<number, string>, end: number, accession: string): void {
  if ((newestOfEnd.get(end) ?? '') < accession) newestOfEnd.set(end, accession)
}

const figureOf = ({ metric, filing, start, end }: Statement) =>
  `${filing.accession} ${metric} ${start} ${end}`

export const editOf = (accession: string, day: number) => `${accession}@${isoDate(day)}`

/** The accession of the filing that was edited. */
export const withoutEdit = (accession: string) => accession.replace(/@\d{4}-\d\d-\d\d$/, '')

/** What was read of one entity on one day. */
export interface Reading {
  readonly day: number
  readonly statements: readonly Statement[]
}

export interface GatheredPulls<Known extends PulledFiling> {
  /** All that was ever read. */
  readonly all: readonly PulledFiling[]
  /** Of `all` what is not on record as it is. */
  readonly fresh: readonly PulledFiling[]
  /** What of the record they take the place of. */
  readonly outdated: readonly Known[]
}

/** Adds readings to those on record. What a register said of a filing is kept once with every day on which it said so, so
 * that the result is a set: in which order readings came, and how often, makes no difference to it. */
export function gatherPulls<Known extends PulledFiling>(
  known: readonly Known[],
  readings: readonly Reading[],
): GatheredPulls<Known> {
  const days = new Map<string, Set<number>>()
  const read = new Map<string, PulledFiling>()
  for (const { day, statements } of readings) {
    for (const ofFiling of Map.groupBy(statements, ({ filing }) => filing.accession).values()) {
      const pull = { filing: ofFiling[0].filing, statements: inOrder(ofFiling), days: [] }
      const key = keyOf(pull)
      const daysOfKey = days.get(key)
      if (daysOfKey !== undefined) daysOfKey.add(day)
      else {
        days.set(key, new Set([day]))
        read.set(key, pull)
      }
    }
  }
  const all: PulledFiling[] = []
  const fresh: PulledFiling[] = []
  const outdated: Known[] = []
  for (const pull of known) {
    const more = days.get(keyOf(pull))
    read.delete(keyOf(pull))
    const merged = [...new Set([...pull.days, ...(more ?? [])])].sort((a, b) => a - b)
    if (merged.length === pull.days.length) all.push(pull)
    else {
      outdated.push(pull)
      fresh.push({ ...pull, days: merged })
    }
  }
  for (const [key, pull] of read)
    fresh.push({ ...pull, days: [...(days.get(key) ?? [])].sort((a, b) => a - b) })
  return { all: [...all, ...fresh], fresh, outdated }
}

function keyOf({ filing, statements }: PulledFiling): string {
  const { accession, form, filed, acceptedAt } = filing
  return [accession, form, filed, acceptedAt, ...statements.map(spell)].join('\n')
}

/** The same figures in the same order, each once. */
function inOrder(statements: readonly Statement[]): readonly Statement[] {
  const spelled = new Map(statements.map(statement => [spell(statement), statement]))
  return [...spelled].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, statement]) => statement)
}

const spell = ({ metric, tag, unit, start, end, value, rounded }: Statement) =>
  `${metric} ${tag} ${unit} ${start} ${end} ${value} ${rounded}`
