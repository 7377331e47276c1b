import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../../../dates.ts'
import { queryReader } from '../../../http/parameters.ts'
import { asOfParameter, zoneParameter } from '../../../markets/asOf.ts'
import { tabs } from '../periodTabs.ts'

export { periodsOf, type Tab, tabs } from '../periodTabs.ts'

export const CompanyPageQuery = Type.Object(
  {
    as_of: asOfParameter('Only what was known on this day.', '2010-01-25'),
    tz: zoneParameter,
    show: Type.Optional(Type.Union(tabs.map(tab => Type.Literal(tab)))),
    /** Only periods that ended by this day, to reach the early ones of a long history. */
    before: Type.Optional(IsoDateSchema('Only periods that ended by this day.', '2015-12-31')),
    /** The cell whose vintages are listed: `revenue.2009.FY.2009-09-26`. */
    cell: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9_]{0,63}\\.[0-9]{4}\\.(FY|Q[1-4]|TTM)\\.[0-9]{4}-[0-9]{2}-[0-9]{2}$',
        allowed: 'a metric and a period like revenue.2009.FY.2009-09-26',
        maxLength: 100,
      }),
    ),
  },
  { additionalProperties: false },
)
export type CompanyPageQuery = Static<typeof CompanyPageQuery>

export const readCompanyPageQuery = queryReader(CompanyPageQuery)

/** The figure that a cell names: `revenue.2009.FY.2009-09-26`. */
export function figureOf(cell: string) {
  const [metric = '', fy = '', fp = ''] = cell.split('.')
  return { metric, fy: Number(fy), fp }
}

/** The URL of the same page with other choices. `show=years` and no day are the defaults. */
export function companyPath(
  ticker: string,
  { show, as_of, tz, before, cell }: CompanyPageQuery = {},
): string {
  const fields = [
    ...(show === undefined || show === 'years' ? [] : [`show=${show}`]),
    ...(as_of === undefined ? [] : [`as_of=${encodeURIComponent(as_of)}`]),
    ...(tz === undefined ? [] : [`tz=${encodeURIComponent(tz)}`]),
    ...(before === undefined ? [] : [`before=${before}`]),
    ...(cell === undefined ? [] : [`cell=${cell}`]),
  ]
  const path = `/companies/${encodeURIComponent(ticker)}`
  return fields.length === 0 ? path : `${path}?${fields.join('&')}`
}
