import { type Static, Type } from '@sinclair/typebox'
import { queryReader } from '../../../http/parameters.ts'
import { RestatementsQuery } from '../../restatements/schema.ts'
import { sorts } from './change.ts'

const { metric, market, from, cursor, as_of, tz } = RestatementsQuery.properties
const RestatementsPageQuery = Type.Object(
  {
    metric: Type.Optional(metric),
    market: Type.Optional(market),
    from,
    cursor,
    as_of,
    tz,
    sort: Type.Optional(Type.Union(sorts.map(sort => Type.Literal(sort)))),
  },
  { additionalProperties: false },
)
export type RestatementsPageQuery = Static<typeof RestatementsPageQuery>
export const readRestatementsPageQuery = queryReader(RestatementsPageQuery)

/** Whether nothing but a market and an order has been chosen: then an evaluation sees what it has already seen. */
export const isBlank = (query: RestatementsPageQuery): boolean =>
  Object.keys(query).every(name => name === 'market' || name === 'sort')

/** The values of the form, valid or not. */
export interface RestatementsFields {
  readonly metric: string
  readonly market: string
  readonly from: string
  readonly asOf: string
  readonly tz: string
  readonly sort: string
}

/** The form as it was sent, so that a mistake in one field does not empty the others. */
export function fieldsOf(queryText: string): RestatementsFields {
  const sent = new URLSearchParams(queryText)
  return {
    metric: sent.get('metric') ?? 'revenue',
    market: (sent.get('market') ?? 'US').toUpperCase(),
    from: sent.get('from') ?? '',
    asOf: sent.get('as_of') ?? '',
    tz: sent.get('tz') ?? '',
    sort: sent.get('sort') ?? 'filed',
  }
}

/**
 * The address of the same list with other choices.
 *
 * @param isBlank whether the list stays one for which nothing was chosen
 */
export function restatementsPath(
  { metric, market, from, asOf, tz, sort }: RestatementsFields,
  change: { readonly sort?: string; readonly cursor?: string; readonly isBlank?: boolean } = {},
): string {
  const order = change.sort ?? sort
  const fields = new URLSearchParams({
    ...(change.isBlank === true ? {} : { metric }),
    market,
    ...(from === '' ? {} : { from }),
    ...(asOf === '' ? {} : { as_of: asOf }),
    ...(tz === '' ? {} : { tz }),
    ...(order === 'filed' ? {} : { sort: order }),
    ...(change.cursor === undefined ? {} : { cursor: change.cursor }),
  })
  return `/restatements?${fields.toString()}`
}
