import { gunzipSync } from 'node:zlib'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { importPrices } from '../../../src/features/prices/import/importPrices.ts'
import type { PriceImportOptions } from '../../../src/features/prices/import/priceImport.ts'
import { loadMarkets } from '../../../src/markets/markets.ts'
import type { Sql } from '../../../src/postgres/client.ts'

/** The splits of Apple on their ex-days, from its annual reports for 2014 and 2020 (0001193125-14-383437, 0000320193-20-000096). */
export const appleSplits: Readonly<Record<string, number>> = { '2014-06-09': 7, '2020-08-31': 4 }

export interface PriceLine {
  readonly symbol: string
  readonly date: string
  readonly close: number
  readonly split: number
}

/** A close for every weekday, with the given splits. The prices are made up; only their days and splits matter. */
export function generatePrices(
  symbol: string,
  first: string,
  last: string,
  splits: Readonly<Record<string, number>> = {},
  start = 100,
): PriceLine[] {
  const lines: PriceLine[] = []
  let price = start
  for (let day = dayNumber(first); day <= dayNumber(last); day++) {
    const weekday = new Date(day * 86_400_000).getUTCDay()
    if (weekday === 0 || weekday === 6) continue
    const date = isoDate(day)
    const split = splits[date] ?? 1
    price = (price * (1 + Math.sin(day * 12.9898) / 60)) / split
    lines.push({ symbol, date, close: Number(price.toFixed(4)), split })
  }
  return lines
}

const markets = await loadMarkets()

export async function importLines(
  sql: Sql,
  lines: readonly PriceLine[],
  options: Partial<PriceImportOptions> = {},
  isShown = true,
) {
  const text = [
    'date,symbol,close,split_factor',
    ...lines.map(({ date, symbol, close, split }) => `${date},${symbol},${close},${split}`),
  ].join('\n')
  const report = await importPrices(
    sql,
    { name: 'prices.csv', body: new TextEncoder().encode(text) },
    {
      name: 'made-up',
      currency: 'USD',
      basis: 'raw',
      known: 'date',
      adjustedOn: null,
      markets,
      now: () => new Date('2026-11-27T23:00:00Z'),
      ...options,
    },
  )
  if (isShown)
    await sql`
      update price_set set access = 'licence', licences = array['personal', 'evaluation', 'commercial']
      where name = ${options.name ?? 'made-up'}`
  return report
}

/** A row of the shipped sample as it stands in the file. */
export interface SampleRow {
  readonly metric: string
  readonly start: string
  readonly end: string
  readonly filed: string
  readonly value: number
  readonly tag: string
}

/** The rows of a company in the shipped sample, from the file alone. */
export async function sampleRows(ticker: string): Promise<SampleRow[]> {
  const file = Bun.file(new URL('../../../sample/fundamentals.csv.gz', import.meta.url))
  const text = gunzipSync(await file.bytes()).toString()
  return text.split('\n').flatMap(line => {
    const [m, , , end, filed, v, , id, , start, tag] = line.split(',')
    return id === ticker ? [{ metric: m, start, end, filed, value: Number(v), tag }] : []
  })
}

/** The figure that was filed last for each period, up to and including a day. */
function knownOn(rows: readonly SampleRow[], metric: RegExp, day: string): SampleRow[] {
  const known = new Map<string, SampleRow>()
  for (const row of rows) {
    if (!metric.test(row.metric) || row.filed > day) continue
    const before = known.get(`${row.start} ${row.end}`)
    if (before === undefined || before.filed <= row.filed) known.set(`${row.start} ${row.end}`, row)
  }
  return [...known.values()]
}

const daysBetween = (a: string, b: string) => dayNumber(b) - dayNumber(a)
const isYear = ({ start, end }: SampleRow) => Math.abs(daysBetween(start, end) - 364) < 9

/** Net income of the trailing twelve months as a plain loop; null if a part is missing, undefined if it is not clear. */
export function trailingIncome(rows: readonly SampleRow[], day: string): number | null {
  const known = knownOn(rows, /^net_income(_ytd)?$/, day).filter(row => row.start !== '')
  const last = known.reduce((end, row) => (row.end > end ? row.end : end), '')
  const years = known.filter(isYear)
  const year = years.find(row => row.end === last)
  if (year !== undefined) return year.value
  for (const full of years) {
    // The year to date follows the full year, and the same months of that year are subtracted.
    const part = known.find(row => row.end === last && Math.abs(daysBetween(full.end, row.start) - 1) < 4)
    if (part === undefined) continue
    const before = known.find(
      row =>
        row.start === full.start &&
        Math.abs(daysBetween(row.start, row.end) - daysBetween(part.start, last)) < 9,
    )
    if (before !== undefined) return full.value + part.value - before.value
  }
  return null
}

export function latestEquity(rows: readonly SampleRow[], day: string): number | null {
  const known = knownOn(rows, /^equity$/, day)
  const last = known.reduce((end, row) => (row.end > end ? row.end : end), '')
  return known.find(row => row.end === last)?.value ?? null
}

/** The close of the day times the count of the last cover, brought through the splits since. */
export function capitalisationOn(
  rows: readonly SampleRow[],
  prices: readonly PriceLine[],
  day: string,
): number | null {
  let price: PriceLine | null = null
  for (const line of prices) if (line.date <= day && daysBetween(line.date, day) <= 10) price = line
  const covers = knownOn(rows, /^shares_outstanding$/, day).filter(row => row.tag.startsWith('dei:'))
  const last = covers.reduce((end, row) => (row.end > end ? row.end : end), '')
  const cover = covers.find(row => row.end === last)
  if (price === null || cover === undefined) return null
  let count = cover.value
  for (const { date, split } of prices) {
    if (split === 1 || date <= cover.end || date > price.date) continue
    if (date <= cover.filed) return null
    count *= split
  }
  return price.close * count
}
