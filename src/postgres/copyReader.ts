import type { ReservedSql } from './client.ts'

const signatureBytes = 11
/** Signature, flags and length of the extension, which PostgreSQL leaves empty. */
const headerBytes = signatureBytes + 8
const trailerBytes = 2

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
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (; at + rowBytes <= bytes.length; at += rowBytes) onRow(view, at)
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
