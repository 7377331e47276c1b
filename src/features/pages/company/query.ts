import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema, isIsoDate } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import { queryReader } from '../../../http/parameters.ts'
import { asOfParameter, zoneParameter } from '../../../markets/asOf.ts'
import { tabs } from '../periodTabs.ts'

/** What the tables may show instead of the figures as known on the day. */
const figureViews = ['first_filed', 'latest'] as const

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
    /** Figures per share and share counts in the shares of the day of the page, as on the API. */
    adjust: Type.Optional(Type.Literal('splits')),
    /** Which vintage of each figure is shown. Without it: the one that was current on the day. */
    figures: Type.Optional(
      Type.Union(
        figureViews.map(view => Type.Literal(view)),
        {
          description:
            'first_filed: each figure as it was first filed. latest: each figure as known today, whatever the day.',
        },
      ),
    ),
    /** The line that the chart shows. */
    plot: Type.Optional(
      Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$', allowed: 'a metric like revenue', maxLength: 64 }),
    ),
    /** Shows below each restated figure what it was before. */
    changes: Type.Optional(Type.Literal('shown')),
  },
  { additionalProperties: false },
)
export type CompanyPageQuery = Static<typeof CompanyPageQuery>

const readFields = queryReader(
  Type.Object(
    {
      ...CompanyPageQuery.properties,
      /** A form without script sends the time apart from the day. */
      time: Type.Optional(
        Type.String({ pattern: '^[0-2][0-9]:[0-5][0-9]$', allowed: 'a time like 16:30', maxLength: 5 }),
      ),
    },
    { additionalProperties: false },
  ),
)

export function readCompanyPageQuery(text: string): CompanyPageQuery {
  const { time, ...query } = readFields(text)
  if (time === undefined) return query
  if (query.as_of === undefined || !isIsoDate(query.as_of)) {
    const message = `time=${time} is the time of a day. Send the day as well, like as_of=2010-01-25.`
    throw new Failure('parameter_invalid', message, { param: 'time' })
  }
  return { ...query, as_of: `${query.as_of}T${time}` }
}

/** The figure that a cell names: `revenue.2009.FY.2009-09-26`. */
export function figureOf(cell: string) {
  const [metric = '', fy = '', fp = ''] = cell.split('.')
  return { metric, fy: Number(fy), fp }
}

/** The URL of the same page with other choices. `show=years` and no day are the defaults. */
export function companyPath(
  ticker: string,
  { show, as_of, tz, before, cell, figures, plot, adjust, changes }: CompanyPageQuery = {},
): string {
  const fields = [
    ...(show === undefined || show === 'years' ? [] : [`show=${show}`]),
    ...(as_of === undefined ? [] : [`as_of=${encodeURIComponent(as_of)}`]),
    ...(tz === undefined ? [] : [`tz=${encodeURIComponent(tz)}`]),
    ...(before === undefined ? [] : [`before=${before}`]),
    ...(figures === undefined ? [] : [`figures=${figures}`]),
    ...(plot === undefined ? [] : [`plot=${plot}`]),
    ...(adjust === undefined ? [] : [`adjust=${adjust}`]),
    ...(changes === undefined ? [] : [`changes=${changes}`]),
    ...(cell === undefined ? [] : [`cell=${cell}`]),
  ]
  const path = `/companies/${encodeURIComponent(ticker)}`
  return fields.length === 0 ? path : `${path}?${fields.join('&')}`
}
