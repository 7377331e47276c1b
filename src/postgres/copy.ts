import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { TransactionSql } from './client.ts'

const signature = [0x50, 0x47, 0x43, 0x4f, 0x50, 0x59, 0x0a, 0xff, 0x0d, 0x0a, 0x00, 0, 0, 0, 0, 0, 0, 0, 0]
const chunkBytes = 256 * 1024
/** More than the numbers of any row of ours have; texts make room for themselves. */
const rowBytes = 256
const days2000 = 10_957
const ms2000 = days2000 * 86_400_000
const infinity = 0x7fff_ffff

/** Rows in PostgreSQL's binary COPY format: the server then has no dates and numbers to parse, which is a third
 * of its work. Fields are written in the order of the columns. */
export class BinaryCopy {
  private done: Uint8Array[] = []
  private buffer = Buffer.allocUnsafe(chunkBytes)
  private view = new DataView(this.buffer.buffer, this.buffer.byteOffset, chunkBytes)
  private at = 0

  constructor(private readonly columns: number) {
    for (const byte of signature) this.buffer[this.at++] = byte
  }

  row(): void {
    this.makeRoom(rowBytes)
    this.view.setInt16(this.at, this.columns)
    this.at += 2
  }

  null(): void {
    this.view.setInt32(this.at, -1)
    this.at += 4
  }

  smallint(value: number): void {
    this.view.setInt32(this.at, 2)
    this.view.setInt16(this.at + 4, value)
    this.at += 6
  }

  integer(value: number): void {
    this.view.setInt32(this.at, 4)
    this.view.setInt32(this.at + 4, value)
    this.at += 8
  }

  /** A day counted from 1970-01-01; Infinity is PostgreSQL's own. */
  date(day: number): void {
    this.integer(day === Number.POSITIVE_INFINITY ? infinity : day - days2000)
  }

  dateInfinity(): void {
    this.integer(infinity)
  }

  double(value: number): void {
    this.view.setInt32(this.at, 8)
    this.view.setFloat64(this.at + 4, value)
    this.at += 12
  }

  /** A moment, in milliseconds since 1970; null where it is not known. */
  time(ms: number | null): void {
    if (ms === null) {
      this.null()
      return
    }
    this.view.setInt32(this.at, 8)
    this.view.setBigInt64(this.at + 4, BigInt(ms - ms2000) * 1000n)
    this.at += 12
  }

  text(value: string): void {
    const bytes = Buffer.byteLength(value)
    // And as much again as the rest of the row may need.
    this.makeRoom(4 + bytes + rowBytes)
    this.view.setInt32(this.at, bytes)
    this.buffer.write(value, this.at + 4)
    this.at += 4 + bytes
  }

  boolean(value: boolean): void {
    this.view.setInt32(this.at, 1)
    this.buffer[this.at + 4] = value ? 1 : 0
    this.at += 5
  }

  /** The chunks that are full, each given once. */
  takeFull(): readonly Uint8Array[] {
    if (this.done.length === 0) return this.done
    const full = this.done
    this.done = []
    return full
  }

  /** What was not taken yet, closed with the trailer. */
  finish(): readonly Uint8Array[] {
    this.view.setInt16(this.at, -1)
    this.at += 2
    this.nextChunk()
    return this.done
  }

  private makeRoom(bytes: number): void {
    if (this.at + bytes > this.buffer.length) this.nextChunk(bytes)
  }

  private nextChunk(bytes = 0): void {
    this.done.push(this.buffer.subarray(0, this.at))
    const size = Math.max(chunkBytes, bytes)
    this.buffer = Buffer.allocUnsafe(size)
    this.view = new DataView(this.buffer.buffer, this.buffer.byteOffset, size)
    this.at = 0
  }
}

const chunkCharacters = 256 * 1024

/** Sends lines of PostgreSQL's COPY text format (without line ends) to the table that `statement` names. */
export async function copyRows(
  transaction: TransactionSql,
  statement: string,
  lines: Iterable<string>,
): Promise<void> {
  await copyChunks(transaction, statement, chunksOf(lines))
}

/** Sends bytes that are in the format that `statement` names. */
export async function copyChunks(
  transaction: TransactionSql,
  statement: string,
  chunks: Iterable<Uint8Array>,
): Promise<void> {
  const stream = await transaction.unsafe(statement).writable()
  await pipeline(Readable.from(chunks), stream)
}

function* chunksOf(lines: Iterable<string>): Generator<Uint8Array> {
  let text = ''
  for (const line of lines) {
    text += `${line}\n`
    if (text.length < chunkCharacters) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}

/** A text as COPY reads it back. */
export function copyText(text: string): string {
  return /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, found => escapes[found] ?? found) : text
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A day without end (`untold`) is PostgreSQL's infinity. */
export const copyDay = (day: number): string =>
  day === Number.POSITIVE_INFINITY ? 'infinity' : new Date(day * 86_400_000).toISOString().slice(0, 10)

export const copyTime = (ms: number | null): string => (ms === null ? '\\N' : new Date(ms).toISOString())
