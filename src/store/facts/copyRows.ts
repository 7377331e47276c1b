import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { TransactionSql } from '../database.ts'

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
