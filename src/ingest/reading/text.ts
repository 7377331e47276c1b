import { CsvError, parse } from 'csv-parse/sync'
import { Failure } from '../../errors.ts'

/** The text of a file whose encoding shows in its first bytes: UTF-16 or UTF-8 by their mark, else what the register
 * uses. Bytes that are no text of the encoding are refused.
 *
 * @param unmarked the encoding of a file without a mark, as `TextDecoder` calls it */
export function decodeText(bytes: Uint8Array, unmarked: 'utf-8' | 'shift_jis'): string {
  const encoding = markedEncoding(bytes) ?? unmarked
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('body_invalid', `The document is not ${encoding === 'shift_jis' ? 'CP932' : encoding}.`)
  }
}

function markedEncoding(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

/** The lines of a UTF-8 stream. A line of more than a megabyte is cut there: no register writes one. */
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

/** No line of a register's file is longer: text blocks of reports have some hundred kilobytes. */
const longestRecord = 16 * 1024 * 1024

/** The rows of a delimited file by RFC 4180, each as wide as the first. What is wrong is said with its line.
 *
 * @param firstLine where the rows begin, 1 for the top of the file */
export function readCsv(text: string, delimiter: ',' | ';' | '\t', firstLine = 1): string[][] {
  try {
    return parse(text, {
      delimiter,
      bom: true,
      from_line: firstLine,
      skip_empty_lines: true,
      max_record_size: longestRecord,
    })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new Failure('body_invalid', `${error.message.replace(/\.?$/, '')} (${error.code}).`)
  }
}

/** A table whose first line names its columns. */
export interface CsvRows {
  readonly header: readonly string[]
  readonly records: readonly Readonly<Record<string, string>>[]
}

/** Cells stand between commas or, where the first line has none, between semicolons. */
export function csvRows(text: string): CsvRows {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/))
  const [header = [], ...rows] = readCsv(
    text,
    !firstLine.includes(',') && firstLine.includes(';') ? ';' : ',',
  )
  const twice = header.find((name, at) => header.indexOf(name) !== at)
  if (twice !== undefined) throw new Failure('body_invalid', `line 1: the column ${twice} is there twice.`)
  return {
    header,
    records: rows.map(cells => Object.fromEntries(cells.map((cell, at) => [header[at], cell]))),
  }
}
