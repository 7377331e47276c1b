import { Elysia } from 'elysia'
import { withLicenceNotice } from '../../access/licences.ts'
import { readAsOf } from '../../facts/asOf.ts'
import { cacheable, jsonType, respondFromCache } from '../../http/answers.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { pathReader, queryReader } from '../../http/parameters.ts'
import { answerPinned, type Pinnable } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import type { CompanyDeps, PinnedStore } from '../companies/deps.ts'
import { withCompanyPin } from '../companies/pinRight.ts'
import { readProfile } from './profile.ts'
import { Company, CompanyParams, CompanyQuery } from './schema.ts'

export interface CompanyProfileDeps
  extends Pick<CompanyDeps, 'sql' | 'markets' | 'today' | 'flagship'>,
    Pinnable<PinnedStore> {
  readonly responses: ResponseCache
  readonly dataVersion: () => number
}

const prefix = '/api/v1/companies/'
const readId = pathReader('id', CompanyParams.properties.id)
const readQuery = queryReader(CompanyQuery)

/** GET /api/v1/companies/{id}: what was known of a company on a day. Metadata, so with every key. */
export function companyProfileRoutes(http: HttpPlugin, deps: CompanyProfileDeps) {
  return new Elysia({ name: 'companyProfile' }).use(http).get(
    '/api/v1/companies/:id',
    ({ context }) => {
      const id = readId(context.path.slice(prefix.length).replace(/\/$/, ''))
      const { as_of, data_version: version } = readQuery(context.queryText)
      const day = deps.today()
      const asOf = readAsOf(as_of, day)
      const { principal } = context.authenticatedCaller
      const key = `company ${principal.licence} ${day} ${asOf} ${id}`
      return withCompanyPin(deps, principal, { version, id }, () =>
        answerPinned(deps, context, version, deps => {
          const response = cacheable(key, jsonType, async () => {
            const profile = await withSnapshot(deps.sql, sql => readProfile({ ...deps, sql }, id, asOf))
            return JSON.stringify(withLicenceNotice(principal, profile))
          })
          return respondFromCache(deps.responses, context, deps.dataVersion(), response)
        }),
      )
    },
    { ...companyOperation },
  )
}

const companyOperation = operation({
  id: 'getCompany',
  tag: 'Fundamentals',
  summary: 'What was known of a company on a day',
  description:
    'Name, sector and fiscal year end from the documents filed by `as_of`, each with the day of the filing that states it; currency, first and last filing, and the metrics held. What the register states without a day (name, exchange, status, sector, IDs) is under `today` and is left out for a past `as_of`. Accepts any ID that a register uses, and IDs that the company had before.',
  access: 'key',
  path: CompanyParams,
  query: CompanyQuery,
  example: { id: 'AAPL' },
  answer: {
    schema: Company,
    description: 'The company.',
    examples: { apple: { summary: 'Apple (metrics shortened)', value: answers.company } },
  },
  errors: [
    'parameter_invalid',
    'parameter_repeated',
    'licence_required',
    'entity_unknown',
    'statement_timeout',
  ],
  data: true,
})
