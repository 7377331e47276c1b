import type { SignalDay } from '../../../src/backtest/pipeline/archiveDataset.ts'

/** A resolved signal, one by one. `day` counts from 1970-01-01. */
export interface ResolvedSignal {
  readonly day: number
  readonly ticker: string
  readonly market: string
  readonly predicted: number
  readonly actual: number
}

/** Signals as the database packs them. */
export function packDays(signals: readonly ResolvedSignal[]): SignalDay[] {
  const ofDay = new Map<number, ResolvedSignal[]>()
  for (const signal of signals) {
    const others = ofDay.get(signal.day)
    if (others) others.push(signal)
    else ofDay.set(signal.day, [signal])
  }
  return [...ofDay]
    .sort(([a], [b]) => a - b)
    .map(([day, rows]) => {
      const sorted = rows.toSorted((a, b) => order(a.ticker, b.ticker) || order(a.market, b.market))
      return {
        day,
        names: sorted.map(({ ticker, market }) => `${ticker} ${market}`).join('\n'),
        predicted: bigEndian(sorted.map(row => row.predicted)),
        actual: bigEndian(sorted.map(row => row.actual)),
      }
    })
}

/** Unpacks days, one number at a time, with the runtime's own functions. */
export function readDays(days: readonly SignalDay[]): ResolvedSignal[] {
  return days.flatMap(({ day, names, predicted, actual }) => {
    const lines = names.split('\n')
    if (predicted.length !== 8 * lines.length || actual.length !== 8 * lines.length)
      throw new Error(`day ${day} has ${lines.length} names and ${predicted.length / 8} forecasts`)
    return lines.map((line, i) => {
      const [ticker, market] = line.split(' ')
      return {
        day,
        ticker,
        market,
        predicted: Buffer.from(predicted).readDoubleBE(8 * i),
        actual: Buffer.from(actual).readDoubleBE(8 * i),
      }
    })
  })
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function bigEndian(numbers: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(8 * numbers.length)
  for (const [i, value] of numbers.entries()) bytes.writeDoubleBE(value, 8 * i)
  return bytes
}
