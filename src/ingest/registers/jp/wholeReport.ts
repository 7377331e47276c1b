import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import type { StatementKind, WholeFiling } from '../../../wholeFilings/wholeFiling.ts'
import { numberOf } from '../../reading/fields.ts'
import { figuresOf, PrefixedNames } from '../../xbrl/figures.ts'
import type { XbrlFact, XbrlInstance } from '../../xbrl/instance.ts'
import type { Linkbases } from '../../xbrl/linkbase.ts'
import { defaultMembersOf, type Spelling, statementOf, sumsOf } from '../../xbrl/presentation.ts'
import type { Tally } from '../registerInterface.ts'
import { accountsAxis, consolidated } from './axes.ts'
import { soloTag, usesOfTag } from './concepts.ts'
import type { Report } from './report.ts'
import { prefixOf } from './xbrlReport.ts'

const spelling: Spelling = {
  // `jppfs_cor_Assets` becomes `jppfs_cor:Assets`. Prefixes contain underscores, and names of elements do not.
  conceptOfId: id => {
    const last = id.lastIndexOf('_')
    return last < 0 ? id : `${id.slice(0, last)}:${id.slice(last + 1)}`
  },
  language: /^ja(-|$)/i,
}

/**
 * A report in full. An instance is what EDINET makes of the report, without its presentation, so it counts less than
 * a report with linkbases and more than a CSV, which leaves out days, accuracies and axes.
 *
 * @param linkbases null if the file is an instance alone
 */
export function wholeReport(
  instance: XbrlInstance,
  report: Report,
  linkbases: Linkbases | null,
  { faults }: Tally,
): StatedFiling {
  const names = new PrefixedNames(prefixOf)
  const figures = figuresOf(instance, {
    spell: name => names.spell(name),
    fault: (line, text, fact) => {
      const tag = names.spell(`{${fact.namespace}}${fact.name}`)
      if (!isNamedByMetric(fact, tag, instance)) faults.add(`line ${line}: ${text}`)
    },
  })
  const links = linkbases?.links ?? []
  const presented = links.filter(({ kind, arcs }) => kind === 'presentation' && arcs.length > 0)
  const statements = presented.map(link => ({
    ...statementOf(link, linkbases ?? noLabels, spelling),
    kind: kindOfRole(link.role),
  }))
  const whole: WholeFiling = {
    accession: report.accession,
    taxonomies: new Map([...names.taxonomies].filter(([prefix]) => prefix !== '')),
    figures,
    statements,
    sums: links.filter(({ kind }) => kind === 'calculation').flatMap(link => sumsOf(link, spelling)),
    defaultMembers: new Map([[accountsAxis, consolidated], ...defaultMembersOf(links, spelling)]),
  }
  return {
    market: 'JP',
    issuerId: report.edinetCode,
    whole,
    source: statements.length > 0 ? 'documents' : 'dataSet',
    periodEnd: report.periodEnd,
  }
}

const noLabels: Pick<Linkbases, 'labels' | 'titles'> = { labels: new Map(), titles: new Map() }

/** The facts of mapped tags are checked for these faults themselves. */
function isNamedByMetric(fact: XbrlFact, tag: string, { faultyDays }: XbrlInstance): boolean {
  if (usesOfTag(tag) === undefined && usesOfTag(soloTag(tag)) === undefined) return false
  return faultyDays.has(fact.context) || (fact.value !== null && Number.isNaN(numberOf(fact.value)))
}

/** EDINET's codes of statements begin with whose they are, as `rol_ConsolidatedBalanceSheet`. Notes have others. */
const kinds: readonly (readonly [StatementKind, RegExp])[] = [
  ['BS', /^(?:[A-Z]\w*)?(?:BalanceSheet|StatementOfFinancialPosition)/],
  ['CI', /^(?:[A-Z]\w*)?StatementOfComprehensiveIncome/],
  ['IS', /^(?:[A-Z]\w*)?(?:StatementOfIncome|StatementOfProfitOrLoss|StatementOfOperations)/],
  ['CF', /^(?:[A-Z]\w*)?StatementOfCashFlows/],
  ['EQ', /^(?:[A-Z]\w*)?StatementOfChangesIn(?:Equity|NetAssets)/],
]

function kindOfRole(role: string): StatementKind | null {
  const name = /\/rol_(?:std_)?([^/]+)$/.exec(role)?.[1] ?? ''
  if (name.startsWith('Notes')) return null
  return kinds.find(([, pattern]) => pattern.test(name))?.[0] ?? null
}
