import { Elysia } from 'elysia'
import { cacheable, jsonType, respondFromCache } from '../../http/answers.ts'
import answers from '../../http/docs/examples/answers.json' with { type: 'json' }
import { operation } from '../../http/docs/operation.ts'
import { pathReader, queryReader } from '../../http/parameters.ts'
import { answerPinned, type Pinnable } from '../../http/pinned.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import { parseAsOf, pastDay } from '../../markets/asOf.ts'
import { withSnapshot } from '../../postgres/snapshot.ts'
import { withLicenceNotice } from '../../rights/licences.ts'
import type { CompanyDeps, PinnedStore } from '../companies/deps.ts'
import { withCompanyPin } from '../companies/withCompanyPin.ts'
import { CompanyNames, CompanyNamesQuery, readIds, readNames } from './names.ts'
import { readProfile } from './profile.ts'
import { Company, CompanyParams, CompanyQuery } from './schema.ts'

export interface CompanyProfileDeps
  extends Pick<CompanyDeps, 'sql' | 'lookups' | 'directory' | 'markets' | 'today'>,
    Pinnable<PinnedStore> {
  readonly responses: ResponseCache
  readonly dataVersion: () => number
}

const prefix = '/api/v1/companies/'
const readId = pathReader('id', CompanyParams.properties.id)
const readQuery = queryReader(CompanyQuery)
const readNamesQuery = queryReader(CompanyNamesQuery)

/**
 * GET /api/v1/companies: the names behind IDs. GET /api/v1/companies/{id}: what was known about a company on
 * a day. This is metadata, so every key may read it.
 */
export function companyProfileRoutes(http: HttpPlugin, deps: CompanyProfileDeps) {
  return new Elysia({ name: 'companyProfile' })
    .use(http)
    .get(
      '/api/v1/companies',
      ({ context }) => {
        const { ticker, data_version: version } = readNamesQuery(context.queryText)
        const ids = readIds(ticker)
        const { rights } = context.authenticatedCaller
        rights.requireVersion(version, 'these companies', ids)
        const key = `names ${rights.licence} ${ids.join(',')}`
        return answerPinned(deps, context, version, deps => {
          const dataVersion = deps.dataVersion()
          const response = cacheable(key, jsonType, async () =>
            JSON.stringify(withLicenceNotice(rights, await readNames(deps, ids, dataVersion))),
          )
          return respondFromCache(deps.responses, context, dataVersion, response)
        })
      },
      { ...namesOperation },
    )
    .get(
      '/api/v1/companies/:id',
      ({ context }) => {
        const id = readId(context.path.slice(prefix.length).replace(/\/$/, ''))
        const { data_version: version, ...query } = readQuery(context.queryText)
        const day = deps.today()
        const sent = parseAsOf(query)
        if (sent?.kind === 'day') pastDay(sent.day, day)
        const { rights } = context.authenticatedCaller
        const key = `company ${rights.licence} ${day} ${JSON.stringify(sent === null ? day : query)} ${id}`
        return withCompanyPin(deps, rights, { version, id }, () =>
          answerPinned(deps, context, version, deps => {
            const response = cacheable(key, jsonType, async () => {
              const profile = await withSnapshot(deps.sql, sql => readProfile({ ...deps, sql }, id, sent))
              return JSON.stringify(withLicenceNotice(rights, profile))
            })
            return respondFromCache(deps.responses, context, deps.dataVersion(), response)
          }),
        )
      },
      { ...companyOperation },
    )
}

const namesOperation = operation({
  id: 'getCompanyNames',
  tag: 'Fundamentals',
  summary: 'The names behind IDs',
  description:
    'Name, current ID, number and market of up to 300 companies, by any of their IDs. Unknown IDs are listed in `unknown` and do not fail the request, so you can check a list here before you send it to routes that refuse unknown IDs. The companies do not count against an evaluation.',
  access: 'key',
  query: CompanyNamesQuery,
  example: { ticker: 'AAPL,0001652044,NOSUCH' },
  answer: {
    schema: CompanyNames,
    description: 'The companies, in the order of the request.',
    examples: { two: { summary: 'A ticker, a number and an unknown ID', value: answers.company_names } },
  },
  errors: ['licence_required', 'statement_timeout'],
  data: true,
})

const companyOperation = operation({
  id: 'getCompany',
  tag: 'Fundamentals',
  summary: 'What was known of a company on a day',
  description:
    'Name, sector and fiscal year end from the documents filed by `as_of`, each with the day of the filing that states it; currency, first and last filing, and the metrics held. What the register states without a day (name, exchange, status, sector, IDs) is under `today` and is left out for a past `as_of`. `symbols` lists what sources state about its symbols, and `lineage` lists its predecessors and successors, both as known by `as_of`. Accepts any ID that a register uses, and former IDs of the company; a symbol that another company had on `as_of` finds that company.',
  access: 'key',
  path: CompanyParams,
  query: CompanyQuery,
  example: { id: 'AAPL' },
  answer: {
    schema: Company,
    description: 'The company.',
    examples: { apple: { summary: 'Apple (metrics shortened)', value: answers.company } },
  },
  errors: ['licence_required', 'entity_unknown', 'statement_timeout'],
  data: true,
})
