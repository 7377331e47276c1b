import { dayNumber } from '../../src/dates.ts'
import type { Filing, ParsedDocument, ReportedFact } from '../../src/facts/reportedFact.ts'
import { registerOf } from '../../src/ingest/allRegisters.ts'
import { makeName } from './makeName.ts'
import type { MarketSize } from './marketSizes.ts'

/** The metrics of a filing, with the share of entities that state each. */
const metrics = [
  ['revenue', 'flow', 0.6],
  ['gross_profit', 'flow', 0.5],
  ['operating_income', 'flow', 0.9],
  ['net_income', 'flow', 1],
  ['assets', 'instant', 1],
  ['current_assets', 'instant', 0.9],
  ['cash', 'instant', 0.9],
  ['liabilities', 'instant', 0.9],
  ['equity', 'instant', 1],
] as const

type Metric = (typeof metrics)[number][0]
type Amounts = Readonly<Record<Metric, number>>

/** A metric that an entity states, under the tag that its register prefers. */
interface Stated {
  readonly metric: Metric
  readonly kind: 'flow' | 'instant'
  readonly tag: string
}

const lastYear = 2025
const reportDays = { annual: [80, 300], quarterly: [30, 55] } as const

/** Generates entity `number` of a market with its filings. The same arguments give the same entity. */
export function makeEntity(size: MarketSize, number: number, seed: number): ParsedDocument {
  const { market } = size
  const random = randomOf(`${seed} ${market} ${number}`)
  const issuerId = issuerIdOf(market, number)
  const [minYears, maxYears] = size.years
  const years = minYears + Math.floor(random() * (maxYears - minYears + 1))
  const { concepts } = registerOf(market)
  const stated = metrics.flatMap(([metric, kind, share]): Stated[] => {
    const tag = concepts[metric]?.tagGroups[0][0]
    return random() < share && tag !== undefined ? [{ metric, kind, tag }] : []
  })
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
  #lastYear: Amounts | null = null
  readonly #size: MarketSize
  readonly #issuerId: string
  readonly #stated: readonly Stated[]
  readonly #scale: number
  readonly #random: () => number

  constructor(
    size: MarketSize,
    issuerId: string,
    stated: readonly Stated[],
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
    let toDate: Amounts | null = null
    if (this.#size.isQuarterly)
      for (const quarter of [1, 2, 3]) toDate = this.#addQuarter(year, quarter, toDate)
    const { start, end } = this.#yearOf(year)
    const filing = this.#file(`${year}`, 'annual', end)
    const restates = this.#random() < this.#size.restated
    const amounts = this.#size.isQuarterly ? added(toDate, this.#amounts(1 / 4)) : this.#amounts(1)
    const before = this.#lastYear
    const last = this.#yearOf(year - 1)
    for (const one of this.#stated) {
      if (before !== null) {
        const value = before[one.metric]
        this.#state(one, last.start, last.end, restates ? value + 1 : value, filing)
      }
      this.#state(one, start, end, amounts[one.metric], filing)
    }
    this.#lastYear = amounts
  }

  /** States the quarter alone, and from the second quarter on also the year to date, which is the sum of its quarters. */
  #addQuarter(year: number, quarter: number, before: Amounts | null): Amounts {
    const { start } = this.#yearOf(year)
    const end = monthsAfter(start, 3 * quarter) - 1
    const filing = this.#file(`${year}Q${quarter}`, 'quarterly', end)
    const amounts = this.#amounts(1 / 4)
    const toDate = added(before, amounts)
    for (const one of this.#stated) {
      this.#state(one, monthsAfter(start, 3 * (quarter - 1)), end, amounts[one.metric], filing)
      if (one.kind === 'flow' && quarter > 1) this.#state(one, start, end, toDate[one.metric], filing)
    }
    return toDate
  }

  #state({ metric, kind, tag }: Stated, start: number, end: number, value: number, filing: Filing): void {
    const { unit } = this.#size
    this.statements.push({
      metric,
      tag,
      unit,
      end,
      value,
      filing,
      rounded: false,
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

  /** Makes the figures of a period. No part exceeds its whole, and the balance sheet adds up.
   *
   * @param share the fraction of a year's flows that is earned in the period */
  #amounts(share: number): Amounts {
    const random = this.#random
    const part = (whole: number, least: number, most: number) =>
      Math.round(whole * (least + (most - least) * random()))
    const revenue = part(this.#scale * share, 0.5, 1.5)
    const gross = part(revenue, 0.2, 0.9)
    const operating = part(gross, -0.1, 0.6)
    const assets = part(this.#scale, 0.5, 1.5)
    const current = part(assets, 0.2, 0.9)
    const liabilities = part(assets, 0.1, 0.9)
    return {
      revenue,
      gross_profit: gross,
      operating_income: operating,
      net_income: operating - part(Math.abs(operating), 0, 0.5),
      assets,
      current_assets: current,
      cash: part(current, 0.05, 0.9),
      liabilities,
      equity: assets - liabilities,
    }
  }

  #yearOf(year: number): { start: number; end: number } {
    const { yearEnd } = this.#size
    const end = dayNumber(`${year}-${yearEnd.slice(0, 2)}-${yearEnd.slice(2)}`)
    return { start: monthsAfter(end + 1, -12), end }
  }
}

/** The flows of two periods together, with the balances of the second. */
function added(before: Amounts | null, period: Amounts): Amounts {
  if (before === null) return period
  return {
    ...period,
    revenue: before.revenue + period.revenue,
    gross_profit: before.gross_profit + period.gross_profit,
    operating_income: before.operating_income + period.operating_income,
    net_income: before.net_income + period.net_income,
  }
}

/** The same day of another month. It always exists, because all fiscal years here start on the first day of a month. */
function monthsAfter(day: number, months: number): number {
  const date = new Date(day * 86_400_000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, date.getUTCDate()) / 86_400_000
}

/** Returns a number in the register's format, from a range that the register does not assign (most start with 99). */
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
