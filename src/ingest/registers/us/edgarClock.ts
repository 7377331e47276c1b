import type { ReadingsByFiling, SettledTimes, SettleTimes } from '../../../facts/clockReadings.ts'
import type { ClockReading } from '../../../facts/reportedFact.ts'
import { zoneOf } from '../../../zones.ts'

const secondMs = 1_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const clockTime = (hour: number, minute: number) => hour * hourMs + minute * minuteMs

/** EDGAR accepts filings from 06:00 to 22:00 in New York, and finishes the last ones a few minutes later. */
const opens = clockTime(6, 0)
const closes = clockTime(22, 5)
/** A time between closing and this one may be a late acceptance, so it rules out neither clock. */
const surelyClosed = clockTime(22, 30)
/** The filing day of filings that are accepted after this time is the next business day. */
const cutOff = clockTime(17, 30)
/** Reports that were sent before the cut-off but accepted only by this time may still keep the day itself. */
const surelyCutOff = clockTime(17, 45)
/** Enough for a long weekend followed by another day off. */
const maxDaysToBusinessDay = 5

/** Two sources agree on an acceptance time if they differ by at most this much. */
const toleranceMs = minuteMs

type Clock = 'local' | 'utc'

const newYork = zoneOf('America/New_York')

/** What New York's clock shows at an instant, as the instant at which UTC shows the same digits. */
export const inNewYork = (at: number): number => at + newYork.offsetAt(at)

/**
 * The instant at which New York's clock shows these digits. In the hour that occurs twice in November it is the second
 * of the two; in the hour that is skipped in March it is an hour later.
 */
export const fromNewYork = (shown: number): number => newYork.instantsOf(shown).at(-1) ?? shown + 5 * hourMs

const instantOf = (shown: number, clock: Clock): number => (clock === 'utc' ? shown : fromNewYork(shown))
const timeOfDay = (shown: number): number => shown - Math.floor(shown / dayMs) * dayMs

/** Whether EDGAR is open at an instant. */
export function isOpen(at: number): boolean {
  const time = timeOfDay(inNewYork(at))
  return time >= opens && time <= closes
}

/**
 * Midnight in New York is a placeholder for an unknown time. On UTC's clock it shows as 05:00 in winter and 04:00 in
 * summer.
 */
export const isPlaceholder = (shown: number): boolean =>
  [0, 4 * hourMs, 5 * hourMs].includes(timeOfDay(shown))

/** The digits of a timestamp, without its zone; NaN for other texts. */
export function shownDigits(text: string): number {
  const digits = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/.exec(text)?.[0]
  return digits === undefined ? Number.NaN : Date.parse(`${digits.replace(' ', 'T')}Z`)
}

/** A filing in a list of submissions. */
export interface ListedTime {
  readonly accession: string
  readonly form: string
  /** The filing day. */
  readonly filed: number
  readonly shown: number
}

interface Evidence {
  /** Only this clock puts the time within EDGAR's hours or, for its own notices, just after midnight. */
  readonly certain: Clock | null
  /** Only this clock explains the filing day, and there is no known exception. */
  readonly firm: Clock | null
  /** The filing day contradicts New York's clock, unless the filing is an exception. */
  readonly isLateForDay: boolean
}

const noEvidence: Evidence = { certain: null, firm: null, isLateForDay: false }

/** Accessions of documents that EDGAR itself files, at any hour. */
const isOfEdgar = (accession: string): boolean => /^(0000000000|99999999\d\d)-/.test(accession)
/** Notices of effectiveness, which EDGAR dates a quarter of an hour after midnight of the next day. */
const isNotice = (form: string): boolean => /^(EFFECT|QUALIF)$/.test(form)
/** Forms to which the cut-off of 17:30 applies. Others, such as 3, 4 and 5, keep the day itself until 22:00. */
const hasCutOff = (form: string): boolean => /^(10-K|10-Q|10-KT|10-QT|20-F|40-F|6-K|8-K)(\/A)?$/.test(form)

function evidenceOf({ accession, form, filed, shown }: ListedTime): Evidence {
  if (isPlaceholder(shown)) return noEvidence
  const local = timeOfDay(shown)
  const utc = timeOfDay(inNewYork(shown))
  if (isOfEdgar(accession)) {
    if (!isNotice(form) || local < hourMs === utc < hourMs) return noEvidence
    return { ...noEvidence, certain: local < hourMs ? 'local' : 'utc' }
  }
  const mayBeOpen = (time: number) => time >= opens && time < surelyClosed
  if (mayBeOpen(local) !== mayBeOpen(utc))
    return { ...noEvidence, certain: mayBeOpen(local) ? 'local' : 'utc' }
  if (!mayBeOpen(local) || !hasCutOff(form)) return noEvidence
  const isDayOf = (digits: number) => {
    const days = filed - Math.floor(digits / dayMs)
    const time = timeOfDay(digits)
    return (days === 0 && time < surelyCutOff) || (days > 0 && days <= maxDaysToBusinessDay && time >= cutOff)
  }
  const [localFits, utcFits] = [isDayOf(shown), isDayOf(inNewYork(shown))]
  if (localFits === utcFits) return noEvidence
  return localFits ? { ...noEvidence, firm: 'local' } : { ...noEvidence, isLateForDay: true }
}

/** The number of reports whose filing days must contradict New York's clock if nothing else reveals the list's clock. */
const enoughLateReports = 2

/**
 * Decides for each row of a list of submissions whether its acceptance time is New York's or UTC, as far as the list
 * alone reveals it. Most lists use one clock throughout, but some change it over the years. So a row without evidence of
 * its own gets the clock of its neighbours in time if both have the same one. At either end of the list one neighbour is
 * enough, unless the filing day contradicts it.
 */
export function clocksOf(rows: readonly ListedTime[]): ClockReading['clock'][] {
  const evidence = rows.map(evidenceOf)
  const inOrder = rows.map((_, row) => row).sort((a, b) => rows[a].shown - rows[b].shown)
  const certain = neighbours(
    inOrder,
    evidence.map(one => one.certain),
  )
  const anchors = evidence.map(({ certain: own, firm }, row) => {
    const { before, after } = certain[row]
    return own ?? (before !== null && before === after ? before : firm)
  })
  const isWithoutAnchor = anchors.every(anchor => anchor === null)
  const lateReports = evidence.filter(({ isLateForDay }) => isLateForDay).length
  if (isWithoutAnchor && lateReports >= enoughLateReports) return rows.map(() => 'utc')
  const near = neighbours(inOrder, anchors)
  return rows.map((_, row) => {
    const own = anchors[row]
    if (own !== null) return own
    const { before, after } = near[row]
    const { isLateForDay } = evidence[row]
    if (before !== null && after !== null) return before === after ? before : 'open'
    const only = before ?? after
    return isLateForDay && only !== 'utc' ? 'doubtful' : (only ?? 'open')
  })
}

interface Neighbours {
  readonly before: Clock | null
  readonly after: Clock | null
}

/** The nearest known clocks around each row, the row itself included. */
function neighbours(inOrder: readonly number[], clocks: readonly (Clock | null)[]): Neighbours[] {
  const found: { before: Clock | null; after: Clock | null }[] = clocks.map(() => ({
    before: null,
    after: null,
  }))
  let last: Clock | null = null
  for (const row of inOrder) {
    last = clocks[row] ?? last
    found[row].before = last
  }
  last = null
  for (const row of inOrder.toReversed()) {
    last = clocks[row] ?? last
    found[row].after = last
  }
  return found
}

/** The `lister` of the data sets, whose clock is New York's. */
export const dataSetLister = ''

/**
 * Settles the instants at which EDGAR accepted filings. A time in a list is on the clock that a data set confirms, or
 * else on the one that the list reveals, or else on the one that its neighbours in the list are on. All sources of one
 * filing must agree, and the latest time is used. Data sets are rounded to the minute, so a minute is added if they are
 * the only source. The instant is null if the clock remains unknown or EDGAR was closed.
 */
export const settleEdgarTimes: SettleTimes = (readings: ReadingsByFiling): SettledTimes => {
  const inSets = new Map<string, readonly number[]>()
  const lists = new Map<string, ListedReading[]>()
  for (const [accession, ofFiling] of readings) {
    const sets = ofFiling.filter(isOfDataSet).map(({ shown }) => fromNewYork(shown))
    inSets.set(accession, sets)
    for (const { lister, shown, clock } of ofFiling) {
      if (lister === dataSetLister || isPlaceholder(shown)) continue
      const confirmed = confirmedClock(shown, sets)
      const row = { accession, shown, clock: confirmed ?? clock }
      const list = lists.get(lister)
      if (list === undefined) lists.set(lister, [row])
      else list.push(row)
    }
  }
  const inLists = new Map<string, number[]>()
  for (const list of lists.values()) {
    for (const { accession, at } of settleList(list)) {
      const known = inLists.get(accession)
      if (known === undefined) inLists.set(accession, [at])
      else known.push(at)
    }
  }
  return new Map(
    [...readings.keys()].map(accession => [
      accession,
      latestAgreed(inSets.get(accession) ?? [], inLists.get(accession) ?? []),
    ]),
  )
}

const isOfDataSet = ({ lister, shown }: ClockReading): boolean =>
  lister === dataSetLister && !isPlaceholder(shown)

interface ListedReading {
  readonly accession: string
  readonly shown: number
  readonly clock: ClockReading['clock']
}

/** The clock on which a list's time agrees with a data set's; null if it agrees on neither. */
function confirmedClock(shown: number, sets: readonly number[]): Clock | null {
  const agrees = (clock: Clock) => sets.some(at => Math.abs(at - instantOf(shown, clock)) <= toleranceMs)
  return agrees('local') ? 'local' : agrees('utc') ? 'utc' : null
}

function settleList(list: readonly ListedReading[]): { accession: string; at: number }[] {
  const known = (clock: ClockReading['clock']) => (clock === 'local' || clock === 'utc' ? clock : null)
  const inOrder = list.map((_, row) => row).sort((a, b) => list[a].shown - list[b].shown)
  // Rows with the same digits have no defined order, so they must not serve as each other's neighbours. They share
  // their evidence instead.
  const byDigits = Map.groupBy(list, ({ shown }) => shown)
  const own = list.map(({ shown, clock }) => {
    const clocks = new Set((byDigits.get(shown) ?? []).flatMap(one => known(one.clock) ?? []))
    return clocks.size > 1 ? null : (known(clock) ?? [...clocks].at(0) ?? null)
  })
  const near = neighbours(inOrder, own)
  return list.flatMap(({ accession, shown, clock }, row) => {
    const { before, after } = near[row]
    const between = before === after ? before : null
    const atEnd = before === null || after === null ? (before ?? after) : null
    const settled = own[row] ?? between ?? (clock === 'doubtful' ? null : atEnd)
    return settled === null ? [] : [{ accession, at: instantOf(shown, settled) }]
  })
}

/** The latest of the instants that the sources state; null if the sources contradict one another. */
function latestAgreed(sets: readonly number[], lists: readonly number[]): number | null {
  const all = [...sets, ...lists]
  if (all.length === 0) return null
  const latest = Math.max(...all)
  if (latest - Math.min(...all) > toleranceMs) return null
  const isRounded = lists.length === 0 && latest % minuteMs < secondMs
  const at = isRounded ? latest + minuteMs : latest
  return isOpen(at) ? at : null
}
