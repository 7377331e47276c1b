import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type IsoDate, isIsoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
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
const Content = Type.Object(
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
)

export const encodeCursor = (cursor: Cursor): string =>
  Buffer.from(JSON.stringify(cursor)).toString('base64url')

export const maxCursorLength = 600

/** The place that a page names, of the answer to this `since`. */
export function decodeCursor(text: string, since: number, today: IsoDate): Cursor {
  const cursor = cursorOf(text)
  // A later day would show figures before they are filed.
  if (cursor === null || cursor.range.since !== since || cursor.range.asOf > today)
    throw new Failure(
      'parameter_invalid',
      `cursor is not one that GET /api/v1/changes?since=${since} has returned. Send the \`next\` of the page before, with the same since, or omit cursor.`,
      { param: 'cursor' },
    )
  return cursor
}

function cursorOf(text: string): Cursor | null {
  try {
    const content: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (!Value.Check(Content, content)) return null
    const { range, after } = content
    return [range.sinceDay, range.asOf, after.end, after.filed].every(isIsoDate) ? content : null
  } catch {
    return null
  }
}
