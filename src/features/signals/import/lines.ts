import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type IsoDate, isIsoDate } from '../../../dates.ts'
import { horizons } from '../../../horizons.ts'
import { signalTickerPattern } from '../schema.ts'
import type { StagedSignal } from './stageQueries.ts'

const header = 'date,ticker,market,horizon,predicted_pct,actual_pct'
const firstDay = '1900-01-01'
const ticker = new RegExp(signalTickerPattern)
const market = /^[A-Z]{2}$/
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

/** Reads the lines of one file. A text that comes back says what is wrong with the line and what is allowed. */
export interface SignalLineParser {
  /** The text of the first line; a fault, or null when it is the header that is needed. */
  header(text: string): string | null
  row(text: string, line: number): StagedSignal | string
}

export function signalLineParser(lastDay: IsoDate): SignalLineParser {
  let columns = 0
  // Files hold many rows a day: the day is checked once.
  let knownDay = ''
  const isDay = (date: string) => {
    if (date === knownDay) return true
    if (!isIsoDate(date) || date < firstDay || date > lastDay) return false
    knownDay = date
    return true
  }
  return {
    header: text => {
      if (text !== header && text !== `${header},source`) {
        return `the first line is ${shown(text)}: ${header} is needed, with ,source or without`
      }
      columns = text.split(',').length
      return null
    },
    row: (text, line) => {
      const cells = text.includes('"') ? unquote(text) : text.split(',')
      if (cells === null) return 'a quoted cell is not closed, or text follows its closing quote'
      if (cells.length !== columns) return `${cells.length} cells; the header names ${columns}`
      const [date, name, code, horizon, predictedText, actualText, source = ''] = cells
      if (!isDay(date)) {
        return `date ${shown(date)}: a day that exists is needed, YYYY-MM-DD, from ${firstDay} to ${lastDay}`
      }
      if (!ticker.test(name)) {
        return `ticker ${shown(name)}: 1 to 32 of A-Z 0-9 . ^ = _ : / & - are allowed, a letter, digit or ^ first`
      }
      if (!market.test(code)) return `market ${shown(code)}: two capital letters are needed, for example US`
      if (!horizons.some(known => known === horizon)) {
        return `horizon ${shown(horizon)}: one of ${horizons.join(', ')} is needed`
      }
      const predicted = fraction(predictedText)
      if (predicted === null)
        return `predicted_pct ${shown(predictedText)}: a finite decimal number is needed`
      const actual = actualText === '' ? null : fraction(actualText)
      if (actualText !== '' && actual === null) {
        return `actual_pct ${shown(actualText)}: a finite decimal number is needed, or nothing while it is unknown`
      }
      if (source !== '' && source !== 'live' && source !== 'backfill') {
        return `source ${shown(source)}: live or backfill is needed, or nothing`
      }
      return {
        line,
        date,
        horizonDays: Number(horizon[0]),
        ticker: name,
        market: code,
        predicted,
        actual,
        source: source === '' ? null : source,
      }
    },
  }
}

/** A number as the file writes it; -0 is 0. */
function fraction(text: string): number | null {
  if (!decimal.test(text)) return null
  const value = Number(text)
  return Number.isFinite(value) ? value + 0 : null
}

/** The cells of an RFC 4180 record that lies on one line; null where its quotes do not match. */
function unquote(text: string): string[] | null {
  const cells: string[] = []
  const cell = /("(?:[^"]|"")*"|[^",]*)(,|$)/y
  for (;;) {
    const match = cell.exec(text)
    if (match === null) return null
    cells.push(match[1].startsWith('"') ? match[1].slice(1, -1).replaceAll('""', '"') : match[1])
    if (match[2] === '') return cells
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text)
}

const mostCharacters = 4_096

export interface NumberedLine {
  /** From 1. */
  line: number
  text: string
  /** The line was longer than any line may be; `text` is its beginning. */
  isCut: boolean
}

/** The lines of a CSV or gzipped CSV, many at a time, whatever their line ends. No line, however long, is held
 * beyond its bound. */
export async function* readLines(bytes: ReadableStream<Uint8Array>): AsyncGenerator<NumberedLine[]> {
  const decoder = new TextDecoder()
  let line = 0
  let rest = ''
  let isCut = false
  const take = (text: string): NumberedLine => {
    line++
    const wasCut = isCut || text.length > mostCharacters
    isCut = false
    return {
      line,
      text: (text.endsWith('\r') ? text.slice(0, -1) : text).slice(0, mostCharacters),
      isCut: wasCut,
    }
  }
  for await (const chunk of inflated(bytes)) {
    const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = texts.pop() ?? ''
    const lines = texts.map(take)
    if (rest.length > mostCharacters) {
      rest = rest.slice(0, mostCharacters)
      isCut = true
    }
    if (lines.length > 0) yield lines
  }
  rest += decoder.decode()
  if (rest !== '' || isCut) yield [take(rest)]
}

async function* inflated(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = bytes.getReader()
  const head = await reader.read()
  const chunks = async function* () {
    try {
      for (let part = head; !part.done; part = await reader.read()) yield part.value
    } finally {
      await reader.cancel()
    }
  }
  const isGzip = head.value?.[0] === 0x1f && head.value[1] === 0x8b
  if (!isGzip) {
    yield* chunks()
    return
  }
  yield* Readable.from(chunks()).pipe(createGunzip({ chunkSize: 256 * 1024 }))
}
