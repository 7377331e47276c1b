import type { Principal } from '../../../access/licences.ts'
import { readAsOf } from '../../../facts/asOf.ts'
import { withSnapshot } from '../../../postgres/snapshot.ts'
import { findByAnyId } from '../../companies/lookup.ts'
import { readProfile } from '../../companyProfile/profile.ts'
import type { Company } from '../../companyProfile/schema.ts'
import { planFilings, readFilings } from '../../filings/filings.ts'
import type { FilingList } from '../../filings/schema.ts'
import { planCompany } from '../../fundamentals/plan.ts'
import { answerCompany, dataVersionConflict, maxAttempts } from '../../fundamentals/read.ts'
import type { FundamentalsList, FundamentalsQuery } from '../../fundamentals/schema.ts'
import type { PageDeps } from '../deps.ts'
import type { CompanyPageQuery, Tab } from './query.ts'

/** What a company's page shows, all of one data version. */
export interface CompanyView {
  readonly profile: Company
  /** Every vintage that was filed by the day of the page. */
  readonly list: FundamentalsList
  /** Every vintage known today, among which one drags. The same as `list` where no day is chosen. */
  readonly today: FundamentalsList
  /** Whether the visitor's licence opens other days and years of this company. */
  readonly hasFullHistory: boolean
  readonly filings: FilingList
}

const periodsOf: Record<Tab, string> = { years: 'FY', quarters: 'Q1,Q2,Q3,Q4', ttm: 'TTM' }
const shownFilings = 20

/** Reads a company by the verbs of the API, with the visitor's rights: what a key is refused, the page is refused. */
export async function readCompanyView(
  deps: PageDeps,
  principal: Principal,
  id: string,
  { as_of, show = 'years' }: CompanyPageQuery,
): Promise<CompanyView> {
  const day = readAsOf(as_of, deps.today())
  for (let left = maxAttempts; left > 0; left--) {
    const { ticker } = await findByAnyId({ sql: deps.lookups, markets: deps.markets }, id)
    const query: FundamentalsQuery = {
      ticker,
      fp: periodsOf[show],
      fields: 'accession,form,tag,url',
      ...(as_of === undefined ? {} : { as_of }),
    }
    // First of all: it refuses, and it counts the company of a capped key.
    const plan = await planCompany(deps, principal, query)
    const [profile, list, ofToday, filings] = await Promise.all([
      withSnapshot(deps.sql, sql => readProfile({ ...deps, sql }, id, day)),
      answerCompany(deps, principal, query, plan),
      as_of === undefined ? null : readToday(deps, principal, query),
      readLatestFilings(deps, principal, ticker, as_of),
    ])
    const today = ofToday ?? list
    if ([profile, today, filings].every(part => part.data_version === list.data_version))
      return { profile, list, today, hasFullHistory: !plan.recentFiscalYearOnly, filings }
  }
  throw dataVersionConflict()
}

async function readToday(
  deps: PageDeps,
  principal: Principal,
  { as_of: _, ...query }: FundamentalsQuery,
): Promise<FundamentalsList> {
  return answerCompany(deps, principal, query, await planCompany(deps, principal, query))
}

async function readLatestFilings(
  deps: PageDeps,
  principal: Principal,
  ticker: string,
  asOf: string | undefined,
): Promise<FilingList> {
  const query = { ticker, limit: shownFilings, ...(asOf === undefined ? {} : { as_of: asOf }) }
  return readFilings(deps, await planFilings(deps, principal, query))
}
