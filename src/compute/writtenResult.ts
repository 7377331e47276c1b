import type { BacktestResult } from '../model/backtestResult.ts'

/** A result as it is sent. The thread that computed it also writes it, so that nobody else does, and only bytes are
 * copied between threads. */
export interface WrittenResult {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Null for a panel. */
  readonly dataVersion: number | null
}

/** The result itself, of one that was written as JSON. */
export function readWritten({ bytes }: WrittenResult): BacktestResult {
  return JSON.parse(new TextDecoder().decode(bytes))
}
