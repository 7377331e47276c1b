import { addMonths, dayNumber, nearestMonthEnd } from '../../src/dates.ts'
import type { Filing, ParsedDocument } from '../../src/facts/reportedFact.ts'
import { columnarFiling, FigureColumns } from '../../src/wholeFilings/figureColumns.ts'
import { quartersOf } from '../../src/wholeFilings/layOut.ts'
import type { StatedFiling } from '../../src/wholeFilings/statedFiling.ts'
import type { FigureContext, WholeFiling } from '../../src/wholeFilings/wholeFiling.ts'
import { type FilingShape, statementsIn } from './filingShape.ts'
import { randomOf } from './makeEntity.ts'
import { makeName } from './makeName.ts'

/** The register does not assign numbers that begin like this, and `makeEntity` uses others. */
export const reportingIssuers = '98'
const market = 'US'
const [minFilings, maxFilings] = [36, 66]
/** The last quarter on which all companies report, counted from year 0. */
const lastQuarter = 2025 * 4 + 2
const daysToFile = { '10-Q': [25, 45], '10-K': [50, 85] } as const

export interface ReportingCompany {
  readonly issuerId: string
  readonly ticker: string
  readonly shape: FilingShape
  readonly filings: number
  /** The figures of all its filings. */
  readonly figures: number
  readonly seed: string
}

/**
 * Company `number` of those that report in full, before its filings are made: they resemble one real filing. Large
 * ones are chosen more often, because filings of 2009 were still short: the mean is 382 figures, as in 2010q1.
 */
export function planReportingCompany(
  shapes: readonly FilingShape[],
  number: number,
  seed: number,
): ReportingCompany {
  const random = randomOf(`${seed} reporting ${number}`)
  const shape = pickShape(shapes, random())
  const filings = minFilings + Math.floor(random() * (maxFilings - minFilings + 1))
  const quarters = Array.from({ length: filings }, (_, at) => quarterOfYear(lastQuarter - at))
  const figures = quarters.reduce((sum, quarter) => sum + figuresOf(shape, quarter).length, 0)
  const issuerId = `${reportingIssuers}${String(number).padStart(8, '0')}`
  return {
    issuerId,
    ticker: `YY${number.toString(36).toUpperCase()}`,
    shape,
    filings,
    figures,
    seed: `${seed} ${issuerId}`,
  }
}

const totals = new WeakMap<readonly FilingShape[], number>()

function pickShape(shapes: readonly FilingShape[], chance: number): FilingShape {
  const total = totals.get(shapes) ?? shapes.reduce((sum, shape) => sum + weightOf(shape), 0)
  totals.set(shapes, total)
  let left = chance * total
  for (const shape of shapes) {
    left -= weightOf(shape)
    if (left < 0) return shape
  }
  return shapes[shapes.length - 1]
}

const weightOf = ({ figures }: FilingShape) => figures.length ** 2
const quarterOfYear = (quarter: number) => (quarter % 4) + 1
const figuresOf = (shape: FilingShape, quarter: number) =>
  quarter === 1 ? shape.figuresOfFirstQuarter : shape.figures

/** What a document of the register would state about the company, with all its filings in full, the earliest first. */
export function makeReportingCompany(company: ReportingCompany): {
  readonly parsed: ParsedDocument
  readonly wholeFilings: readonly StatedFiling[]
} {
  const { issuerId, ticker, shape, seed } = company
  const random = randomOf(`${seed} filings`)
  const code = Math.floor(random() * 36 ** 3)
    .toString(36)
    .padStart(3, '0')
  const ownWords = (text: string) => (shape.isOwn(text) ? `${text} ${code}` : text)
  const words = (text: string) =>
    /^[\w-]+:\S+$/.test(text) ? ownWords(text).replace(' ', '') : ownWords(text)
  const maker = new FilingMaker(company, words, random)
  const quarters = Array.from({ length: company.filings }, (_, at) => lastQuarter - company.filings + 1 + at)
  const made = quarters.map(quarter => maker.make(quarter))
  return {
    parsed: {
      profile: {
        market,
        issuerId,
        name: makeName(market, [], random),
        tickers: [ticker],
        fiscalYearEnd: '1231',
        registers: true,
      },
      reportedFacts: [],
      filings: made.map(({ filing }) => filing),
    },
    wholeFilings: made.map(({ whole, periodEnd }) => ({
      market,
      issuerId,
      whole,
      source: 'dataSet',
      periodEnd,
    })),
  }
}

class FilingMaker {
  readonly #company: ReportingCompany
  readonly #random: () => number
  readonly #concepts: readonly string[]
  /** Contexts, statements, sums and taxonomies in the company's words. */
  readonly #dimensions: readonly FigureContext['dimensions'][]
  readonly #common: Omit<WholeFiling, 'accession' | 'figures'>
  readonly #scale: number
  readonly #hash: number

  constructor(company: ReportingCompany, words: (text: string) => string, random: () => number) {
    const { shape, seed } = company
    const { statements, sums, taxonomies, defaultMembers } = shape.filing
    this.#company = company
    this.#random = random
    this.#concepts = shape.slots.map(({ concept }) => words(concept))
    this.#dimensions = shape.contexts.map(({ dimensions }) =>
      dimensions.map(({ axis, member }) => ({ axis: words(axis), member: words(member) })),
    )
    this.#common = {
      taxonomies,
      defaultMembers: new Map([...defaultMembers].map(([axis, member]) => [words(axis), words(member)])),
      statements: statementsIn(statements, words),
      sums: sums.map(({ role, total, items }) => ({
        role,
        total: words(total),
        items: items.map(({ concept, weight }) => ({ concept: words(concept), weight })),
      })),
    }
    this.#scale = 0.3 * 10 ** random()
    this.#hash = Number(Bun.hash.xxHash32(seed)) | 0
  }

  make(quarter: number): {
    readonly filing: Filing
    readonly whole: WholeFiling
    readonly periodEnd: number
  } {
    const { issuerId, shape } = this.#company
    const ofYear = quarterOfYear(quarter)
    const year = Math.floor(quarter / 4)
    const monthEnd = addMonths(dayNumber(`${year}-12-31`), 3 * ofYear - 12)
    const contexts = this.#contexts(monthEnd, ofYear)
    const columns = new FigureColumns()
    for (const { slot, context, decimals, isNil } of figuresOf(shape, ofYear)) {
      const value = isNil ? null : this.#value(slot, contexts[context])
      columns.add(this.#concepts[slot], contexts[context], shape.slots[slot].unit, decimals, value)
    }
    const form = ofYear === 4 ? '10-K' : '10-Q'
    const [minDays, maxDays] = daysToFile[form]
    const filed = monthEnd + minDays + Math.floor(this.#random() * (maxDays - minDays))
    const accession = `${issuerId}-${String(year % 100).padStart(2, '0')}-${String(ofYear).padStart(6, '0')}`
    const acceptedAt = filed * 86_400_000 + 21 * 3_600_000
    return {
      filing: { accession, form, filed, acceptedAt },
      whole: columnarFiling(columns, { accession, ...this.#common }),
      periodEnd: monthEnd,
    }
  }

  /** Those of the real filing, moved to the period and with its year to date. */
  #contexts(monthEnd: number, ofYear: number): readonly FigureContext[] {
    const { shape } = this.#company
    const months = Math.round((monthEnd - nearestMonthEnd(shape.end)) / (365.25 / 12))
    // Periods of whole weeks stay such.
    const days = Math.round((monthEnd - shape.end) / 7) * 7
    return shape.contexts.map((context, at): FigureContext => {
      const dimensions = this.#dimensions[at]
      const length = quartersOf(context)
      const quarters = length === shape.quartersToDate && length > 1 ? ofYear : length
      if (context.start === null)
        return {
          start: null,
          end: addMonths(context.end, months),
          quarters: context.quarters === null ? null : quarters,
          dimensions,
        }
      const end = context.end + days
      const start = quarters === length ? context.start + days : end + 1 - quarters * 91
      return { start, end, quarters: null, dimensions }
    })
  }

  /** The same in each filing that states the period. */
  #value(slot: number, { end, start, quarters }: FigureContext): string {
    const { digits, exponent, isNegative } = this.#company.shape.slots[slot]
    if (digits === null || digits === 0) return '0'
    let mixed = Math.imul(this.#hash ^ Math.imul(slot + 1, 0x9e3779b1), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13) ^ (end * 16 + (quarters ?? end - (start ?? end))), 0xc2b2ae35)
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x27d4eb2d)
    const drift = 0.8 + (0.4 * ((mixed ^ (mixed >>> 15)) >>> 0)) / 4_294_967_296
    const made = Math.max(1, Math.round(digits * this.#scale * drift))
    const sign = isNegative ? '-' : ''
    if (exponent >= 0) return `${sign}${made}${zeros[exponent] ?? '0'.repeat(exponent)}`
    const padded = String(made).padStart(1 - exponent, '0')
    return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`
  }
}

const zeros = Array.from({ length: 16 }, (_, count) => '0'.repeat(count))
