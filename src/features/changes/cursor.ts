import { Type } from '@sinclair/typebox'
import type { IsoDate } from '../../dates.ts'
import { type CursorScope, type CursorSigner, notValid, PositionCursors } from '../../http/cursor.ts'
import type { ChangePlace, ChangeRange } from './changeQueries.ts'

/**
 * First the changes that came with a data version, then figures that became visible without a new version.
 */
export type Phase = 'versions' | 'days'

/**
 * Where a page begins. All pages of one list lead to the same data version and day, whatever is imported
 * meanwhile.
 */
export interface Cursor {
  readonly range: Omit<ChangeRange, 'markets' | 'filings'>
  readonly phase: Phase
  readonly after: ChangePlace
}

const strict = { additionalProperties: false } as const
const whole = Type.Integer({ minimum: -1, maximum: 2_147_483_647 })
const small = Type.Integer({ minimum: -1, maximum: 32_767 })
const day = Type.String({ minLength: 10, maxLength: 10 })
const positions = new PositionCursors(
  Type.Object(
    {
      range: Type.Object({ since: whole, sinceDay: day, upto: whole, asOf: day }, strict),
      phase: Type.Union([Type.Literal('versions'), Type.Literal('days')]),
      after: Type.Object(
        {
          version: whole,
          entityId: whole,
          metricId: small,
          end: day,
          filed: day,
          fp: small,
          filingId: whole,
        },
        strict,
      ),
    },
    strict,
  ),
)

/** Every key with bulk rights sees all data. */
const scopeOf = (since: number, filings: boolean): CursorScope => ({
  route: 'changes',
  rights: 'bulk',
  query: filings ? [since, 'filings'] : [since],
})

export const encodeCursor = (cursors: CursorSigner, cursor: Cursor, filings: boolean): string =>
  positions.write(cursors, scopeOf(cursor.range.since, filings), cursor)

export const maxCursorLength = 600

/** The position in a cursor, which must belong to a list with this `since` and `filings`. */
export function decodeCursor(
  cursors: CursorSigner,
  text: string,
  since: number,
  filings: boolean,
  today: IsoDate,
): Cursor {
  const cursor = positions.read(cursors, scopeOf(since, filings), text)
  // A later day would show figures before they are filed.
  if (cursor.range.asOf > today) throw notValid()
  return cursor
}
