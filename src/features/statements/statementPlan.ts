import type { Rights } from '../../rights/rights.ts'
import type { StatementName } from '../../wholeFilings/kindOfStatement.ts'
import type { CompanyDeps } from '../companies/deps.ts'
import { type FilingsOfCompany, planFilingsOf, refused } from './company.ts'
import type { FiscalLabel } from './fiscalYears.ts'
import { defaultFilings, type StatementQuery } from './statementSchema.ts'

/** A request for a statement after all decisions. */
export interface StatementPlan extends FilingsOfCompany {
  readonly statement: StatementName
  readonly view: 'as_known' | 'as_filed' | 'standard'
  readonly asked: Partial<FiscalLabel>
  readonly accession: string | null
  readonly filings: number
  readonly cacheKey: string
}

export async function planStatement(
  deps: CompanyDeps,
  rights: Rights,
  query: StatementQuery,
): Promise<StatementPlan> {
  const { statement, view = 'as_known', fp, fy, accession, filings } = query
  if (view !== 'as_filed' && accession !== undefined)
    throw refused('accession', 'accession names one filing. Send view=as_filed with it.')
  if (view === 'as_filed' && filings !== undefined)
    throw refused(
      'filings',
      'filings is for view=as_known and view=standard: view=as_filed shows one filing. Omit filings.',
    )
  if (accession !== undefined && (fp !== undefined || fy !== undefined))
    throw refused(
      'accession',
      'accession names one filing, and fp and fy choose one. Omit accession, or both others.',
    )
  const company = await planFilingsOf(deps, rights, query)
  const plan = {
    ...company,
    statement,
    view,
    asked: { ...(fp === undefined ? {} : { fp }), ...(fy === undefined ? {} : { fy }) },
    accession: accession ?? null,
    filings: filings ?? defaultFilings,
  }
  return { ...plan, cacheKey: `statement ${JSON.stringify(Object.values(plan))}` }
}
