import { type Static, Type } from '@sinclair/typebox'
import { queryReader } from '../../../http/parameters.ts'
import { UniverseQuery } from '../../universe/schema.ts'
import { queryText } from '../companyFrame.ts'

const { market, as_of, tz, state, cursor } = UniverseQuery.properties
const UniversePageQuery = Type.Object(
  { market: Type.Optional(market), as_of, tz, state, cursor },
  { additionalProperties: false },
)
export type UniversePageQuery = Static<typeof UniversePageQuery>
export const readUniversePageQuery = queryReader(UniversePageQuery)

const UniverseFileQuery = Type.Object(
  { market: Type.Optional(market), as_of, tz, state },
  { additionalProperties: false },
)
export const readUniverseFileQuery = queryReader(UniverseFileQuery)

/** The values of the form, valid or not. */
export interface UniverseFields {
  readonly market: string
  readonly asOf: string
  readonly tz: string
  readonly state: string
}

/** The form as it was sent, so that a mistake in one field does not empty the others. */
export function fieldsOf(text: string): UniverseFields {
  const sent = new URLSearchParams(text)
  return {
    market: (sent.get('market') ?? 'US').toUpperCase(),
    asOf: sent.get('as_of') ?? '',
    tz: sent.get('tz') ?? '',
    state: sent.get('state') ?? '',
  }
}

/** The address of the same list with other choices. */
export function universePath(
  { market, asOf, tz, state }: UniverseFields,
  { cursor, path = '/universe' }: { readonly cursor?: string; readonly path?: string } = {},
): string {
  const sent = (text: string) => (text === '' ? undefined : text)
  return `${path}${queryText({ market, as_of: sent(asOf), tz: sent(tz), state: sent(state), cursor })}`
}
