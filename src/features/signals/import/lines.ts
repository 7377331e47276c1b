import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { addDays, type IsoDate, isIsoDate } from '../../../dates.ts'
import { horizons } from '../../../horizons.ts'
import { firstSignalDay, signalTickerPattern } from '../schema.ts'
import { horizonEnd, type MarketDays } from './marketDays.ts'
import type { StagedSignal } from './stageQueries.ts'

/** The columns of a file; `source` may follow. */
export const signalHeader = 'date,ticker,market,horizon,predicted_pct,actual_pct'

const ticker = new RegExp(signalTickerPattern)
const market = /^[A-Z]{2}$/
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

/** Parses the lines of one file. A returned string states what is wrong with a line and what is allowed. */
interface SignalLineParser {
  /** Checks the first line. Returns its fault, or null if it is a valid header. */
  header(text: string): string | null
  row(text: string, line: number): StagedSignal | string
}

/** @param daysOf the days of a market: outcomes for days that have not ended are refused */
export function signalLineParser(today: IsoDate, daysOf: (market: string) => MarketDays): SignalLineParser {
  // East of UTC it may already be tomorrow.
  const lastDay = addDays(today, 1)
  // All horizons of earlier days have ended everywhere.
  const recently = addDays(today, -15)
  let columns = 0
  // A file has many rows per day, so each day is checked once.
  let validDay = ''
  const isDay = (date: string) => {
    if (date === validDay) return true
    if (!isIsoDate(date) || date < firstSignalDay || date > lastDay) return false
    validDay = date
    return true
  }
  return {
    header: text => {
      if (text !== signalHeader && text !== `${signalHeader},source`) {
        return `the first line is ${shown(text)}, but must be ${signalHeader}, with or without ,source`
      }
      columns = text.split(',').length
      return null
    },
    row: (text, line) => {
      const cells = text.includes('"') ? unquote(text) : text.split(',')
      if (cells === null) return 'a quoted cell is not closed, or text follows its closing quote'
      if (cells.length !== columns)
        return `the line has ${cells.length} cells, but the header has ${columns} columns`
      const [date, name, code, horizon, predictedText, actualText, source = ''] = cells
      if (!isDay(date)) {
        return `date is ${shown(date)}, but must be a valid date as YYYY-MM-DD, from ${firstSignalDay} to ${lastDay}`
      }
      if (!ticker.test(name)) {
        return `ticker is ${shown(name)}, but must be 1 to 32 of A-Z 0-9 . ^ = _ : / & -, starting with a letter, a digit or ^`
      }
      if (!market.test(code))
        return `market is ${shown(code)}, but must be two capital letters, for example US`
      if (!horizons.some(known => known === horizon)) {
        return `horizon is ${shown(horizon)}, but must be one of ${horizons.join(', ')}`
      }
      const predicted = fraction(predictedText)
      if (predicted === null)
        return `predicted_pct is ${shown(predictedText)}, but must be a finite decimal number`
      const actual = actualText === '' ? null : fraction(actualText)
      if (actualText !== '' && actual === null) {
        return `actual_pct is ${shown(actualText)}, but must be a finite decimal number, or an empty cell while it is unknown`
      }
      if (actual !== null && actual < -1) {
        return `actual_pct is ${shown(actualText)}, but no return is below -1, the loss of everything; 0.025 is +2.5%, so divide percent by 100`
      }
      const horizonDays = Number(horizon[0])
      if (actual !== null && date > recently) {
        const end = horizonEnd(date, horizonDays)
        if (end > daysOf(code).lastEnded)
          return `the outcome of a ${horizon} forecast of ${date} is not known before ${end} has ended in its market; leave actual_pct empty until then`
      }
      if (source !== '' && source !== 'live' && source !== 'backfill') {
        return `source is ${shown(source)}, but must be live, backfill or an empty cell`
      }
      return {
        line,
        date,
        horizonDays,
        ticker: name,
        market: code,
        predicted,
        actual,
        source: source === '' ? null : source,
      }
    },
  }
}

/** The number in a cell, with -0 as 0; null if it is not a finite decimal number. */
function fraction(text: string): number | null {
  if (!decimal.test(text)) return null
  const value = Number(text)
  return Number.isFinite(value) ? value + 0 : null
}

/** The cells of a one-line RFC 4180 record; null if its quotes do not match. */
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

const maxLineLength = 4_096

interface NumberedLine {
  /** Counted from 1. */
  line: number
  text: string
  /** The line was longer than `maxLineLength`; `text` is its beginning. */
  isCut: boolean
}

/**
 * The lines of a CSV, plain or gzipped, with LF or CRLF, in chunks. Holds at most `maxLineLength` characters
 * of a line in memory. Written by hand: csv-parse takes 4.5 s for 2 million lines and this 1.0 s, and after
 * one stray quote csv-parse loses all following lines. Here a record ends with its line, so a fault affects
 * only that line.
 */
export async function* readLines(bytes: ReadableStream<Uint8Array>): AsyncGenerator<NumberedLine[]> {
  const decoder = new TextDecoder()
  let line = 0
  let rest = ''
  let isCut = false
  const numberLine = (text: string): NumberedLine => {
    line++
    const wasCut = isCut || text.length > maxLineLength
    isCut = false
    return {
      line,
      text: (text.endsWith('\r') ? text.slice(0, -1) : text).slice(0, maxLineLength),
      isCut: wasCut,
    }
  }
  for await (const chunk of decompressed(bytes)) {
    const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = texts.pop() ?? ''
    const lines = texts.map(numberLine)
    if (rest.length > maxLineLength) {
      rest = rest.slice(0, maxLineLength)
      isCut = true
    }
    if (lines.length > 0) yield lines
  }
  rest += decoder.decode()
  if (rest !== '' || isCut) yield [numberLine(rest)]
}

async function* decompressed(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
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
