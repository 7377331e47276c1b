import { dayNumber, endOfMonth, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { type BacktestFactors, maxFactors } from '../requestFactors.ts'
import type { BacktestPricesUsed } from '../resultPrices.ts'
import { type FactorTable, readFactorFile } from './factorFile.ts'

/** Factor returns as fractions, ready to be aligned with the periods of a record. */
export interface FactorSeries {
  readonly frequency: 'daily' | 'monthly'
  /** Days since 1970-01-01, ascending; of a month, its last day. */
  readonly days: Int32Array
  readonly names: readonly string[]
  /** One array per factor; NaN: unknown. */
  readonly returns: readonly Float64Array[]
  /** Null: not sent. */
  readonly rf: Float64Array | null
  /** Trading days from the day of a row to the close at which its return begins; 0 for monthly factors. */
  readonly entryLag: number
  /** Whether prices give the returns of the rows: each begins at the close of its entry and spans `returnDays` trading days. */
  readonly isPriced: boolean
  readonly lags: number | null
  readonly window: number | null
}

/**
 * The factors of a request; undefined: none.
 *
 * @param prices those that give the returns of the rows, whose entry is that of the factors, too; null: none
 */
export function resolveFactors(
  sent: BacktestFactors | undefined,
  prices: Pick<BacktestPricesUsed, 'entry_lag'> | null = null,
): FactorSeries | undefined {
  if (sent === undefined) return undefined
  const table = tableOf(sent)
  if (table.columns.length === 0)
    throw refuse('factors has no factor besides RF. Send at least one column of returns.', 'factors')
  if (table.columns.length > maxFactors)
    throw refuse(`factors has ${table.columns.length} factors; the limit is ${maxFactors}.`, 'factors')
  const unit = sent.unit ?? table.unit
  if (sent.unit === undefined && unit === 'fraction') refusePercent(table)
  const frequency = sent.frequency ?? frequencyOf(table.dates)
  const entryLag = entryLagOf(sent, prices)
  if (entryLag > 0 && frequency === 'monthly')
    throw refuse(
      `${prices === null ? 'factors.entryLag' : 'prices.entry_lag'} is ${entryLag}, but returns that begin ${entryLag} days after their date match no monthly factors. Send daily factors.`,
      prices === null ? 'factors.entryLag' : 'factors',
    )
  const days = daysOf(table.dates, frequency)
  const asFractions = (values: readonly (number | null)[]) =>
    Float64Array.from(values, value =>
      value === null ? Number.NaN : unit === 'percent' ? value / 100 : value,
    )
  return {
    frequency,
    days,
    names: table.columns.map(({ name }) => name),
    returns: table.columns.map(({ values }) => asFractions(values)),
    rf: table.rf === null ? null : asFractions(table.rf),
    entryLag,
    isPriced: prices !== null,
    lags: sent.lags ?? null,
    window: sent.window ?? null,
  }
}

/** The prices already say where the returns begin. */
function entryLagOf(
  { entryLag }: BacktestFactors,
  prices: Pick<BacktestPricesUsed, 'entry_lag'> | null,
): number {
  if (prices === null) return entryLag ?? 0
  if (entryLag === undefined || entryLag === prices.entry_lag) return prices.entry_lag
  throw refuse(
    `factors.entryLag is ${entryLag}, but the prices give returns that begin ${prices.entry_lag} trading days after the date (prices.entry_lag), and the factors begin with them. Omit factors.entryLag.`,
    'factors.entryLag',
  )
}

function tableOf({ file, date, returns, rf }: BacktestFactors): FactorTable {
  if (file !== undefined) {
    if (date !== undefined || returns !== undefined || rf !== undefined)
      throw refuse('factors has both file and columns. Send file, or date and returns.', 'factors.file')
    return readFactorFile(file, 'factors.file')
  }
  if (date === undefined || returns === undefined)
    throw refuse('factors needs file, or both date and returns.', 'factors')
  const columns = Object.entries(returns).map(([name, values]) => ({ name, values }))
  for (const { name, values } of [...columns, ...(rf === undefined ? [] : [{ name: 'rf', values: rf }])]) {
    if (values.length !== date.length)
      throw refuse(
        `factors.date has ${date.length} elements and ${name} ${values.length}. Send one return for each date, or null.`,
        'factors.returns',
      )
  }
  const wrong = date.findIndex(text => !isIsoDate(text.length === 7 ? `${text}-01` : text))
  if (wrong >= 0)
    throw refuse(`factors.date[${wrong}] is ${date[wrong]}, which does not exist.`, 'factors.date')
  return { dates: date, columns, rf: rf ?? null, unit: 'fraction' }
}

const refuse = (message: string, param: string) => new Failure('parameter_invalid', message, { param })

/** Half of a factor's returns beyond this are no fractions of a day or a month. */
const largestMedian = 0.15

function refusePercent({ columns }: FactorTable): void {
  for (const { name, values } of columns) {
    const sizes = Float64Array.from(
      values.filter(value => value !== null),
      Math.abs,
    ).sort()
    const median = sizes[sizes.length >> 1] ?? 0
    if (median <= largestMedian) continue
    throw refuse(
      `Half of the returns of the factor ${name} are beyond ${median.toFixed(2)} either way, as if percent had been sent as fractions. Send factors.unit: percent, or fraction if they are.`,
      'factors.unit',
    )
  }
}

function frequencyOf(dates: readonly string[]): 'daily' | 'monthly' {
  const months = dates.map(date => date.slice(0, 7))
  if (dates.some(date => date.length === 7)) return 'monthly'
  if (dates.length < 2 || new Set(months).size < dates.length) return 'daily'
  const gaps = dates.slice(1).map((date, i) => dayNumber(date) - dayNumber(dates[i]))
  const median = gaps.sort((a, b) => a - b)[gaps.length >> 1]
  return median >= 25 && median <= 31 ? 'monthly' : 'daily'
}

function daysOf(dates: readonly string[], frequency: 'daily' | 'monthly'): Int32Array {
  const shortAt = frequency === 'daily' ? dates.findIndex(date => date.length === 7) : -1
  if (shortAt >= 0)
    throw refuse(
      `The factors are daily, but date ${shortAt + 1} is the month ${dates[shortAt]}.`,
      'factors.date',
    )
  const days = Int32Array.from(dates, date =>
    frequency === 'daily' ? dayNumber(date) : endOfMonth(Number(date.slice(0, 4)), Number(date.slice(5, 7))),
  )
  for (let i = 1; i < days.length; i++) {
    if (days[i] > days[i - 1]) continue
    const what = frequency === 'daily' ? 'day' : 'month'
    throw refuse(
      `The factors of ${dates[i]} follow those of ${dates[i - 1]}. Send one row for each ${what}, in ascending order.`,
      'factors.date',
    )
  }
  return days
}
