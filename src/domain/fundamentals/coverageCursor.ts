import { Failure } from '../../errors.ts'
import type { CoveragePlace } from '../../store/coverage/coveragePage.ts'

/** A place in the index as an opaque text. */
export function writeCursor(place: CoveragePlace): string {
  return Buffer.from(JSON.stringify([place.market, place.ticker, place.entityId])).toString('base64url')
}

export function readCursor(cursor: string): CoveragePlace {
  const place = parse(cursor)
  if (place !== null) return place
  throw new Failure(
    'parameter_invalid',
    'cursor is not one that this service gave out. Send the `next` of the page before unchanged, or leave it out for the first page.',
    { param: 'cursor' },
  )
}

function parse(cursor: string): CoveragePlace | null {
  if (!/^[\w-]{1,200}$/.test(cursor)) return null
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
  if (!Array.isArray(parts) || parts.length !== 3) return null
  const [market, ticker, entityId]: unknown[] = parts
  if (typeof market !== 'string' || typeof ticker !== 'string' || typeof entityId !== 'number') return null
  if (!/^[\x20-\x7e]{0,64}$/.test(market + ticker)) return null
  if (!Number.isInteger(entityId) || entityId < 0 || entityId > 2_147_483_647) return null
  return { market, ticker, entityId }
}
