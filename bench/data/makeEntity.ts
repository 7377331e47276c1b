import { dayNumber } from '../../src/dates.ts'
import type { Filing, ParsedDocument, ReportedFact } from '../../src/facts/reportedFact.ts'
import { makeName } from './makeName.ts'
import type { MarketSize } from './marketSizes.ts'

/** The metrics of a filing, with the share of entities that state each. */
const metrics: readonly (readonly [metric: string, kind: 'flow' | 'instant', share: number])[] = [
  ['revenue', 'flow', 0.6],
  ['gross_profit', 'flow', 0.5],
  ['operating_income', 'flow', 0.9],
  ['net_income', 'flow', 1],
  ['assets', 'instant', 1],
  ['current_assets', 'instant', 0.9],
  ['cash', 'instant', 0.9],
  ['liabilities', 'instant', 0.9],
  ['equity', 'instant', 1],
]

/** Built once: a string concatenated for each figure would be hashed for each. */
const tags = new Map(metrics.map(([metric]) => [metric, `bench:${metric}`]))

const lastYear = 2025
const reportDays = { annual: [80, 300], quarterly: [30, 55] } as const

/** Generates entity `number` of a market with its filings. The same arguments give the same entity. */
export function makeEntity(size: MarketSize, number: number, seed: number): ParsedDocument {
  const { market } = size
  const random = randomOf(`${seed} ${market} ${number}`)
  const issuerId = issuerIdOf(market, number)
  const [minYears, maxYears] = size.years
  const years = minYears + Math.floor(random() * (maxYears - minYears + 1))
  const stated = metrics.filter(([, , share]) => random() < share)
  const scale = 10 ** (4 + 5 * random())
  const maker = new StatementMaker(size, issuerId, stated, scale, random)
  for (let year = lastYear - years + 1; year <= lastYear; year++) maker.addYear(year)
  return {
    profile: {
      market,
      issuerId,
      name: makeName(market, size.legalForms, random),
      tickers: [tickerOf(market, number, issuerId)],
      fiscalYearEnd: size.yearEnd,
      registers: true,
    },
    reportedFacts: maker.statements,
    filings: [],
  }
}

class StatementMaker {
  readonly statements: ReportedFact[] = []
  readonly #values = new Map<string, number>()
  readonly #size: MarketSize
  readonly #issuerId: string
  readonly #stated: typeof metrics
  readonly #scale: number
  readonly #random: () => number

  constructor(
    size: MarketSize,
    issuerId: string,
    stated: typeof metrics,
    scale: number,
    random: () => number,
  ) {
    this.#size = size
    this.#issuerId = issuerId
    this.#stated = stated
    this.#scale = scale
    this.#random = random
  }

  addYear(year: number): void {
    if (this.#size.isQuarterly) for (const quarter of [1, 2, 3]) this.#addQuarter(year, quarter)
    const { start, end } = this.#yearOf(year)
    const filing = this.#file(`${year}`, 'annual', end)
    const restates = this.#random() < this.#size.restated
    for (const [metric, kind] of this.#stated) {
      const before = this.#values.get(`${metric} ${year - 1}`)
      if (before !== undefined) {
        const last = this.#yearOf(year - 1)
        this.#state(metric, kind, last.start, last.end, restates ? before + 1 : before, filing)
      }
      const value = this.#value()
      this.#values.set(`${metric} ${year}`, value)
      this.#state(metric, kind, start, end, value, filing)
    }
  }

  /** States the quarter alone, and from the second quarter on also the year to date. */
  #addQuarter(year: number, quarter: number): void {
    const { start } = this.#yearOf(year)
    const end = monthsAfter(start, 3 * quarter) - 1
    const filing = this.#file(`${year}Q${quarter}`, 'quarterly', end)
    for (const [metric, kind] of this.#stated) {
      const value = this.#value() / 4
      this.#state(metric, kind, monthsAfter(start, 3 * (quarter - 1)), end, Math.round(value), filing)
      if (kind === 'flow' && quarter > 1)
        this.#state(metric, kind, start, end, Math.round(value * quarter), filing)
    }
  }

  #state(
    metric: string,
    kind: 'flow' | 'instant',
    start: number,
    end: number,
    value: number,
    filing: Filing,
  ): void {
    const { unit } = this.#size
    const tag = tags.get(metric) ?? metric
    this.statements.push({
      ...{ metric, tag, unit, end, value, filing, rounded: false },
      start: kind === 'flow' ? start : null,
    })
  }

  #file(name: string, form: keyof typeof reportDays, end: number): Filing {
    const [minDays, maxDays] = reportDays[form]
    const filed = end + minDays + Math.floor(this.#random() * (maxDays - minDays))
    return {
      accession: `bench:${this.#size.market}:${this.#issuerId}:${name}`,
      form,
      filed,
      acceptedAt: null,
    }
  }

  #value(): number {
    return Math.round(this.#scale * (0.5 + this.#random()))
  }

  #yearOf(year: number): { start: number; end: number } {
    const { yearEnd } = this.#size
    const end = dayNumber(`${year}-${yearEnd.slice(0, 2)}-${yearEnd.slice(2)}`)
    return { start: monthsAfter(end + 1, -12), end }
  }
}

/** The same day of the month. All fiscal years here start on a first day, which every month has. */
function monthsAfter(day: number, months: number): number {
  const date = new Date(day * 86_400_000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, date.getUTCDate()) / 86_400_000
}

/** Numbers in the format of the register, but from ranges that it does not assign: most start with 99. */
function issuerIdOf(market: string, number: number): string {
  switch (market) {
    case 'US':
      return `99${String(number).padStart(8, '0')}`
    case 'JP':
      return `E${String(90_000 + number)}`
    case 'KR':
      return `99${String(number).padStart(6, '0')}`
    case 'TW':
      return String(900_000 + number).slice(-6)
    case 'NZ':
      return `CC${900_000 + number}`
    case 'BE':
      return `09${String(90_000_000 + number).padStart(8, '0')}`
    case 'DK':
      return String(99_000_000 + number)
    default:
      return String(990_000_000 + number)
  }
}

function tickerOf(market: string, number: number, issuerId: string): string {
  switch (market) {
    case 'US':
      return `ZZ${number.toString(36).toUpperCase()}`
    case 'KR':
      return `${String(900_000 + number)}.KS`
    default:
      return `${issuerId}.${market}`
  }
}

/** Random numbers in [0, 1) that depend on a text alone (mulberry32), so that each entity can be generated independently. */
export function randomOf(text: string): () => number {
  let state = Number(Bun.hash.xxHash32(text))
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
