/** The formats of a file of rows. */
export const panelFormats = ['csv', 'ndjson', 'json', 'parquet', 'arrow'] as const
export type PanelFormat = (typeof panelFormats)[number]

/** The first value of NDJSON is a row or the settings of a backtest, both far shorter than this. */
const maxFirstValueBytes = 65_536

/** Detects the format of rows from their bytes, so that the file can have any name or come from a pipe. */
export function recogniseFormat(bytes: Uint8Array): PanelFormat {
  if (Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'PAR1') return 'parquet'
  if (beginsAsArrow(bytes)) return 'arrow'
  const start = skipSpace(bytes, hasByteOrderMark(bytes) ? 3 : 0)
  if (bytes[start] === openBracket) return 'json'
  if (bytes[start] !== openBrace) return 'csv'
  const end = endOfValue(bytes, start)
  if (end === null) return 'json'
  if (skipSpace(bytes, end) < bytes.length) return 'ndjson'
  return isOneRow(bytes.subarray(start, end)) ? 'ndjson' : 'json'
}

/** A stream begins with the marker of its first message. The name of the file format is recognised too, so that the reader
 * of streams can say how to write one. */
const beginsAsArrow = (bytes: Uint8Array) =>
  (bytes.length >= 4 && bytes.subarray(0, 4).every(byte => byte === 0xff)) ||
  Buffer.from(bytes.subarray(0, 6)).toString('latin1') === 'ARROW1'

/** The first line of a text, or all of it. */
export function firstLine(bytes: Uint8Array): string {
  const end = bytes.subarray(0, maxFirstValueBytes).indexOf(lineFeed)
  return new TextDecoder().decode(bytes.subarray(0, end === -1 ? maxFirstValueBytes : end))
}

export function withoutByteOrderMark(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return hasByteOrderMark(bytes) ? bytes.slice(3) : bytes
}

const [lineFeed, quote, openBracket, closeBracket, backslash, openBrace, closeBrace] =
  Buffer.from('\n"[]\\{}')

export const hasByteOrderMark = (bytes: Uint8Array) =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] <= 0x20) at++
  return at
}

/** The index after the object that begins at `start`; null if it is longer than a line of NDJSON. */
function endOfValue(bytes: Uint8Array, start: number): number | null {
  const last = Math.min(bytes.length, start + maxFirstValueBytes)
  let depth = 0
  let isText = false
  for (let at = start; at < last; at++) {
    const byte = bytes[at]
    if (isText && byte === backslash) at++
    else if (byte === quote) isText = !isText
    else if (isText) continue
    else if (byte === openBrace || byte === openBracket) depth++
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at + 1
  }
  return null
}

/** True for a single row, as opposed to a request or columns. */
function isOneRow(bytes: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null && 'date' in value && !Array.isArray(value.date)
  } catch {
    return false
  }
}
