import { csvCell } from '../../../formats/csv.ts'
import type { CarriedColumn } from './carriedColumn.ts'
import { storedTextOf } from './storedText.ts'
import { slack, type TextTable } from './texts.ts'

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c

/** The distinct values of a column as JSON. */
export function jsonTexts({ values }: CarriedColumn): TextTable {
  switch (values.kind) {
    case 'json':
      return values.table
    case 'csv':
    case 'text':
      return mapTexts(values.table, writeJsonText)
    case 'stored': {
      const textOf = storedTextOf(values.type, 'json')
      return listTexts(values.numbers.length, number => textOf(values.numbers[number]))
    }
    default:
      return values satisfies never
  }
}

/** The distinct values of a column as CSV cells. Cells that came as CSV are unchanged. Texts from other
 * formats pass through `csvCell`, because a spreadsheet would run some of them as formulas. */
export function csvTexts({ values }: CarriedColumn): TextTable {
  switch (values.kind) {
    case 'csv':
      return mapTexts(values.table, writeCsvText)
    case 'json':
      return listTexts(values.table.starts.length - 1, number => csvOfJson(textAt(values.table, number)))
    case 'text':
      return listTexts(values.table.starts.length - 1, number => csvCell(textAt(values.table, number)))
    case 'stored': {
      const textOf = storedTextOf(values.type, 'csv')
      return listTexts(values.numbers.length, number => textOf(values.numbers[number]))
    }
    default:
      return values satisfies never
  }
}

/** The name of a column as CSV, as it was sent. */
export function csvName(name: string): string {
  return /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** @param number counted from 0 */
export const textAt = ({ bytes, starts }: TextTable, number: number): string =>
  // Copied, because a TextDecoder rejects shared memory.
  decoder.decode(bytes.slice(starts[number], starts[number + 1]))

function csvOfJson(token: string): string {
  return token.startsWith('"') ? csvCell(String(JSON.parse(token))) : token
}

const encoder = new TextEncoder()

function listTexts(count: number, textOf: (number: number) => string): TextTable {
  const sink = new GrowingBytes()
  const starts = new Int32Array(count + 1)
  for (let number = 0; number < count; number++) {
    const text = encoder.encode(textOf(number))
    sink.reserve(text.length)
    sink.bytes.set(text, sink.at)
    sink.at += text.length
    starts[number + 1] = sink.at
  }
  return { bytes: sink.finish(), starts }
}

/** Writes one text from source bytes to the sink. */
type Writer = (source: Uint8Array, from: number, to: number, sink: GrowingBytes) => void

function mapTexts({ bytes, starts: sources }: TextTable, write: Writer): TextTable {
  const sink = new GrowingBytes()
  const starts = new Int32Array(sources.length)
  for (let number = 0; number + 1 < sources.length; number++) {
    write(bytes, sources[number], sources[number + 1], sink)
    starts[number + 1] = sink.at
  }
  return { bytes: sink.finish(), starts }
}

const hex = new TextEncoder().encode('0123456789abcdef')
const escapeLead = new TextEncoder().encode('\\u00')

/** Escapes quotes, backslashes and control characters, the only ones that JSON requires to be escaped. */
function writeJsonText(source: Uint8Array, from: number, to: number, sink: GrowingBytes): void {
  sink.reserve(6 * (to - from) + 2)
  const { bytes } = sink
  let { at } = sink
  bytes[at++] = quote
  for (let i = from; i < to; i++) {
    const byte = source[i]
    if (byte < 0x20) {
      bytes.set(escapeLead, at)
      at += escapeLead.length
      bytes[at++] = hex[byte >> 4]
      bytes[at++] = hex[byte & 15]
      continue
    }
    if (byte === quote || byte === backslash) bytes[at++] = backslash
    bytes[at++] = byte
  }
  bytes[at++] = quote
  sink.at = at
}

function writeCsvText(source: Uint8Array, from: number, to: number, sink: GrowingBytes): void {
  sink.reserve(2 * (to - from) + 2)
  const { bytes } = sink
  let { at } = sink
  let isPlain = true
  for (let i = from; i < to && isPlain; i++) {
    const byte = source[i]
    isPlain = byte !== quote && byte !== comma && byte !== 0x0a && byte !== 0x0d
  }
  if (!isPlain) bytes[at++] = quote
  for (let i = from; i < to; i++) {
    if (source[i] === quote) bytes[at++] = quote
    bytes[at++] = source[i]
  }
  if (!isPlain) bytes[at++] = quote
  sink.at = at
}

class GrowingBytes {
  bytes = new Uint8Array(4_096)
  at = 0

  reserve(more: number): void {
    if (this.at + more <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.at + more, 2 * this.bytes.length))
    grown.set(this.bytes.subarray(0, this.at))
    this.bytes = grown
  }

  finish(): Uint8Array {
    this.reserve(slack)
    return this.bytes.subarray(0, this.at + slack)
  }
}
