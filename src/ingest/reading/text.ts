import { CsvError, parse } from 'csv-parse/sync'
import { Failure } from '../../errors.ts'

/**
 * Decodes a file by its byte order mark (UTF-8 or UTF-16) or else by the encoding that the register uses.
 * Throws for bytes that are invalid in that encoding.
 *
 * @param fallback the encoding of files without a byte order mark, as `TextDecoder` names it
 */
export function decodeText(bytes: Uint8Array, fallback: 'utf-8' | 'shift_jis'): string {
  const encoding = byteOrderMark(bytes) ?? fallback
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('body_invalid', `The document is not ${encoding === 'shift_jis' ? 'CP932' : encoding}.`)
  }
}

function byteOrderMark(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

/**
 * Yields the lines of a UTF-8 stream, one list per chunk. An unfinished line is cut at a million characters,
 * so that a file without line breaks does not fill the memory.
 */
export async function* textLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = (lines.pop() ?? '').slice(0, 1_000_000)
    if (lines.length > 0) yield lines.map(dropReturn)
  }
  rest += decoder.decode()
  if (rest !== '') yield [dropReturn(rest)]
}

const dropReturn = (line: string) => (line.endsWith('\r') ? line.slice(0, -1) : line)

/** Text blocks of reports have a few hundred kilobytes; no record of a register is longer than this. */
const maxRecordBytes = 16 * 1024 * 1024

/** Each row and each cell becomes an object. No register has tables this wide or rows this short. */
const maxColumns = 10_000
const minBytesPerRow = 16

/**
 * Parses a delimited file by RFC 4180. All rows must have as many cells as the first. Errors name the line.
 *
 * @param firstLine the 1-based line number of the first row
 */
export function readCsv(text: string, delimiter: ',' | ';' | '\t', firstLine = 1): string[][] {
  refuseManyCells(text, delimiter)
  try {
    return parse(text, {
      delimiter,
      bom: true,
      from_line: firstLine,
      skip_empty_lines: true,
      max_record_size: maxRecordBytes,
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new Failure('body_invalid', `${error.message.replace(/\.?$/, '')} (${error.code}).`)
  }
}

/** A table with a header. */
export interface CsvRows {
  readonly header: readonly string[]
  readonly records: readonly Readonly<Record<string, string>>[]
}

/**
 * Parses a CSV table with a header. The delimiter is a comma, or a semicolon if the first line has semicolons
 * and no comma.
 */
export function csvRows(text: string): CsvRows {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/))
  const [header = [], ...rows] = readCsv(
    text,
    !firstLine.includes(',') && firstLine.includes(';') ? ';' : ',',
  )
  const repeated = header.find((name, at) => header.indexOf(name) !== at)
  if (repeated !== undefined)
    throw new Failure('body_invalid', `line 1: the column ${repeated} appears twice.`)
  return {
    header,
    records: rows.map(cells => Object.fromEntries(cells.map((cell, at) => [header[at], cell]))),
  }
}

function refuseManyCells(text: string, delimiter: string): void {
  const end = text.indexOf('\n')
  const columns = countOf(delimiter, end === -1 ? text : text.slice(0, end)) + 1
  if (columns > maxColumns)
    throw new Failure('body_invalid', `The table has ${columns} columns; the limit is ${maxColumns}.`)
  const maxRows = Math.max(100_000, Math.floor(text.length / minBytesPerRow))
  const rows = countOf('\n', text)
  if (rows > maxRows)
    throw new Failure(
      'body_invalid',
      `The table has ${rows} lines in ${text.length} characters; the limit is ${maxRows}.`,
    )
}

function countOf(character: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count++
  return count
}
