import { Type } from '@sinclair/typebox'
import type { IsoDate } from '../../dates.ts'
import { type CursorScope, type CursorSigner, notValid, PositionCursors } from '../../http/cursor.ts'
import type { ChangePlace, ChangeRange } from './changeQueries.ts'

/** First what changed with a data version, then what became due without one. */
export type Phase = 'versions' | 'days'

/** Where a page begins. All pages of one answer lead to the same data version and day, whatever is imported meanwhile. */
export interface Cursor {
  readonly range: Omit<ChangeRange, 'markets'>
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
          ...{ version: whole, entityId: whole, metricId: small },
          ...{ end: day, filed: day, fp: small, filingId: whole },
        },
        strict,
      ),
    },
    strict,
  ),
)

/** Keys that may take the whole data see all of it. */
const scopeOf = (since: number): CursorScope => ({ route: 'changes', rights: 'bulk', query: [since] })

export const encodeCursor = (cursors: CursorSigner, cursor: Cursor): string =>
  positions.write(cursors, scopeOf(cursor.range.since), cursor)

export const maxCursorLength = 600

/** The place that a page names, of the answer to this `since`. */
export function decodeCursor(cursors: CursorSigner, text: string, since: number, today: IsoDate): Cursor {
  const cursor = positions.read(cursors, scopeOf(since), text)
  // A later day would show figures before they are filed.
  if (cursor.range.asOf > today) throw notValid()
  return cursor
}
