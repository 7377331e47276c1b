import { parseAsOf, pastDay } from '../../../markets/asOf.ts'
import { withSnapshot } from '../../../postgres/snapshot.ts'
import type { Rights } from '../../../rights/rights.ts'
import { standardLines } from '../../../standardLines/standardLines.ts'
import { type ContentSince, contentSince } from '../../../wholeFilings/knownFilingQueries.ts'
import type { EventStore } from '../../asOfJoins/eventStore.ts'
import { findByAnyId, idOnDay } from '../../companies/lookup.ts'
import { readProfile } from '../../companyProfile/profile.ts'
import type { Company } from '../../companyProfile/schema.ts'
import { planFilings, readFilings } from '../../filings/filings.ts'
import type { FilingList } from '../../filings/schema.ts'
import { planCompany } from '../../fundamentals/plan.ts'
import { answerCompany, dataVersionConflict, maxAttempts } from '../../fundamentals/read.ts'
import type { FundamentalsList, FundamentalsQuery } from '../../fundamentals/schema.ts'
import type { Split } from '../../fundamentals/splits.ts'
import type { WholeFilingDeps } from '../../statements/filingReader.ts'
import { fiscalPeriods } from '../../statements/fiscalYears.ts'
import { readStandardStatementWithSources } from '../../statements/standardStatement.ts'
import { planStatement } from '../../statements/statementPlan.ts'
import type { KnownPriceSets } from '../../valuations/knownPriceSets.ts'
import { type CheckedStatement, withSides } from '../checkedFigures.ts'
import type { PageDeps, Visitor } from '../deps.ts'
import { periodsOf } from '../periodTabs.ts'
import { type CompanyPageQuery, figureOf } from './query.ts'

/** The contents of a company's page, all of one data version. */
export interface CompanyView {
  readonly profile: Company
  /** An ID that names the company on the day of the page. */
  readonly idThen: string
  /** Every vintage filed by the day of the page. */
  readonly list: FundamentalsList
  /** Every vintage known today, through which the slider moves. The same as `list` if no day is chosen. */
  readonly today: FundamentalsList
  /** Whether the visitor's licence opens other days and years of this company. */
  readonly hasFullHistory: boolean
  readonly splits: ShownSplits
  readonly filings: FilingList
  /** The statement in standard lines that has the chosen figure; null if there is none. */
  readonly standard: CheckedStatement | null
  /** Since when filings in full are on record, as far as the visitor may know. */
  readonly content: ContentSince
}

/** The splits of shares that filings show, earliest first, as the API detects them. */
export interface ShownSplits {
  /** Those shown by the day of the page. */
  readonly known: readonly Split[]
  readonly today: readonly Split[]
}

export interface CompanyPageDeps extends PageDeps, WholeFilingDeps {
  readonly events: EventStore
  readonly priceSets: KnownPriceSets
}

const shownFilings = 20

type Chosen = Pick<CompanyPageQuery, 'as_of' | 'tz'>

/**
 * Reads a company through the API's own functions with the visitor's rights, so that the page refuses
 * whatever the API refuses.
 */
export async function readCompanyView(
  deps: CompanyPageDeps,
  visitor: Visitor,
  id: string,
  { as_of, tz, show = 'years', cell }: CompanyPageQuery,
): Promise<CompanyView> {
  const chosen: Chosen = {
    ...(as_of === undefined ? {} : { as_of }),
    ...(tz === undefined ? {} : { tz }),
  }
  const { rights } = visitor
  const sent = parseAsOf(chosen)
  if (sent?.kind === 'day') pastDay(sent.day, deps.today())
  for (let left = maxAttempts; left > 0; left--) {
    const lookup = { ...deps, sql: deps.lookups }
    const found = await findByAnyId(lookup, id, sent)
    const ticker = sent === null ? found.ticker : await idOnDay(lookup, found, sent)
    const query: FundamentalsQuery = {
      ticker,
      fp: periodsOf[show],
      fields: 'accession,form,tag,accepted_at,url',
      ...chosen,
    }
    // Runs first, because it checks access and counts the company for capped keys.
    const plan = await planCompany(deps, rights, query)
    const [profile, list, ofToday, filings, splits, splitsToday, standard, content] = await Promise.all([
      withSnapshot(deps.sql, sql => readProfile({ ...deps, sql }, id, sent)),
      answerCompany(deps, rights, query, plan),
      as_of === undefined ? null : readAll(deps, rights, todayOf({ ...query, ticker: found.ticker })),
      readLatestFilings(deps, rights, ticker, chosen),
      readSplits(deps, rights, query),
      as_of === undefined ? null : readSplits(deps, rights, todayOf({ ...query, ticker: found.ticker })),
      // A filing cannot be cut to the most recent year, so visitors who see only that year see no filing.
      cell === undefined || plan.recentFiscalYearOnly
        ? null
        : readStandardOf(deps, visitor, { ticker, ...chosen }, cell),
      plan.recentFiscalYearOnly ? null : contentSince(deps.sql, found.entity.entityId, deps.today()),
    ])
    const today = ofToday ?? list
    const parts = [profile, today, filings, splits, splitsToday, standard].filter(part => part !== null)
    if (parts.every(part => part.data_version === list.data_version))
      return {
        profile,
        idThen: ticker,
        list,
        today,
        hasFullHistory: !plan.recentFiscalYearOnly,
        splits: { known: splits.splits ?? [], today: (splitsToday ?? splits).splits ?? [] },
        filings,
        standard,
        // That a company has no filing is no secret: its profile says so to everybody.
        content: content ?? recentContent(profile),
      }
  }
  throw dataVersionConflict()
}

/** On the page of a visitor who sees only the most recent year, which has no other day. */
export function recentContent({ filings, last_filed }: Company): ContentSince {
  const since = filings > 0 ? last_filed : null
  return { statements: since, segments: since }
}

const todayOf = ({ as_of: _, tz: __, ...query }: FundamentalsQuery): FundamentalsQuery => query

const readAll = async (deps: PageDeps, rights: Rights, query: FundamentalsQuery): Promise<FundamentalsList> =>
  answerCompany(deps, rights, query, await planCompany(deps, rights, query))

/** The answer to a query adjusted for splits, with only the figures that splits adjust. */
function readSplits(
  deps: PageDeps,
  rights: Rights,
  { fields: _, ...query }: FundamentalsQuery,
): Promise<FundamentalsList> {
  const adjusted = [...deps.markets.metrics.values()].filter(
    ({ unit }) => unit === 'shares' || unit === 'currency/share',
  )
  const metric = adjusted.map(({ name }) => name).join(',')
  return readAll(deps, rights, { ...query, metric, adjust: 'splits' })
}

async function readLatestFilings(
  deps: PageDeps,
  rights: Rights,
  ticker: string,
  chosen: Chosen,
): Promise<FilingList> {
  const query = { ticker, limit: shownFilings, ...chosen }
  return readFilings(deps, await planFilings(deps, rights, query))
}

/**
 * The report on the period of a figure, in standard lines. The balances of a fourth quarter are those of the year.
 *
 * @param company with an ID of the day
 */
async function readStandardOf(
  deps: CompanyPageDeps,
  { rights, subject }: Visitor,
  company: { readonly ticker: string; readonly as_of?: string; readonly tz?: string },
  cell: string,
): Promise<CheckedStatement | null> {
  const { metric, fy, fp } = figureOf(cell)
  const line = standardLines.find(({ name }) => name === metric)
  const report = fiscalPeriods.find(name => name === (fp === 'Q4' ? 'FY' : fp))
  if (line === undefined || report === undefined) return null
  const plan = await planStatement(deps, rights, {
    ...company,
    statement: line.statement,
    view: 'standard',
    fp: report,
    fy,
  })
  return deps.readLimiter.run(subject, () =>
    withSnapshot(deps.sql, async sql =>
      withSides(await readStandardStatementWithSources({ ...deps, sql }, plan)),
    ),
  )
}
