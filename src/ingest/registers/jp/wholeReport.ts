import { Failure } from '../../../errors.ts'
import type { WholeSource } from '../../../wholeFilings/statedFiling.ts'
import type { Dimension, Statement, StatementKind, WholeFiling } from '../../../wholeFilings/wholeFiling.ts'
import { figuresOf, lastPartOf, PrefixedNames } from '../../xbrl/figures.ts'
import type { XbrlFact, XbrlInstance } from '../../xbrl/instance.ts'
import { readLinkbases } from '../../xbrl/linkbase.ts'
import { type Presentations, presentationsOf } from '../../xbrl/presentations.ts'
import type { Tally } from '../registerInterface.ts'

/** A report in full, without what its head states. */
export interface WholeReport extends Omit<WholeFiling, 'accession'> {
  readonly source: WholeSource
}

/** The axis and member by which the register marks the accounts of the company alone. */
export const separateAccounts: Dimension = {
  axis: 'jppfs_cor:ConsolidatedOrNonConsolidatedAxis',
  member: 'jppfs_cor:NonConsolidatedMember',
}

/**
 * Reads all figures of an instance. Without its presentation it replaces the register's CSV, which omits days, accuracies
 * and axes.
 *
 * @param presentations null if the instance came alone
 * @param fault names a figure that is left out, with the line of its fact
 */
export function wholeInstance(
  instance: XbrlInstance,
  presentations: Presentations | null,
  fault: (line: number, text: string, fact: XbrlFact) => void,
): WholeReport {
  const names = new PrefixedNames(prefixOf)
  const figures = figuresOf(instance, { spell: name => names.spell(name), fault })
  const { taxonomies } = names
  const statements = presentations?.statements ?? []
  return {
    taxonomies,
    figures,
    statements,
    sums: presentations?.sums ?? [],
    defaultMembers: presentations?.defaultMembers ?? new Map(),
    source: statements.length > 0 ? 'documents' : 'dataSet',
  }
}

/**
 * The prefix of a namespace: `jppfs_cor`, whatever the year of the taxonomy; for a filer's own elements their form and
 * the filer's code, as in `jpcrp030000-asr_E02144-000`.
 */
function prefixOf(namespace: string): string {
  const own = /\.edinet-fsa\.go\.jp\/([a-z]+\d{6})\/([a-z]+)\/\d{3}\/([EG]\d{5}-\d{3})\//.exec(namespace)
  return own === null ? lastPartOf(namespace) : `${own[1]}-${own[2]}_${own[3]}`
}

/** `jppfs_cor_Assets` becomes `jppfs_cor:Assets`. Prefixes contain underscores, names of elements do not. */
function conceptOfId(id: string): string {
  const at = id.lastIndexOf('_')
  return at < 0 ? id : `${id.slice(0, at)}:${id.slice(at + 1)}`
}

/** A document of a report that states how figures are presented. */
export interface LinkbaseDocument {
  readonly name: string
  readonly text: string
}

/**
 * Reads the schema and the linkbases of a report. If one of them is faulty, the fault is named and the report has its
 * figures without statements.
 */
export function readPresentations(
  documents: readonly LinkbaseDocument[],
  { faults }: Tally,
): Presentations | null {
  if (documents.length === 0) return null
  try {
    const presentations = presentationsOf(readLinkbases(documents), { conceptOfId, language: 'ja' })
    return { ...presentations, statements: presentations.statements.map(classified) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    faults.add(`the report is stored without its statements: ${error.message}`)
    return null
  }
}

/**
 * The register's own names of the statements, in the roles of its taxonomies for Japanese standards and for IFRS. Interim
 * statements under IFRS are condensed ones. Those of three months (`QuarterPeriod`) stand beside those of the year to date.
 */
const statementRole =
  /\/rol_(?:std_)?(?:Condensed)?(?:(?:Quarterly|SemiAnnual|Interim|YearToQuarterEnd|Type1SemiAnnual)?(?:Consolidated)?)(BalanceSheet|StatementOf(?:FinancialPosition|IncomeAndRetainedEarnings|Income|ProfitOrLoss|ComprehensiveIncome(?:SingleStatement)?|CashFlows|ChangesIn(?:NetAssets|Equity)|UnitholdersEquity))(?:IFRS)?(?:-(?:direct|indirect))?$/

function kindOf(role: string): StatementKind | null {
  const name = statementRole.exec(role)?.[1]
  if (name === undefined) return null
  if (name === 'BalanceSheet' || name.endsWith('FinancialPosition')) return 'BS'
  if (name.endsWith('CashFlows')) return 'CF'
  if (name.includes('ComprehensiveIncome')) return 'CI'
  return name.includes('ChangesIn') || name.endsWith('UnitholdersEquity') ? 'EQ' : 'IS'
}

/** A statement of the company alone presents the axis with that member only. */
function classified(statement: Statement): Statement {
  const { role, lines } = statement
  const kind = kindOf(role)
  const at = lines.findIndex(({ concept }) => concept === separateAccounts.axis)
  const depth = lines[at]?.depth ?? 0
  const after = lines.slice(at + 1)
  const end = after.findIndex(line => (line.depth ?? 0) <= depth)
  const members = end < 0 ? after : after.slice(0, end)
  const isSeparate =
    at >= 0 && members.length > 0 && members.every(({ concept }) => concept === separateAccounts.member)
  return { ...statement, kind, ...(isSeparate ? { dimensions: [separateAccounts] } : {}) }
}
