import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Failure } from '../errors.ts'

/** The list that a cursor continues, and for whom. */
export interface CursorScope {
  readonly route: string
  /** The caller's rights. Callers who share cached responses must have equal rights here, or their cursors
   * would differ. */
  readonly rights: string
  /** The parameters that select the rows of the list, with their defaults. Excludes those that the next page
   * may change (`limit`, `format`) and those that the position itself contains (`as_of`). */
  readonly query: unknown
}

const tagBytes = 16
const digestBytes = 8
const headBytes = tagBytes + 2 * digestBytes

/** Creates cursors and accepts only those it created. A cursor is a position, signed together with the list
 * it belongs to. Equal positions give equal cursors, so equal responses have equal bytes. A cursor is signed
 * but not encrypted: it must not contain anything that its receiver may not know. */
export class CursorSigner {
  readonly #secret: Uint8Array

  /** @param secret 32 bytes, shared by all servers of one database */
  constructor(secret: Uint8Array) {
    if (secret.length !== 32) throw new Error(`The secret of cursors has ${secret.length} bytes, not 32.`)
    this.#secret = secret
  }

  write(scope: CursorScope, position: string): string {
    const body = Buffer.concat([...this.#digestsOf(scope), Buffer.from(position)])
    return Buffer.concat([this.#mac('cursor', body, tagBytes), body]).toString('base64url')
  }

  /** Verifies a cursor of this list and returns its position. */
  read(scope: CursorScope, cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url')
    const [tag, body] = [bytes.subarray(0, tagBytes), bytes.subarray(tagBytes)]
    // Decoding ignores characters outside base64url, so an altered text could decode to the same bytes.
    const isOurs =
      bytes.length > headBytes &&
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(this.#mac('cursor', body, tagBytes), tag)
    if (!isOurs) throw notValid()
    const [ofList, ofRights] = this.#digestsOf(scope)
    if (!ofRights.equals(body.subarray(digestBytes, 2 * digestBytes)))
      throw refusedCursor(
        'cursor was made for other rights: with another key, or before the licence of this key changed. Omit cursor for the first page.',
      )
    if (!ofList.equals(body.subarray(0, digestBytes)))
      throw refusedCursor(
        'cursor belongs to a request with other parameters. Send those of the page that it came with (limit and format may change), or omit cursor for the first page.',
      )
    return bytes.subarray(headBytes).toString()
  }

  #digestsOf({ route, rights, query }: CursorScope): [Buffer, Buffer] {
    return [
      this.#mac('list', JSON.stringify([route, query]), digestBytes),
      this.#mac('rights', rights, digestBytes),
    ]
  }

  /** @param use separates the digests of one use from those of another */
  #mac(use: 'cursor' | 'list' | 'rights', content: string | Uint8Array, bytes: number): Buffer {
    return createHmac('sha256', this.#secret).update(`${use}\n`).update(content).digest().subarray(0, bytes)
  }
}

/** Cursors whose position has several fields, stored as JSON and validated against their schema when they
 * return. */
export class PositionCursors<Position extends TSchema> {
  readonly #position: Position

  constructor(position: Position) {
    this.#position = position
  }

  write(cursors: CursorSigner, scope: CursorScope, position: Static<Position>): string {
    return cursors.write(scope, JSON.stringify(position))
  }

  read(cursors: CursorSigner, scope: CursorScope, cursor: string): Static<Position> {
    const position = jsonOf(cursors.read(scope, cursor))
    if (Value.Check(this.#position, position)) return position
    throw notValid()
  }
}

/** An earlier version of this program may have signed a position in another format. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The error for a text that no server of this database signed. */
export const notValid = (): Failure =>
  refusedCursor(
    'cursor is not valid: it was altered or cut off, or is of a version that did not sign cursors. Send the `next` of the previous page unchanged, or omit cursor for the first page.',
  )

export const refusedCursor = (message: string): Failure =>
  new Failure('parameter_invalid', message, { param: 'cursor' })
