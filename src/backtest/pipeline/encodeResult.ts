import { resultPage } from '../report/tearSheet/page.ts'
import type { ResultFormat } from '../request.ts'
import type { BacktestResult } from '../result.ts'

/** A result as it is sent. The thread that computes it encodes it, so that only bytes are copied between threads. */
export interface EncodedResult {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Null for a panel. */
  readonly dataVersion: number | null
}

export function encodeResult(result: BacktestResult, format: ResultFormat): EncodedResult {
  const bytes = format === 'html' ? new TextEncoder().encode(resultPage(result)) : jsonBytes(result)
  return { bytes, dataVersion: result.data_version ?? null }
}

/** @param encoded as JSON */
export function decodeResult({ bytes }: EncodedResult): BacktestResult {
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** The bytes of `JSON.stringify(record)`, encoded field by field. In one string, a single character beyond Latin-1 (in a
 * cost's source, for example) would double the memory, and the time to encode all numbers. */
export function jsonBytes(record: object): Uint8Array<ArrayBuffer> {
  const texts: string[] = []
  for (const [name, value] of Object.entries(record)) {
    const text = JSON.stringify(value)
    if (text !== undefined) texts.push(`${texts.length === 0 ? '{' : ','}${JSON.stringify(name)}:${text}`)
  }
  texts.push(texts.length === 0 ? '{}' : '}')
  const parts = texts.map(text => Buffer.from(text))
  return new Uint8Array(Buffer.concat(parts))
}
