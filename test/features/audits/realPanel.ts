import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { importSuccessors } from '../../../src/ingest/symbols/importSuccessors.ts'
import { importSymbols } from '../../../src/ingest/symbols/importSymbols.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { type Column, divisor, isReleased, type Judged, judge, type Row, written } from './judge.ts'
import { type Kind, kinds, knownOn, type RealCompany, type RealFigures, type Stated } from './realFigures.ts'

/* Panels of real figures, and faults in them. */

export const metrics = [
  'revenue',
  'net_income',
  'assets',
  'equity',
  'eps',
  'eps_diluted',
  'operating_income',
  'operating_cash_flow',
  'cash',
] as const

/** Random numbers that depend on the seed alone. */
export function randomOf(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    below: (count: number) => Math.floor(next() * count),
    pick: <T>(some: readonly T[]): T => some[Math.floor(next() * some.length)],
  }
}
export type Random = ReturnType<typeof randomOf>

const alphabet = '0001652044'
const google = '0001288776'
const apple = '0000320193'
const namesakes = 60
const handover = '2010-09-01'

/** Companies that have one symbol after each other, by the symbol. */
const sharedSymbols = (companies: readonly RealCompany[]) =>
  Array.from({ length: namesakes }, (_, index) => ({
    symbol: `ZQ${String(index).padStart(2, '0')}`,
    before: companies[(7 * index + 5) % companies.length],
    after: companies[(11 * index + 9) % companies.length],
  })).filter(({ before, after }) => before !== after)

/** Predecessors and successors: Google and Alphabet by their own 8-K12B, the others invented. */
const successions = (companies: readonly RealCompany[]) => [
  { predecessor: google, successor: alphabet, from: '2015-10-02' },
  ...Array.from({ length: 30 }, (_, index) => ({
    predecessor: companies[3 * index + 100].issuerId,
    successor: companies[3 * index + 101].issuerId,
    from: '2010-06-01',
  })),
]

const otherIssuers = (companies: readonly RealCompany[]) =>
  companies.filter(({ issuerId }) => ![google, alphabet, apple].includes(issuerId))

/** Lets companies share symbols and succeed one another. */
export async function relateCompanies(sql: Sql): Promise<void> {
  const companies = otherIssuers(
    await sql<RealCompany[]>`
      select entity_id as entity, ticker, issuer_id as "issuerId" from entity e
      where exists (select 1 from fact f where f.entity_id = e.entity_id) order by entity_id`,
  )
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-planted-'))
  const write = (name: string, lines: readonly string[]) => {
    const path = join(folder, name)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return { paths: [path], today: '2026-11-20', replaces: true }
  }
  try {
    const spells = sharedSymbols(companies).flatMap(({ symbol, before, after }) => [
      `${symbol},CIK${before.issuerId},2000-01-01,${isoDate(dayNumber(handover) - 1)}`,
      `${symbol},CIK${after.issuerId},${handover},`,
    ])
    await importSymbols(sql, write('symbols.csv', ['symbol,id,from,to', ...spells]), () => {})
    const seams = successions(companies).map(
      ({ predecessor, successor, from }) => `CIK${predecessor},CIK${successor},${from}`,
    )
    await importSuccessors(sql, write('successors.csv', ['predecessor,successor,from', ...seams]), () => {})
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The predecessors and successors of companies. */
export function kinIn({ companies }: RealFigures): (company: RealCompany) => RealCompany[] {
  const kin = new Map<string, string[]>()
  for (const { predecessor, successor } of successions(otherIssuers(companies))) {
    kin.set(predecessor, [...(kin.get(predecessor) ?? []), successor])
    kin.set(successor, [...(kin.get(successor) ?? []), predecessor])
  }
  const byIssuer = new Map(companies.map(company => [company.issuerId, company]))
  return ({ issuerId }) => {
    const found = new Set<string>([issuerId])
    for (const id of found) for (const other of kin.get(id) ?? []) found.add(other)
    return [...found].slice(1).flatMap(id => byIssuer.get(id) ?? [])
  }
}

/** Monthly rows of all companies, from 2009 to 2011 or, where a company's whole history is on record, to 2026. */
export function monthlyRows(figures: RealFigures, inclusive: boolean, everyMonths = 1): Row[] {
  const { companies } = figures
  const kinOf = kinIn(figures)
  const lag = inclusive ? 0 : 1
  const rows: Row[] = []
  for (const company of companies) {
    const filed = figures.stated(company, 'assets', 'Q').map(one => one.filed)
    const last = Math.max(dayNumber('2011-06-30'), ...filed)
    for (const day of monthEnds(dayNumber('2009-07-01'), last, everyMonths))
      rows.push({ day, known: day - lag, ticker: company.ticker, company, others: kinOf(company) })
    // The days around its filings, on which everything is decided.
    for (const day of new Set(filed.flatMap(one => [one - 1, one, one + 1])))
      rows.push({ day, known: day - lag, ticker: company.ticker, company, others: kinOf(company) })
  }
  for (const { symbol, before, after } of sharedSymbols(otherIssuers(companies))) {
    for (const day of monthEnds(dayNumber('2009-07-01'), dayNumber('2011-06-30'), everyMonths)) {
      const company = day < dayNumber(handover) ? before : after
      const others = [before, after, ...kinOf(before), ...kinOf(after)]
      rows.push({ day, known: day - lag, ticker: symbol, company, others })
    }
  }
  return rows
}

function monthEnds(from: number, to: number, every: number): number[] {
  const days: number[] = []
  const start = new Date(from * 86_400_000)
  for (let month = 1; ; month += every) {
    const day = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + month, 0) / 86_400_000
    if (day > to) return days
    days.push(day)
  }
}

/** The figure that a column shows honestly. */
export function honestFigure(figures: RealFigures, row: Row, column: Column): number | null {
  if (row.company === null) return null
  const known = knownOn(figures.stated(row.company, column.metric, column.period), row.known)
  if (known === null) return null
  return column.adjusted ? known.value / divisor(row.company, known.filed) : known.value
}

/** The figure of a period that its company had announced, but not filed. */
function announcedFigure(figures: RealFigures, row: Row, { metric, period }: Column): number | null {
  const { company, known } = row
  if (company === null) return null
  const announced = figures
    .stated(company, metric, period)
    .filter(one => one.filed > known && isReleased(figures, company, one, row))
  return announced.reduce<Stated | null>((a, b) => (a === null || b.end > a.end ? b : a), null)?.value ?? null
}

export const faultKinds = [
  'shifted',
  'final',
  'stale',
  'other company',
  'unrelated company',
  'period',
  'scale',
  'sign',
  'split',
] as const
export type FaultKind = (typeof faultKinds)[number]

export interface Fault {
  readonly kind: FaultKind
  readonly value: number
  /** The filing whose figure it is. */
  readonly filing: string
  readonly intended: { readonly state: string; readonly reason: string | null }
}

/** A fault for a cell; null if the company's figures allow none of this kind. */
export function plantFault(
  figures: RealFigures,
  random: Random,
  row: Row,
  column: Column,
  kind: FaultKind,
): Fault | null {
  const { company, known } = row
  if (company === null) return null
  const { metric, period } = column
  const own = figures.stated(company, metric, period)
  const current = knownOn(own, known)
  const fault = (one: Stated, figure: number, state: string, reason: string | null = null): Fault => ({
    kind,
    value: written(column, figure),
    filing: one.filing,
    intended: { state, reason },
  })
  const shown = (one: Stated) => (column.adjusted ? one.value / divisor(company, one.filed) : one.value)
  const some = <T>(all: readonly T[]): T | null => (all.length === 0 ? null : random.pick(all))
  switch (kind) {
    case 'shifted': {
      const one = some(
        own.filter(
          ({ filed, firstFiled, value }) =>
            filed === firstFiled && filed > row.day && filed <= row.day + 400 && value !== 0,
        ),
      )
      return one === null ? null : fault(one, shown(one), 'early')
    }
    case 'final': {
      const periods = own.filter(
        one =>
          one.firstFiled <= known &&
          one.filed > known &&
          one.until === Number.POSITIVE_INFINITY &&
          one.value !== 0,
      )
      const ofCurrent = periods.filter(one => current !== null && one.end === current.end)
      const one = some(ofCurrent.length > 0 && random.next() < 0.7 ? ofCurrent : periods)
      return one === null ? null : fault(one, shown(one), 'restated')
    }
    case 'stale': {
      const one = some(
        own.filter(({ filed, value }) => filed <= known && value !== 0 && value !== current?.value),
      )
      return one === null ? null : fault(one, shown(one), 'stale')
    }
    case 'other company': {
      const other = some(row.others.filter(one => one !== company))
      const one = other === null ? null : some(figures.stated(other, metric, period))
      return one === null || one.value === 0 ? null : fault(one, one.value, 'other_company')
    }
    case 'unrelated company': {
      const other = random.pick(figures.companies)
      if (other === company || row.others.includes(other)) return null
      const one = some(figures.stated(other, metric, period))
      return one === null || one.value === 0 || current === null ? null : fault(one, one.value, 'no_match')
    }
    case 'period': {
      const others = kinds.filter(one => one !== period)
      const one = knownOn(figures.stated(company, metric, random.pick(others)), known)
      return one === null || one.value === 0 || current === null
        ? null
        : fault(one, one.value, 'no_match', 'period')
    }
    case 'scale':
      if (current === null || current.value === 0) return null
      return fault(current, current.value / random.pick([1e3, 1e6]), 'no_match', 'scale')
    case 'sign':
      if (current === null || current.value === 0) return null
      return fault(current, -current.value, 'no_match', 'sign')
    case 'split': {
      if (current === null || !metric.startsWith('eps')) return null
      const by = divisor(company, current.filed)
      return by === 1 || by === 28 ? null : fault(current, current.value / by, 'no_match', 'split')
    }
    default:
      return kind satisfies never
  }
}

export interface Cell {
  readonly row: Row
  readonly value: number
  readonly fault: Fault | null
  readonly judged: Judged
}

export interface FilledColumn {
  readonly column: Column
  /** One for each row; null: the row has no figure. */
  readonly cells: readonly (Cell | null)[]
}

/** Fills a column with what was known and, by chance, faults. */
export function fillColumn(
  figures: RealFigures,
  random: Random,
  rows: readonly Row[],
  column: Column,
  faults: {
    readonly kinds: readonly FaultKind[]
    readonly share: number
    readonly announces?: boolean
  },
): FilledColumn {
  const cells = rows.map((row): Cell | null => {
    const fault =
      random.next() < faults.share
        ? plantFault(figures, random, row, column, random.pick(faults.kinds))
        : null
    const announced = faults.announces === true ? announcedFigure(figures, row, column) : null
    const figure = announced ?? honestFigure(figures, row, column)
    const value = fault?.value ?? (figure === null ? null : written(column, figure))
    if (value === null) return null
    return { row, value, fault, judged: judge(figures, row, column, value) }
  })
  return { column, cells }
}

/** The body of a request whose columns say only which metric they are. */
export const requestOf = (
  rows: readonly Row[],
  columns: readonly FilledColumn[],
  settings: object = {},
): object => ({
  rows: {
    ...(rows[0]?.instant === undefined
      ? { date: rows.map(({ day }) => isoDate(day)) }
      : { time: rows.map(({ instant }) => new Date(instant ?? 0).toISOString()) }),
    ticker: rows.map(({ ticker }) => ticker),
    ...Object.fromEntries(
      columns.map(({ column, cells }) => [column.name, cells.map(cell => cell?.value ?? null)]),
    ),
  },
  columns: Object.fromEntries(columns.map(({ column: { name, metric } }) => [name, metric])),
  with: ['filing', 'filed', 'end'],
  ...settings,
})

export const columnOf = (name: string, metric: string, period: Kind, more: Partial<Column> = {}): Column => ({
  name,
  metric,
  period,
  scale: 1,
  sign: 1,
  style: { kind: 'exact' },
  adjusted: false,
  ...more,
})
