import { Elysia } from 'elysia'
import { cacheable, jsonType, respondFromCache } from '../../http/answers.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { pathReader, queryReader } from '../../http/parameters.ts'
import { answerPinned, type Pinnable } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import { readMarket } from '../../markets/parameters.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import { withLicenceNotice } from '../../rights/licences.ts'
import type { CompanyDeps, PinnedStore } from '../companies/deps.ts'
import { withCompanyPin } from '../companies/withCompanyPin.ts'
import { checkCoverage } from './check.ts'
import { marketStates } from './queries.ts'
import {
  CheckCoverage,
  CheckCoverageQuery,
  CoverageCheck,
  CoverageCheckParams,
  CoverageCheckQuery,
} from './schema.ts'

export interface CoverageDeps extends Pick<CompanyDeps, 'sql' | 'markets' | 'today'>, Pinnable<PinnedStore> {
  readonly responses: ResponseCache
  readonly dataVersion: () => number
}

const prefix = '/api/v1/coverage/'
const readId = pathReader('id', CoverageCheckParams.properties.id)
const readQuery = queryReader(CoverageCheckQuery)
const readStatesQuery = queryReader(CheckCoverageQuery)

/** GET /api/v1/coverage: the states of a market's figures. GET /api/v1/coverage/{id}: the record of a company. */
export function coverageRoutes(http: HttpPlugin, deps: CoverageDeps) {
  return new Elysia({ name: 'coverage' })
    .use(http)
    .get('/api/v1/coverage', ({ context }) => answerStates(deps, context), { ...statesOperation })
    .get(
      '/api/v1/coverage/:id',
      ({ context }) => {
        const { data_version: version } = readQuery(context.queryText)
        const id = readId(context.path.slice(prefix.length).replace(/\/$/, ''))
        const { rights } = context.authenticatedCaller
        const key = `check ${rights.licence} ${deps.today()} ${id}`
        return withCompanyPin(deps, rights, { version, id }, () =>
          answerPinned(deps, context, version, deps => {
            const response = cacheable(key, jsonType, async () => {
              const check = await withSnapshot(deps.sql, sql => checkCoverage({ ...deps, sql }, id))
              return JSON.stringify(withLicenceNotice(rights, check))
            })
            return respondFromCache(deps.responses, context, deps.dataVersion(), response)
          }),
        )
      },
      { ...coverageOperation },
    )
}

function answerStates(deps: CoverageDeps, context: RequestContext): Answer | Promise<Answer> {
  const { market: sent, data_version: version } = readStatesQuery(context.queryText)
  const market = readMarket(deps.markets, sent)
  const { rights } = context.authenticatedCaller
  if (version !== undefined) rights.requireVersion(version, 'the states of a market', null)
  const key = `states ${rights.licence} ${deps.today()} ${market}`
  return answerPinned(deps, context, version, deps => {
    const response = cacheable(key, jsonType, async () => {
      const { dataVersion, metrics } = await marketStates(deps.sql, market, deps.today())
      const answer: CheckCoverage = {
        object: 'check_coverage',
        market,
        data_version: dataVersion,
        count: metrics.length,
        data: metrics,
      }
      return JSON.stringify(withLicenceNotice(rights, answer))
    })
    return respondFromCache(deps.responses, context, deps.dataVersion(), response)
  })
}

const statesOperation = operation({
  id: 'getCheckCoverage',
  tag: 'Fundamentals',
  summary: "How many of a market's figures are proved, consistent, unchecked or contradicted",
  description:
    'Counts the figures that are current today by metric and state. Every key sees the counts of the whole market. The parameter `checks` of other routes selects figures by these states.',
  access: 'key',
  query: CheckCoverageQuery,
  example: { market: 'US' },
  answer: {
    schema: CheckCoverage,
    description: 'One row per metric that has figures.',
    examples: { us: { summary: 'The United States (list shortened)', value: answers.check_coverage } },
  },
  errors: ['licence_required', 'statement_timeout'],
  data: true,
})

const coverageOperation = operation({
  id: 'getCoverage',
  tag: 'Fundamentals',
  summary: 'What is on record for a company',
  description:
    'Accepts any ID that a register uses (an SEC CIK, a Korean corporate code, a company number with or without suffix). Returns the `ticker` to send, the first and last filing, and the periods of each metric, or the reason why there are none.',
  access: 'key',
  path: CoverageCheckParams,
  query: CoverageCheckQuery,
  example: { id: '320193' },
  answer: {
    schema: CoverageCheck,
    description: 'What is on record.',
    examples: {
      cik: { summary: 'A company identified by its SEC CIK (list shortened)', value: answers.coverage_check },
    },
  },
  errors: ['licence_required', 'entity_unknown', 'statement_timeout'],
  data: true,
})
