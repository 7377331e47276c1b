import { Elysia } from 'elysia'
import { readOutputFormat } from '../../formats/columns.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { queryReader } from '../../http/parameters.ts'
import { answerPinned } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { withAcceptedFormat } from '../../http/preferences.ts'
import { withAllowance } from '../../rights/entityCap.ts'
import { Terms } from '../../wholeFilings/terms.ts'
import { answerMarketPage, type MarketPageDeps, marketPageErrors } from '../marketPages/answer.ts'
import { planFrame, readFramePage } from './frames.ts'
import { FrameList, FramesQuery, frameSheetOf } from './schema.ts'

const readQuery = queryReader(FramesQuery)

/** GET /api/v1/frames: one tag of every company of a market for a period, as known on a day. */
export function framesRoutes(http: HttpPlugin, deps: MarketPageDeps) {
  const terms = new Terms()
  return new Elysia({ name: 'frames' }).use(http).get(
    '/api/v1/frames',
    ({ context }) => {
      const query = withAcceptedFormat(context, readQuery(context.queryText))
      const output = readOutputFormat(query)
      const { rights } = context.authenticatedCaller
      return withAllowance(deps.sql, rights, allowance => {
        const plan = planFrame(deps, { rights, allowance }, query)
        return answerPinned(deps, context, query.data_version, deps =>
          answerMarketPage(deps, context, {
            output,
            market: plan.market,
            cacheKey: plan.cacheKey,
            columns: frameSheetOf(plan.asOf),
            fileName: ['frame', plan.market, plan.tag, plan.period, plan.asOf],
            read: () => readFramePage({ ...deps, terms }, rights, plan),
          }),
        )
      })
    },
    { ...framesOperation },
  )
}

const framesOperation = operation({
  id: 'getFrame',
  tag: 'Fundamentals',
  summary: 'One tag of every company of a market for a period, as known on a given day',
  description:
    'One row per company: the value that its latest filing states for the tag and the period, among the filings that were public on `as_of`. The frames of the SEC show the last filing of today only. Only figures of the whole company, without dimensions, in one `unit`. If a filing states several periods of one frame, the one that ends nearest to the end of the frame counts, and of several values for one period the most accurate; equally accurate values that differ do not count. Facts that state no value (nil) do not count either.\n\nCompanies are in the order in which they were first imported. `next` (in other formats the header X-Next-Cursor) continues after `limit` companies. A filing of `as_of` itself is included: to trade at the open of a day, send the previous day.\n\nRequires an evaluation key or a Personal or Commercial data licence. With an evaluation key, every company on a page counts as seen, and a page has 100 companies if `limit` is not sent. If the key may not see as many further companies as `limit`, the answer covers only the companies that it has already seen, and says so (`seen_only`).',
  access: 'key',
  query: FramesQuery,
  example: { tag: 'us-gaap:Assets', period: 'CY2009Q2I', market: 'US' },
  answer: {
    schema: FrameList,
    description: 'One row per company, always in the same order.',
    headers: ['X-Next-Cursor'],
    examples: {
      assets: { summary: 'Total assets as known on 2009-08-31', value: answers.frame },
    },
    rows: { csv: answers.frame_csv, ndjson: answers.frame_ndjson },
  },
  errors: marketPageErrors,
  data: true,
})
