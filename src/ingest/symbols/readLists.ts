import { basename } from 'node:path'
import { addDays, type IsoDate, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import { listFiles } from '../import/listFiles.ts'
import { messageOf, openZip, readEntry } from '../reading/archives.ts'
import { decodeText } from '../reading/text.ts'

/** Why a line, or a whole file, was refused. */
export interface ListFault {
  readonly file: string
  /** Null for a whole file. */
  readonly line: number | null
  readonly reason: string
}

/** A spell as a line of a list states it. */
export interface StatedSpell {
  readonly file: string
  readonly line: number
  readonly symbol: string
  readonly from: IsoDate
  /** The last day; null: not over. */
  readonly to: IsoDate | null
  readonly company: StatedCompany
}

/** The company of a spell: the ID in a CSV file, or what a map file says about the company. */
export type StatedCompany =
  | { readonly id: string }
  | {
      /** The name of the map file. */
      readonly permanentTicker: string
      /** The symbol that the company has today; null if the file ends before today. */
      readonly lastSymbol: string | null
    }

/** Reads one kind of file. Returns null if the file is of another kind. */
export type LineReader<Row> = (lines: readonly string[], file: string, refuse: Refuse) => Row[] | null
type Refuse = (line: number, reason: string) => void

export interface ListProgress {
  readonly files: number
  readonly bytesRead: number
  readonly bytesTotal: number
}

/** Whole files are read into memory. A list of every US symbol since 1998 takes 2 MB. */
const maxFileBytes = 64 * 1024 * 1024

/**
 * The rows of lists: CSV files, folders and zips of them. A bad line or file is reported, and everything else is read.
 *
 * @param readers the first one that recognises a file reads it
 */
export async function* readLists<Row>(
  paths: readonly string[],
  readers: readonly LineReader<Row>[],
  faults: ListFault[],
  onProgress: (progress: ListProgress) => void,
): AsyncGenerator<readonly Row[]> {
  const files = await listFiles(paths, /\.csv$/i)
  const bytesTotal = files.reduce((sum, { bytes }) => sum + bytes, 0)
  let count = 0
  let bytesRead = 0
  const read = (name: string, bytes: Uint8Array): readonly Row[] => {
    count++
    const lines = decodeText(bytes, 'utf-8')
      .replace(/^\ufeff/, '')
      .split(/\r?\n/)
    const refuse = (line: number, reason: string) => faults.push({ file: name, line, reason })
    for (const reader of readers) {
      const rows = reader(lines, name, refuse)
      if (rows !== null) return rows
    }
    throw new Failure(
      'body_invalid',
      'The first line is neither a header of this list nor a line of a map file.',
    )
  }
  for (const { path, bytes } of files) {
    try {
      if (/\.zip$/i.test(path)) {
        const zip = await openZip(path)
        try {
          for await (const entry of zip.eachEntry()) {
            if (!/\.csv$/i.test(entry.fileName)) continue
            const name = `${path}!${entry.fileName}`
            const rows = await orFault(name, faults, async () => {
              refuseLarge(Math.max(entry.uncompressedSize, entry.compressedSize))
              return read(name, await readEntry(zip, entry))
            })
            yield rows
            onProgress({ files: count, bytesRead: bytesRead + entry.relativeOffsetOfLocalHeader, bytesTotal })
          }
        } finally {
          zip.close()
        }
      } else {
        yield await orFault(path, faults, async () => {
          refuseLarge(bytes)
          return read(path, await Bun.file(path).bytes())
        })
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      faults.push({ file: path, line: null, reason: messageOf(error) })
    }
    bytesRead += bytes
    onProgress({ files: count, bytesRead, bytesTotal })
  }
}

async function orFault<Row>(
  file: string,
  faults: ListFault[],
  read: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof Failure) && !(error instanceof Error && 'code' in error)) throw error
    faults.push({ file, line: null, reason: messageOf(error) })
    return []
  }
}

function refuseLarge(bytes: number): void {
  if (bytes > maxFileBytes)
    throw new Failure('body_too_large', `The file is larger than ${maxFileBytes / 1024 / 1024} MB. Split it.`)
}

/** The cells of a line, in the order of `columns`. */
export function cellsOf(line: string, places: readonly number[]): string[] {
  const cells = line.split(',').map(cell =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  )
  return places.map(place => cells[place] ?? '')
}

/** Finds the positions of these columns in the header; null if a required one is missing. Other columns are ignored. */
export function placesOf(
  header: string,
  required: readonly string[],
  optional: readonly string[],
): number[] | null {
  const names = header.split(',').map(name =>
    name
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase(),
  )
  if (required.some(name => !names.includes(name))) return null
  return [...required, ...optional].map(name => names.indexOf(name))
}

const symbolShape = /^[A-Z0-9][A-Z0-9./_ -]{0,31}$/

/** Lists write this as the last day of a symbol that a company still has, or a later day such as 9999-12-31. */
const stillListed = '2050-12-31'

/** The last day of a spell; null: not over. */
const endOf = (day: IsoDate): IsoDate | null => (day === '' || day >= stillListed ? null : day)

/** `symbol,id,from,to`: the company with this ID had the symbol from a day to another one, both included. */
export const readSymbolTable: LineReader<StatedSpell> = (lines, file, refuse) => {
  const places = placesOf(lines[0] ?? '', ['symbol', 'id', 'from'], ['to'])
  if (places === null) return null
  const spells: StatedSpell[] = []
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === '') continue
    const [symbol, id, from, to] = cellsOf(line, places).map(cell => cell.toUpperCase())
    const reason = faultOfSpell(symbol, from, to) ?? (id === '' ? 'id is empty' : null)
    if (reason !== null) refuse(index + 1, reason)
    else spells.push({ file, line: index + 1, symbol, from, to: endOf(to), company: { id } })
  }
  return spells
}

function faultOfSpell(symbol: string, from: string, to: string): string | null {
  if (!symbolShape.test(symbol))
    return `symbol is ${JSON.stringify(symbol.slice(0, 40))}, but must be 1 to 32 letters, digits, dots, hyphens, slashes or spaces`
  if (!isIsoDate(from)) return `from is ${JSON.stringify(from.slice(0, 40))}, but must be a day as YYYY-MM-DD`
  if (to !== '' && !isIsoDate(to))
    return `to is ${JSON.stringify(to.slice(0, 40))}, but must be a day as YYYY-MM-DD, or empty while the company has the symbol`
  return to !== '' && to < from ? `to, ${to}, is before from, ${from}` : null
}

/**
 * A map file of LEAN: `20120518,fb,Q`, `20220608,fb,Q`, `20501231,meta,Q`. The first line has the first day, and each
 * further line a symbol and its last day.
 */
export const readMapFile: LineReader<StatedSpell> = (lines, file, refuse) => {
  if (!/^\d{8},/.test(lines[0] ?? '')) return null
  const rows: { line: number; day: IsoDate; symbol: string }[] = []
  for (const [index, text] of lines.entries()) {
    if (text.trim() === '') continue
    const [date, symbol] = cellsOf(text, [0, 1]).map(cell => cell.toUpperCase())
    const day = date.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
    if (!isIsoDate(day))
      refuse(index + 1, `the day is ${JSON.stringify(date.slice(0, 40))}, but must be YYYYMMDD`)
    else if (!symbolShape.test(symbol))
      refuse(index + 1, `${JSON.stringify(symbol.slice(0, 40))} is not a symbol`)
    else rows.push({ line: index + 1, day, symbol })
  }
  rows.sort((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)))
  const [first, ...ends] = rows
  const last = ends.at(-1)
  if (first === undefined || last === undefined) {
    refuse(1, 'a map file needs a line with the first day, and a line with the last day of each symbol')
    return []
  }
  const company = {
    permanentTicker: basename(file.replace(/^.*!/, ''))
      .replace(/\.csv$/i, '')
      .toUpperCase(),
    lastSymbol: last.day >= stillListed ? last.symbol : null,
  }
  const spells: StatedSpell[] = []
  let from = first.day
  for (const [index, { line, day, symbol }] of ends.entries()) {
    // A change of exchange adds a line with the same symbol, but does not begin a spell.
    if (ends[index + 1]?.symbol === symbol) continue
    if (day < from) {
      refuse(line, `${symbol} ends on ${day}, before it begins: an earlier line has the same day`)
      continue
    }
    spells.push({ file, line, symbol, from, to: endOf(day), company })
    from = addDays(day, 1)
  }
  return spells
}
