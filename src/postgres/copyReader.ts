import type { ReservedSql, TransactionSql } from './client.ts'

const signatureBytes = 11
/** Signature, flags and length of the extension, which PostgreSQL leaves empty. */
const headerBytes = signatureBytes + 8
const trailerBytes = 2
const lengthBytes = 4
/** PostgreSQL counts days from 2000-01-01. */
const daysTo2000 = 10_957
const infinity = 0x7fff_ffff

/**
 * Runs `statement`, a COPY TO STDOUT in binary format, and calls `onRow` with the offset of each row. Every
 * column must have a fixed size and no nulls, so that all rows have `rowBytes`: columns can then be read at
 * fixed offsets, which is what makes a hundred million rows affordable.
 *
 * @param afterRows awaited if it returns a promise; meanwhile the server waits
 * @param cancel cancels the statement: after a failure, the connection is only usable once the server sends
 * no more rows
 */
export async function readFixedRows(
  connection: ReservedSql,
  statement: string,
  rowBytes: number,
  onRow: (view: DataView, offset: number) => void,
  afterRows: () => Promise<void> | null,
  cancel: () => Promise<unknown>,
): Promise<void> {
  const takeRows: TakeRows = view => {
    let at = 0
    for (; at + rowBytes <= view.byteLength; at += rowBytes) onRow(view, at)
    return at
  }
  await readCopy(connection, statement, takeRows, afterRows, cancel)
}

/** A value in the bytes of a COPY. */
export interface CopiedValue {
  readonly view: DataView
  readonly offset: number
}

/**
 * The same for rows whose last column has any size and may be null. The columns before it take `fixedBytes`, the number of
 * columns included. After a failure the remaining rows are read and dropped, so that the transaction's connection stays usable.
 */
export async function readRows(
  transaction: TransactionSql,
  statement: string,
  fixedBytes: number,
  onRow: (view: DataView, offset: number, last: CopiedValue | null) => void,
): Promise<void> {
  const takeRows: TakeRows = view => {
    let at = 0
    for (;;) {
      const offset = at + fixedBytes + lengthBytes
      if (offset > view.byteLength) return at
      const length = view.getInt32(offset - lengthBytes)
      const end = offset + Math.max(length, 0)
      if (end > view.byteLength) return at
      onRow(view, at, length < 0 ? null : { view, offset })
      at = end
    }
  }
  await readCopy(
    transaction,
    statement,
    takeRows,
    () => null,
    () => Promise.resolve(),
  )
}

/** Days since 1970-01-01; null for infinity. */
export function readDate(view: DataView, offset: number): number | null {
  const day = view.getInt32(offset)
  return day === infinity ? null : day + daysTo2000
}

/** An `integer[]` without nulls. */
export function readIntegers({ view, offset }: CopiedValue): number[] {
  const dimensions = view.getInt32(offset)
  if (dimensions === 0) return []
  const values: number[] = new Array(view.getInt32(offset + 12))
  // After the number of dimensions, the flag for nulls, the type, the length and the first index.
  for (let n = 0, at = offset + 20; n < values.length; n++, at += 8)
    values[n] = view.getInt32(at + lengthBytes)
  return values
}

/** Calls `onRow` for the complete rows among some bytes. Returns where the incomplete one begins. */
type TakeRows = (view: DataView) => number

async function readCopy(
  connection: ReservedSql | TransactionSql,
  statement: string,
  takeRows: TakeRows,
  afterRows: () => Promise<void> | null,
  cancel: () => Promise<unknown>,
): Promise<void> {
  const stream = await connection.unsafe(statement).readable()
  // Bytes of a row that ends in the next chunk.
  let rest: Buffer = Buffer.alloc(0)
  let isPastHeader = false
  let failure: { readonly error: unknown } | null = null
  await new Promise<void>((fulfil, reject) => {
    const fail = (error: unknown) => {
      failure ??= { error }
      stream.resume()
      cancel().catch(() => {})
    }
    const take = (chunk: Buffer) => {
      if (failure !== null) return
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let at = 0
      if (!isPastHeader) {
        if (bytes.length < headerBytes) {
          rest = bytes
          return
        }
        at = headerBytes
        isPastHeader = true
      }
      at += takeRows(new DataView(bytes.buffer, bytes.byteOffset + at, bytes.byteLength - at))
      rest = at === bytes.length ? empty : bytes.subarray(at)
      const pending = afterRows()
      if (pending === null) return
      stream.pause()
      pending.then(() => stream.resume(), fail)
    }
    stream.on('data', (chunk: Buffer) => {
      try {
        take(chunk)
      } catch (error) {
        fail(error)
      }
    })
    stream.on('error', error => reject(failure === null ? error : failure.error))
    stream.on('end', () => {
      if (failure !== null) reject(failure.error)
      else if (rest.length === trailerBytes) fulfil()
      else reject(new Error(`The rows of a COPY end with ${rest.length} bytes that are no row.`))
    })
  })
}

const empty = Buffer.alloc(0)
