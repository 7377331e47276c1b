import { Failure } from '../../errors.ts'

export interface CsvRows {
  readonly header: readonly string[]
  /** Each row by the names of the header; cells that are missing are left out. */
  records(): Generator<Readonly<Record<string, string>>>
}

/** A table after RFC 4180, separated by commas or, where its first line has none, by semicolons. */
export function csvRows(text: string): CsvRows {
  const table = text.startsWith('\ufeff') ? text.slice(1) : text
  const firstLine = table.slice(0, table.search(/[\r\n]|$/))
  const separator = !firstLine.includes(',') && firstLine.includes(';') ? ';' : ','
  const header: readonly string[] = readLines(table, separator).next().value?.cells ?? []
  const twice = header.find((name, at) => header.indexOf(name) !== at)
  if (twice !== undefined) throw new Failure('body_invalid', `line 1: the column ${twice} is there twice.`)
  return {
    header,
    *records() {
      let isFirst = true
      for (const { cells, line } of readLines(table, separator)) {
        if (isFirst) isFirst = false
        else if (cells.length > header.length) {
          throw new Failure(
            'body_invalid',
            `line ${line}: ${cells.length} cells under ${header.length} names.`,
          )
        } else yield Object.fromEntries(cells.map((cell, at) => [header[at], cell]))
      }
    },
  }
}

/** Empty lines are none. */
function* readLines(text: string, separator: string): Generator<{ cells: string[]; line: number }> {
  const plain = new RegExp(`[^${separator}\\r\\n]*`, 'y')
  let line = 1
  let opened = 1
  let cells: string[] = []
  let at = 0
  while (at < text.length) {
    if (cells.length === 0) opened = line
    let cell: string
    if (text[at] === '"') {
      const end = closingQuote(text, at, line)
      cell = text.slice(at + 1, end).replaceAll('""', '"')
      line += cell.split('\n').length - 1
      at = end + 1
    } else {
      plain.lastIndex = at
      cell = plain.exec(text)?.[0] ?? ''
      at += cell.length
    }
    cells.push(cell)
    if (text[at] === separator) {
      at++
      // A separator at the very end opens one more cell, an empty one.
      if (at === text.length) cells.push('')
      continue
    }
    if (at < text.length && text[at] !== '\r' && text[at] !== '\n') {
      throw new Failure('body_invalid', `line ${line}: there is text after a closing quote.`)
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    line++
    if (cells.length > 1 || cells[0] !== '') yield { cells, line: opened }
    cells = []
  }
  if (cells.length > 0) yield { cells, line: opened }
}

function closingQuote(text: string, open: number, line: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at
  }
  throw new Failure('body_invalid', `line ${line}: a quote is opened and never closed.`)
}
