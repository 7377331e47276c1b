import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Audit } from '../src/features/audits/schema.ts'
import { postOk, type Service, withService } from './service/server.ts'

/**
 * What one score would have earned if its figures had been dated by the end of their period, by that day plus 90 days, and by
 * the day of their filing. The tables of docs/audits.md are its output:
 *
 *     bun bench/lookAheadStory.ts FOLDER
 *
 * FOLDER has one CSV of daily prices per ticker, `AAPL.csv` or `DA-AAPL-T-2021-04-21.csv`, with the columns `timestamp` and
 * `adjusted_close`. The figures are those of the shipped sample. The score, the quarter and the configuration were fixed
 * before the first run.
 */

/**
 * Of the ratios, the one with the most companies: 10-Q reports of the sample give it for a quarter and 10-K reports for a year.
 * Return on equity exists only for full years, and the sample has one per company, so it would leave nobody to rank
 * before the annual reports.
 */
const score = { metric: 'net_margin', fp: 'latest' } as const
/** The quarter in which the annual reports of the sample were filed. Before and after it, the three panels have the same figures. */
const first = '2010-01-04'
const last = '2010-03-31'
const config = { quantile: 0.2 }
const delayDays = 90

const datings = ['period_end', 'period_end_90', 'filing_day'] as const
type Dating = (typeof datings)[number]

/** One company's adjusted closing prices, by day. */
type Prices = ReadonlyMap<string, number>

/** One vintage of a figure. */
interface FiledFigure {
  readonly end: string
  readonly filed: string
  readonly fp: string
  readonly v: number
  readonly until: string | null
}

interface Row {
  readonly date: string
  readonly ticker: string
  readonly forwardReturn: number
}

async function tell(service: Service, folder: string): Promise<void> {
  const key = await service.newKey()
  const prices = readPrices(folder)
  const figures = await readFigures(service, key, [...prices.keys()])
  const rows = rowsOf(prices, new Set(figures.keys()))
  const scores = await scoresOf(service, key, rows, figures)
  const tickers = new Set(rows.map(({ ticker }) => ticker))
  const dates = new Set(rows.map(({ date }) => date))
  process.stdout.write(
    `${prices.size} companies with prices, ${tickers.size} of them with ${score.metric}; ${dates.size} dates from ${first} to ${last}, ${rows.length} rows\n\n`,
  )
  for (const dating of datings) await printBacktest(service, key, dating, rows, scores[dating])
  await printAudit('audit', service, key, rows, scores)
  const recorded = new Set(
    rows.flatMap(({ date, ticker }, i) => (date === first && scores.filing_day[i] !== null ? [ticker] : [])),
  )
  const isRecorded = ({ ticker }: Row) => recorded.has(ticker)
  // Added after the first run: earlier reports of the other companies exist, but not in the sample, so that their absence counts
  // as look-ahead.
  await printAudit(
    `audit of ${recorded.size} companies with a figure on record on the first date`,
    service,
    key,
    rows.filter(isRecorded),
    {
      period_end: scores.period_end.filter((_, i) => isRecorded(rows[i])),
      period_end_90: scores.period_end_90.filter((_, i) => isRecorded(rows[i])),
      filing_day: scores.filing_day.filter((_, i) => isRecorded(rows[i])),
    },
  )
  await printComparison(service, key, rows)
}

function readPrices(folder: string): Map<string, Prices> {
  const found = new Map<string, Prices>()
  for (const file of readdirSync(folder)) {
    const ticker = /^(?:DA-)?([A-Z.]+?)(?:-T-[\d-]+)?\.csv$/.exec(file)?.[1]
    if (ticker === undefined) continue
    const [header, ...lines] = readFileSync(join(folder, file), 'utf8').trimEnd().split('\n')
    const names = header.trimEnd().split(',')
    const [day, close] = [names.indexOf('timestamp'), names.indexOf('adjusted_close')]
    const cells = lines.map(line => line.trimEnd().split(','))
    const days = cells.map(cell => [cell[day], Number(cell[close])] as const)
    days.sort(([a], [b]) => (a < b ? -1 : 1))
    found.set(ticker.replaceAll('.', '-'), new Map(days))
  }
  return found
}

/** Every vintage of the score, by ticker. */
async function readFigures(
  { port }: Service,
  key: string,
  tickers: readonly string[],
): Promise<Map<string, FiledFigure[]>> {
  const found = new Map<string, FiledFigure[]>()
  for (const ticker of tickers) {
    const query = new URLSearchParams({ ticker, metric: score.metric, view: 'history' })
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/fundamentals?${query}`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    // A ticker that the sample does not have.
    if (response.status === 404) continue
    if (!response.ok) throw new Error(`${ticker} was answered ${response.status}: ${await response.text()}`)
    const { data }: { data: FiledFigure[] } = await response.json()
    const figures = data.filter(({ fp }) => fp !== 'TTM')
    if (figures.length > 0) found.set(ticker, figures)
  }
  return found
}

/** Rows of the quarter, with the return from the close of the date to the next close. */
function rowsOf(prices: ReadonlyMap<string, Prices>, covered: ReadonlySet<string>): Row[] {
  const rows: Row[] = []
  for (const [ticker, closes] of prices) {
    if (!covered.has(ticker)) continue
    const days = [...closes]
    for (let i = 0; i + 1 < days.length; i++) {
      const [date, close] = days[i]
      if (date >= first && date <= last)
        rows.push({ date, ticker, forwardReturn: days[i + 1][1] / close - 1 })
    }
  }
  return rows.sort((a, b) => (a.date === b.date ? (a.ticker < b.ticker ? -1 : 1) : a.date < b.date ? -1 : 1))
}

type Scores = Readonly<Record<Dating, readonly (number | null)[]>>

async function scoresOf(
  service: Service,
  key: string,
  rows: readonly Row[],
  figures: ReadonlyMap<string, readonly FiledFigure[]>,
): Promise<Scores> {
  const datedBy = (days: number) =>
    rows.map(({ date, ticker }) => latestBefore(figures.get(ticker) ?? [], addDays(date, -days)))
  const known: { columns: Record<string, (number | null)[]> } = JSON.parse(
    await postOk(service, 'as-of', {
      key,
      body: JSON.stringify({
        rows: { date: rows.map(({ date }) => date), ticker: rows.map(({ ticker }) => ticker) },
        metrics: [score.metric],
        fp: score.fp,
      }),
    }),
  )
  return {
    period_end: datedBy(0),
    period_end_90: datedBy(delayDays),
    filing_day: known.columns[score.metric],
  }
}

/** The figure on record of the latest period that ended before a day. A year is preferred to the quarter with which it ends. */
function latestBefore(figures: readonly FiledFigure[], day: string): number | null {
  let latest: FiledFigure | null = null
  for (const figure of figures) {
    if (figure.until !== null || figure.end >= day) continue
    if (latest === null || figure.end > latest.end || (figure.end === latest.end && figure.fp === 'FY'))
      latest = figure
  }
  return latest?.v ?? null
}

const addDays = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10)

const panelOf = (rows: readonly Row[]) => ({
  date: rows.map(({ date }) => date),
  asset: rows.map(({ ticker }) => ticker),
  market: rows.map(() => 'US'),
  forward_return: rows.map(({ forwardReturn }) => forwardReturn),
})

async function printBacktest(
  service: Service,
  key: string,
  dating: Dating,
  rows: readonly Row[],
  values: readonly (number | null)[],
): Promise<void> {
  const body = JSON.stringify({ config, panel: { ...panelOf(rows), score: values }, include: ['interval'] })
  print(`backtest ${dating}`, JSON.parse(await postOk(service, 'backtest', { key, body })))
}

async function printAudit(
  title: string,
  service: Service,
  key: string,
  rows: readonly Row[],
  scores: Scores,
): Promise<void> {
  const body = JSON.stringify({
    rows: {
      date: rows.map(({ date }) => date),
      ticker: rows.map(({ ticker }) => ticker),
      ...scores,
      forward_return: rows.map(({ forwardReturn }) => forwardReturn),
    },
    columns: Object.fromEntries(datings.map(dating => [dating, score])),
    config,
  })
  const { rows: _, ...report }: Audit = JSON.parse(await postOk(service, 'audits', { key, body }))
  print(title, report)
}

async function printComparison(service: Service, key: string, rows: readonly Row[]): Promise<void> {
  const body = JSON.stringify({
    config,
    panel: panelOf(rows),
    score: { asOf: score.metric, fp: score.fp },
    compare: ['first_filed', 'as_known', 'final'],
  })
  print('compare', JSON.parse(await postOk(service, 'backtest', { key, body })))
}

function print(title: string, value: unknown): void {
  process.stdout.write(`${title}\n${JSON.stringify(value, null, 1)}\n\n`)
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined)
    throw new Error('Name the folder of the prices: bun bench/lookAheadStory.ts FOLDER')
  await withService(service => tell(service, folder))
}
