import { Failure } from '../../errors.ts'
import { type Horizon, horizons } from '../../horizons.ts'
import { numberCell, textCell } from './panelColumns.ts'

/** The columns of forecasts, as `signals import` reads them and the API returns them. */
export const signalColumns = ['date', 'ticker', 'market', 'horizon', 'predicted_pct', 'actual_pct'] as const
/** Optional columns that a backtest does not use. */
const unusedColumns = ['status', 'source']

export type SignalCells = readonly [
  date: unknown,
  ticker: unknown,
  market: unknown,
  horizon: unknown,
  predicted: unknown,
  actual: unknown,
]

/** True for the columns of forecasts, false for those of a panel. */
export const areSignals = (columns: readonly string[]) => columns.includes('predicted_pct')

/** Fails unless these are the columns of forecasts. */
export function checkSignalColumns(columns: readonly string[]): void {
  const known: readonly string[] = [...signalColumns, ...unusedColumns]
  const faults = [
    ...signalColumns.filter(column => !columns.includes(column)).map(column => `${column} is missing`),
    ...columns
      .filter(column => !known.includes(column))
      .map(column => `${JSON.stringify(column)} is unknown`),
    ...columns.filter((column, i) => columns.indexOf(column) !== i).map(column => `${column} appears twice`),
  ]
  if (faults.length === 0) return
  throw new Failure(
    'body_invalid',
    `These are columns of forecasts, but ${faults.slice(0, 5).join(', ')}. Allowed: ${signalColumns.join(',')}[,status][,source].`,
  )
}

/** The name in a file of forecasts for each column of a panel. */
const signalColumnOf: Readonly<Record<string, string>> = {
  asset: 'ticker',
  score: 'predicted_pct',
  forward_return: 'actual_pct',
}

/** The limit for one horizon. Forecasts are held as texts, which take far more memory than the columns of a
 * panel. */
export const maxSignalRows = 2_000_000

/** Rows of a panel by column, as in JSON. An invalid cell remains a text, so that the schema reports it. */
export interface PanelColumns {
  readonly date: readonly (string | null)[]
  readonly asset: readonly (string | null)[]
  readonly market: readonly (string | null)[]
  readonly score: readonly (string | number | null)[]
  readonly forward_return: readonly (string | number | null)[]
}

export interface SignalPanel {
  readonly columns: PanelColumns
  readonly horizon: Horizon
  /** The number of forecasts on the last dates, for which no outcome is known yet. */
  readonly openRows: number
  /** The `next` cursor of an API response that is not the last page, else null. */
  readonly next: string | null
  /** Names a cell of the panel by its position in the file. */
  readonly placeOf: (column: string, row: number) => string
}

/** Collects the forecasts of one horizon as rows of a panel: the forecast is the score, and the outcome the
 * forward return. */
export class SignalRows {
  readonly #wanted: Horizon | undefined
  readonly #found = new Set<string>()
  readonly #date: (string | null)[] = []
  readonly #ticker: (string | null)[] = []
  readonly #market: (string | null)[] = []
  readonly #predicted: (string | number | null)[] = []
  readonly #actual: (string | number | null)[] = []
  readonly #positions: number[] = []

  /** @param wanted undefined: the only horizon of the file */
  constructor(wanted: Horizon | undefined) {
    this.#wanted = wanted
  }

  /** @param position the line or row in the file, counted from 1 */
  add([date, ticker, market, horizon, predicted, actual]: SignalCells, position: number): void {
    const name = String(horizon)
    this.#found.add(name)
    // A file with several horizons is rejected at its end with a list of them, so its rows need not be
    // stored.
    if (this.#wanted === undefined ? this.#found.size > 1 : name !== this.#wanted) return
    if (this.#positions.length === maxSignalRows)
      throw new Failure(
        'body_invalid',
        `The horizon ${name} has more than ${maxSignalRows.toLocaleString('en')} rows. Split the file by date.`,
      )
    this.#date.push(textCell(date))
    this.#ticker.push(textCell(ticker))
    this.#market.push(textCell(market))
    this.#predicted.push(numberCell(predicted))
    this.#actual.push(numberCell(actual))
    this.#positions.push(position)
  }

  /** @param word what positions count */
  finish(word: 'line' | 'row', next: string | null = null): SignalPanel {
    const horizon = this.#horizon()
    const isOpen = this.#openRows()
    const closed = <T>(column: readonly T[]) =>
      isOpen === null ? column : column.filter((_, row) => !isOpen(row))
    const positions = closed(this.#positions)
    return {
      horizon,
      next,
      openRows: this.#positions.length - positions.length,
      columns: {
        date: closed(this.#date),
        asset: closed(assetNames(this.#ticker, this.#market)),
        market: closed(this.#market),
        score: closed(this.#predicted),
        forward_return: closed(this.#actual),
      },
      placeOf: (column, row) => `${word} ${positions[row]}.${signalColumnOf[column] ?? column}`,
    }
  }

  #horizon(): Horizon {
    const found = [...this.#found].sort()
    const shown = found.slice(0, 10).join(', ')
    const wanted = this.#wanted ?? horizons.find(horizon => horizon === found[0])
    if (found.length === 0)
      throw new Failure('body_invalid', 'There are no rows after the names of the columns.')
    if (this.#wanted === undefined && found.length > 1)
      throw new Failure(
        'parameter_invalid',
        `It contains forecasts of several horizons: ${shown}. Choose one, for example --horizon ${found[0]}.`,
      )
    if (wanted === undefined)
      throw new Failure('body_invalid', `The horizon ${shown} is unknown. Known: ${horizons.join(', ')}.`)
    if (!this.#found.has(wanted))
      throw new Failure(
        'parameter_invalid',
        `--horizon is ${wanted}, but it contains forecasts of ${shown} only.`,
      )
    return wanted
  }

  /** Selects the rows after the last outcome; null if there are none. An earlier forecast with a missing
   * outcome is kept: what happened to a name later must not decide whether it could be bought. */
  #openRows(): ((row: number) => boolean) | null {
    let last = ''
    for (const [row, date] of this.#date.entries())
      if (this.#actual[row] !== null && date !== null && date > last) last = date
    if (last === '') throw new Failure('body_invalid', 'No row has an outcome (actual_pct) yet.')
    const isOpen = (row: number) => this.#actual[row] === null && (this.#date[row] ?? '') > last
    return this.#date.some((_, row) => isOpen(row)) ? isOpen : null
  }
}

/** A ticker that several markets share becomes TICKER:MARKET, as in a server's archive. */
function assetNames(
  tickers: readonly (string | null)[],
  markets: readonly (string | null)[],
): (string | null)[] {
  const marketOf = new Map<string | null, string | null>()
  const shared = new Set<string | null>()
  for (const [row, ticker] of tickers.entries()) {
    const market = marketOf.get(ticker)
    if (market === undefined) marketOf.set(ticker, markets[row])
    else if (market !== markets[row]) shared.add(ticker)
  }
  return shared.size === 0
    ? [...tickers]
    : tickers.map((ticker, row) => (shared.has(ticker) ? `${ticker}:${markets[row]}` : ticker))
}
