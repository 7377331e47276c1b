import { expect } from 'bun:test'
import { dayNumber } from '../../../src/dates.ts'
import type { Audit } from '../../../src/features/audits/schema.ts'
import { type Column, type Row, realSplits, type Style } from './judge.ts'
import { kinds, type RealFigures } from './realFigures.ts'
import {
  type Cell,
  columnOf,
  type FaultKind,
  type FilledColumn,
  faultKinds,
  fillColumn,
  kinIn,
  metrics,
  type Random,
  randomOf,
  requestOf,
} from './realPanel.ts'

/* Panels with faults, their audits, and how many faults were found. */

export interface Tally {
  planted: number
  /** Found in the state and with the filing that were planted. */
  asPlanted: number
  /** Another state or filing is right, because the value equals another figure as well; by what is right. */
  readonly byPrecedence: Map<string, number>
}

export interface Outcome {
  readonly faults: Map<FaultKind, Tally>
  honest: number
  /** How many honest cells are in each state. */
  readonly honestStates: Map<string, number>
  readings: number
  /** Cells whose reason is not told because they have fewer than three digits. */
  untold: number
  /** What is wrong, as far as there is room. */
  readonly wrong: string[]
  wrongCount: number
}

export const emptyOutcome = (): Outcome => ({
  faults: new Map(faultKinds.map(kind => [kind, { planted: 0, asPlanted: 0, byPrecedence: new Map() }])),
  honest: 0,
  honestStates: new Map(),
  readings: 0,
  untold: 0,
  wrong: [],
  wrongCount: 0,
})

/**
 * A cell with fewer than three digits of its own may match nothing: it can be too coarse to tell. Of a cell that is no
 * fault of a split, any figure at the ratio of one is right.
 */
const isUntold = ({ judged, value, fault }: Cell, state: string, filing: unknown): boolean =>
  (state === 'no_match' || state === 'not_covered') &&
  ((filing === null && digitsOf(value) < 3) || (judged.reason === 'split' && fault?.kind !== 'split'))

const digitsOf = (value: number): number =>
  Number(value.toPrecision(7)).toExponential().split('e')[0].replace(/[-.]/g, '').length

const columnsOf = (audit: Audit): Readonly<Record<string, readonly unknown[]>> => ({ ...audit.rows })

/** Compares an audit with what each cell has to be. */
export function compareAudit(outcome: Outcome, filled: readonly FilledColumn[], audit: Audit): void {
  const rows = columnsOf(audit)
  const report = (text: string) => {
    outcome.wrongCount++
    if (outcome.wrong.length < 20) outcome.wrong.push(text)
  }
  for (const [index, { column, cells }] of filled.entries()) {
    const { name } = column
    compareReading(outcome, column, audit.columns[index].reading, report)
    for (const [at, cell] of cells.entries()) {
      if (cell === null) continue
      const { row, fault, judged, value } = cell
      const state = String(rows[`${name}_state`][at])
      const filing = rows[`${name}_filing`][at] ?? null
      const days = rows[`${name}_days`][at]
      const isSame =
        state === judged.state &&
        (judged.filings === null ||
          (judged.filings.has(String(filing)) && days === (judged.filed ?? 0) - row.day))
      const isRight = isSame || isUntold(cell, state, filing)
      if (!isRight)
        report(
          `${row.ticker} day ${row.day} ${name} ${column.metric} ${column.period} ${JSON.stringify(column.style)} ${value}: ${state} ${filing} ${days}, but ${judged.state} ${judged.reason} ${[...(judged.filings ?? [])]} is right; fault ${JSON.stringify(fault)}`,
        )
      if (fault === null) {
        outcome.honest++
        outcome.honestStates.set(state, (outcome.honestStates.get(state) ?? 0) + 1)
        continue
      }
      const tally = outcome.faults.get(fault.kind)
      if (tally === undefined) continue
      tally.planted++
      if (!isSame) outcome.untold++
      const { intended } = fault
      const isPlanted =
        judged.state === intended.state &&
        (intended.reason === null || judged.reason === intended.reason) &&
        (intended.state === 'no_match' || judged.filings?.has(fault.filing) === true)
      if (isPlanted) tally.asPlanted++
      else {
        const right = `${judged.state}${judged.reason === null ? '' : ` (${judged.reason})`}${judged.state === intended.state && judged.reason === intended.reason ? ', another filing' : ''}`
        tally.byPrecedence.set(right, (tally.byPrecedence.get(right) ?? 0) + 1)
      }
    }
  }
}

function compareReading(
  outcome: Outcome,
  column: Column,
  { fp, scale, sign, splits }: Audit['columns'][number]['reading'],
  report: (text: string) => void,
): void {
  outcome.readings++
  const right = [column.period, column.scale, column.sign, column.adjusted ? 'adjusted' : 'as_filed'].join(
    ' ',
  )
  const found = [fp, scale, sign, splits].join(' ')
  if (found !== right)
    report(
      `${column.name} ${column.metric} ${JSON.stringify(column.style)} is read as ${found}, but is ${right}`,
    )
}

const styles: readonly Style[] = [
  { kind: 'exact' },
  ...[0, 1, 2, 3, 4, 5, 6].map(places => ({ kind: 'decimals' as const, places })),
  ...[3, 4, 5, 6, 7].map(digits => ({ kind: 'digits' as const, digits })),
  { kind: 'single' },
]

/** Whether a metric has figures of a kind of period. */
const has = (figures: RealFigures, metric: string, period: (typeof kinds)[number]): boolean =>
  figures.companies.some(company => figures.stated(company, metric, period).length > 0)

/** Twenty columns of random metrics, periods, scales and roundings. */
export function randomColumns(figures: RealFigures, random: Random, count: number): Column[] {
  const possible = metrics.flatMap(metric =>
    kinds.filter(period => has(figures, metric, period)).map(period => ({ metric, period })),
  )
  return Array.from({ length: count }, (_, index): Column => {
    const { metric, period } = random.pick(possible)
    const perShare = metric.startsWith('eps')
    const scale = perShare ? 1 : random.pick([1, 1, 1e3, 1e6])
    const style = perShare
      ? random.pick(styles.filter(one => one.kind !== 'decimals' || one.places >= 2))
      : random.pick(styles.filter(one => scale !== 1 || one.kind !== 'decimals' || one.places <= 2))
    // Balances are the same at the end of a year and of its last quarter, so only a whole column can have an opposite sign.
    return columnOf(`c${index}`, metric, period, { scale, style, sign: random.next() < 0.15 ? -1 : 1 })
  })
}

const sum = (counts: Iterable<number>) => [...counts].reduce((a, b) => a + b, 0)

/** How many faults of each kind, and what they were found to be. */
export function printOutcome(
  title: string,
  { faults, honest, honestStates, readings, wrongCount, untold }: Outcome,
): void {
  console.log(`${title}: ${honest} honest cells ${JSON.stringify(Object.fromEntries(honestStates))}`)
  for (const [kind, { planted, asPlanted, byPrecedence }] of faults)
    if (planted > 0)
      console.log(
        `  ${kind}: ${planted} planted, ${asPlanted} found as planted, ${sum(byPrecedence.values())} equal another figure as well: ${JSON.stringify(Object.fromEntries(byPrecedence))}`,
      )
  console.log(
    `  ${readings} readings of columns; ${wrongCount} findings differ from the plain rule; ${untold} faults have too few digits to tell`,
  )
}

export function requireNothingWrong({ wrong, wrongCount }: Outcome): void {
  expect(wrong).toEqual([])
  expect(wrongCount).toBe(0)
}

/** Rows of Apple and Alphabet for every few days before their last split. */
export function splitRows(figures: RealFigures, days: number): Row[] {
  const rows: Row[] = []
  const kinOf = kinIn(figures)
  for (const company of figures.companies) {
    const last = (realSplits[company.issuerId] ?? []).at(-1)
    if (last === undefined) continue
    for (let day = dayNumber('2010-01-01'); day < dayNumber(last.day); day += days)
      rows.push({ day, known: day - 1, ticker: company.ticker, company, others: kinOf(company) })
  }
  return rows
}

/** Rows on random days on which a period was known and its restatement was not. */
export function restatedRows(figures: RealFigures, random: Random, each: number): Row[] {
  const rows: Row[] = []
  const kinOf = kinIn(figures)
  for (const company of figures.companies)
    for (const metric of metrics)
      for (const period of kinds)
        for (const one of figures.stated(company, metric, period)) {
          if (one.filed <= one.firstFiled + 1) continue
          for (let count = 0; count < each; count++) {
            const day = one.firstFiled + 1 + random.below(one.filed - one.firstFiled)
            rows.push({ day, known: day - 1, ticker: company.ticker, company, others: kinOf(company) })
          }
        }
  return rows
}

/** Rows from the day after each earnings release to the day of the report, and the instants between both. */
export function announcedRows(figures: RealFigures, inclusive: boolean): Row[] {
  const rows: Row[] = []
  for (const company of figures.companies) {
    const filed = [...new Set(figures.stated(company, 'assets', 'Q').map(one => one.filed))]
    for (const release of figures.releases(company)) {
      const report = Math.min(...filed.filter(day => day >= release.filed))
      if (report > release.filed + 60) continue
      const from = release.filed + (inclusive ? 0 : 1)
      for (let day = from; day <= report; day++)
        rows.push({
          day,
          known: inclusive ? day : day - 1,
          ticker: company.ticker,
          company,
          others: [],
        })
    }
  }
  return rows
}

const newYork = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' })

/**
 * Rows at the second of acceptance of each report of the companies with releases, the second before, and hours from the
 * release to the report. Only of days with one report, on which nothing but its time matters.
 */
export function timedRows(figures: RealFigures): Row[] {
  const rows: Row[] = []
  for (const company of figures.companies) {
    const releases = figures.releases(company)
    if (releases.length === 0) continue
    const filings = new Map<string, number>()
    for (const metric of metrics)
      for (const period of kinds)
        for (const one of figures.stated(company, metric, period)) filings.set(one.filing, one.filed)
    for (const [filing, filed] of filings) {
      const accepted = figures.acceptedAt(filing)
      if (accepted === null || [...filings.values()].filter(day => day === filed).length > 1) continue
      const release = releases.findLast(one => one.accepted < accepted)
      const hours: number[] = []
      for (let at = release?.accepted ?? accepted; at < accepted - 1_000; at += 3_600_000)
        if (at > accepted - 5 * 86_400_000) hours.push(at)
      for (const instant of [accepted, accepted - 1_000, ...hours]) {
        const day = dayNumber(newYork.format(instant))
        const known = instant >= accepted ? filed : filed - 1
        rows.push({ day, known, instant, ticker: company.ticker, company, others: [] })
      }
    }
  }
  return rows
}

/** Audits panels with random faults until so many of each kind are planted, or so many panels are audited. */
export async function auditFaults(
  figures: RealFigures,
  plan: {
    readonly seed: number
    readonly panels: number
    readonly rows: readonly Row[]
    readonly share: number
    readonly kinds?: readonly FaultKind[]
    readonly columns?: number
    readonly settings?: object
    readonly columnsFor?: typeof randomColumns
    /** Whether rows show figures from their announcement on. */
    readonly announces?: boolean
  },
  outcome: Outcome = emptyOutcome(),
): Promise<Outcome> {
  const { seed, panels, rows, share, kinds: wanted = faultKinds, columns: count = 20 } = plan
  const { settings, columnsFor = randomColumns, announces = false } = plan
  const random = randomOf(seed)
  const faults = { kinds: wanted, share, announces }
  for (let panel = 0; panel < panels; panel++) {
    const filled = columnsFor(figures, random, count)
      .map(column => fillColumn(figures, random, rows, column, faults))
      .filter(({ cells }) => new Set(cells.map(cell => cell?.value)).size > 20)
    compareAudit(outcome, filled, await figures.audit(requestOf(rows, filled, settings)))
  }
  return outcome
}

/** Columns of figures per share, divided by the splits after their filing. */
export const adjustedColumns = (_: RealFigures, random: Random, count: number): Column[] =>
  Array.from({ length: count }, (__, index) =>
    columnOf(`c${index}`, random.pick(['eps', 'eps_diluted']), random.pick(['FY', 'Q']), {
      adjusted: true,
      style: random.pick([
        { kind: 'exact' },
        ...[3, 4, 5].map(places => ({ kind: 'decimals' as const, places })),
        { kind: 'digits', digits: 6 },
        { kind: 'single' },
      ]),
    }),
  )

/** Columns of figures per share as filed. */
export const perShareColumns = (_: RealFigures, random: Random, count: number): Column[] =>
  Array.from({ length: count }, (__, index) =>
    columnOf(`c${index}`, random.pick(['eps', 'eps_diluted']), random.pick(['FY', 'Q'])),
  )
