import { isEvidence } from '../report/reportSections.ts'
import { resultPage } from '../report/tearSheet/page.ts'
import { type OpenSpan, publicPage } from '../report/tearSheet/publicPage.ts'
import type { BacktestInclude, ResultFormat } from '../request.ts'
import type { BacktestResult } from '../result.ts'

/** A result as it is sent. The thread that computes it also encodes it, so that only bytes pass between
 * threads. */
export interface EncodedResult {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Null for a panel. */
  readonly dataVersion: number | null
}

/** @param pageOnly sections that only the page shows; a stored result contains them after the response */
export function encodeResult(
  result: BacktestResult,
  format: ResultFormat,
  pageOnly: readonly BacktestInclude[] = [],
): EncodedResult {
  return { bytes: encode(result, format, pageOnly), dataVersion: result.data_version ?? null }
}

function encode(result: BacktestResult, format: ResultFormat, pageOnly: readonly BacktestInclude[]) {
  switch (format) {
    case 'json':
      return jsonBytes(result)
    case 'html':
      return new TextEncoder().encode(resultPage(result))
    case 'stored':
      return storedBytes(result, pageOnly)
    default:
      return format satisfies never
  }
}

/** Two lines of JSON, neither of which contains a line break: the response to the request, as if it had not
 * been stored, and the sections that only its page shows. */
function storedBytes(result: BacktestResult, pageOnly: readonly BacktestInclude[]): Uint8Array<ArrayBuffer> {
  const hidden = new Set<string>(pageOnly.map(section => (isEvidence(section) ? 'evidence' : section)))
  const fields = Object.entries(result)
  const answer = Object.fromEntries(fields.filter(([name]) => !hidden.has(name)))
  const rest = Object.fromEntries(fields.filter(([name]) => hidden.has(name)))
  return new Uint8Array(Buffer.concat([jsonBytes(answer), Buffer.from('\n'), jsonBytes(rest)]))
}

/** The response in a stored result, as JSON. */
export const storedAnswer = (stored: string): string => stored.split('\n', 1)[0]

/** The page of a stored result. Results of earlier versions have a single line. */
export function storedPage(stored: string): EncodedResult {
  return encodeResult(wholeResult(stored), 'html')
}

/** The page of a stored result for people who are not its owner. */
export function storedPublicPage(stored: string, open: OpenSpan): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(publicPage(wholeResult(stored), open))
}

function wholeResult(stored: string): BacktestResult {
  const [answer, rest = '{}'] = stored.split('\n')
  return { ...JSON.parse(answer), ...JSON.parse(rest) }
}

/** @param encoded must be JSON */
export function decodeResult({ bytes }: EncodedResult): BacktestResult {
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** The bytes of `JSON.stringify(record)`, encoded field by field. In a single string, one character beyond
 * Latin-1 (in a cost's source, for example) would double the memory, and the time to encode all numbers. */
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
