import { Type } from '@sinclair/typebox'
import { FundamentalsList } from './fundamentals.ts'
import { FormatSchema } from './sheet.ts'

/** How many companies a page of a market may have. */
export interface PageLimit {
  readonly most: number
  readonly usual: number
  /** Of a demo or free key. */
  readonly mostOfFree: number
}

/** Parameters of every question for one metric of all companies of a market. */
export const marketQuestion = {
  metric: (example: string) =>
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'One metric name; the coverage index lists them.',
      examples: [example],
    }),
  market: Type.String({
    pattern: '^[A-Za-z]{2}$',
    description: 'Market code. One market at a time: the same column can mean different things in two.',
    examples: ['US'],
  }),
  limit: ({ most, usual }: PageLimit, description: string) =>
    Type.Optional(
      Type.Integer({ minimum: 1, maximum: most, default: usual, description, examples: [usual] }),
    ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'The `next` of the page before, with the other parameters unchanged. It holds for the day of that page: where `as_of` is left out, send the `as_of` of its answer from midnight UTC on.',
      examples: ['VVMgMSAyMDEwLTAyLTAxIDQ'],
    }),
  ),
  format: FormatSchema,
}

const { as_of, data_version, licence, attribution } = FundamentalsList.properties

/** What every page of a market says beside its rows.
 *
 * @param leftOut what a note may say beside why there are no rows */
export const marketPage = {
  market: Type.String({ examples: ['US'] }),
  as_of,
  data_version,
  licence,
  attribution,
  note: (leftOut: string) =>
    Type.Optional(
      Type.String({
        description: `Why there are no rows, ${leftOut}, or that data was imported since the first page.`,
      }),
    ),
  next: Type.Union([Type.String(), Type.Null()], {
    description: 'Send it as `cursor` for the companies after these; null at the end.',
  }),
}
