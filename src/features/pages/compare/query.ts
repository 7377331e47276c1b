import { type Static, Type } from '@sinclair/typebox'
import { IsoDateSchema } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import { queryReader } from '../../../http/parameters.ts'
import { asOfParameter, zoneParameter } from '../../../markets/asOf.ts'
import { type Tab, tabs } from '../company/query.ts'
import { queryText } from '../companyFrame.ts'

/** More companies or lines would make a table that nobody reads at once. */
export const maxCompanies = 8
export const maxLines = 6
const defaultLines = ['revenue', 'net_income']

export const views = ['values', 'growth', 'indexed'] as const
export type View = (typeof views)[number]

const CompareQuery = Type.Object(
  {
    companies: Type.Optional(
      Type.String({ maxLength: 2_000, allowed: 'company IDs separated by commas, spaces or lines' }),
    ),
    metric: Type.Optional(
      Type.String({
        maxLength: 600,
        allowed: 'names of metrics separated by commas, like revenue,net_income',
      }),
    ),
    show: Type.Optional(Type.Union(tabs.map(tab => Type.Literal(tab)))),
    view: Type.Optional(Type.Union(views.map(view => Type.Literal(view)))),
    as_of: asOfParameter('Only what was known on this day.', '2010-01-25'),
    tz: zoneParameter,
    /** Only periods that ended by this day, to reach the early ones of a long history. */
    before: Type.Optional(IsoDateSchema('Only periods that ended by this day.', '2010-12-31')),
  },
  { additionalProperties: false },
)
const read = queryReader(CompareQuery)

/** What a comparison shows. */
export interface Compare extends Pick<Static<typeof CompareQuery>, 'as_of' | 'tz'> {
  /** As typed, in upper case, each once. */
  readonly companies: readonly string[]
  readonly metrics: readonly string[]
  readonly show: Tab
  readonly view: View
  /** Only periods that ended by this day. */
  readonly before?: string | undefined
}

/** The values of the form, valid or not. */
export interface CompareFields {
  readonly companies: string
  readonly metrics: readonly string[]
  readonly show: string
  readonly view: string
  readonly asOf: string
  readonly tz: string
}

const listed = (text: string) => [...new Set(text.split(/[\s,;]+/).filter(name => name !== ''))]

/** The form as it was sent, so that a mistake in one field does not empty the others. */
export function fieldsOf(queryText: string): CompareFields {
  const sent = new URLSearchParams(queryText)
  const metrics = listed(sent.getAll('metric').join(','))
  return {
    companies: sent.get('companies') ?? '',
    metrics: (metrics.length === 0 ? defaultLines : metrics).slice(0, maxLines),
    show: sent.get('show') ?? 'years',
    view: sent.get('view') ?? 'values',
    asOf: sent.get('as_of') ?? '',
    tz: sent.get('tz') ?? '',
  }
}

/** Lines and tabs of a pasted list are spaces: parameters have no control characters. */
const asOneLine = (field: string) =>
  field.startsWith('companies=') ? field.replaceAll(/%0[9AD]/gi, '+') : field

/** Reads the query. The form sends a field `metric` for each line, an address one with commas. */
export function readCompare(queryText: string): Compare {
  const fields = queryText.split('&').map(asOneLine)
  const isLine = (field: string) => field.startsWith('metric=')
  const lines = fields.filter(isLine).map(field => field.slice('metric='.length))
  const merged = lines.length === 0 ? [] : [`metric=${lines.join(',')}`]
  const {
    companies = '',
    metric = '',
    show = 'years',
    view = 'values',
    ...day
  } = read([...fields.filter(field => !isLine(field)), ...merged].join('&'))
  const metrics = listed(metric.toLowerCase())
  if (metrics.length > maxLines)
    throw new Failure(
      'parameter_invalid',
      `metric lists ${metrics.length} lines. A comparison shows up to ${maxLines}.`,
      { param: 'metric' },
    )
  return {
    companies: listed(companies.toUpperCase()),
    metrics: metrics.length === 0 ? defaultLines : metrics,
    show,
    view,
    ...day,
  }
}

/** The day of a comparison, as the addresses of companies have it. */
export const chosenDay = ({ as_of, tz }: Compare): Pick<Compare, 'as_of' | 'tz'> => ({
  ...(as_of === undefined ? {} : { as_of }),
  ...(tz === undefined ? {} : { tz }),
})

/** The address of the same comparison with other choices. */
export function comparePath(compare: Compare, change: Partial<Compare> = {}): string {
  const { companies, metrics, show, view, as_of, tz, before } = { ...compare, ...change }
  const text = queryText({
    companies: companies.length === 0 ? undefined : companies.join(','),
    metric: metrics.join(',') === defaultLines.join(',') ? undefined : metrics.join(','),
    show: show === 'years' ? undefined : show,
    view: view === 'values' ? undefined : view,
    as_of,
    tz,
    before,
  })
  return `/compare${text.replaceAll('%2C', ',')}`
}
