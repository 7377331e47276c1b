import { type Concepts, conceptTable, flow, perShare, stock } from '../../concepts.ts'
import type { XbrlContext, XbrlFact } from '../../xbrl/instance.ts'

const fsa = (names: string) => names.split(' ').map(name => `fsa:${name}`)
const ifrs = (names: string) => names.split(' ').map(name => `ifrs-full:${name}`)

/** Which elements of the Danish taxonomy (fsa) and of IFRS say which metric. Danish balances set provisions apart from
 * liabilities and, at times, minority interests apart from equity: each has a metric of its own. A gross profit or loss is
 * never revenue. */
export const concepts: Concepts = {
  revenue: flow([...fsa('Revenue'), ...ifrs('Revenue')]),
  gross_profit: flow([...fsa('GrossProfitLoss GrossResult'), ...ifrs('GrossProfit')]),
  operating_income: flow([
    ...fsa('ProfitLossFromOrdinaryOperatingActivities'),
    ...ifrs('ProfitLossFromOperatingActivities'),
  ]),
  net_income: flow([...fsa('ProfitLoss'), ...ifrs('ProfitLoss')]),
  eps: perShare(ifrs('BasicEarningsLossPerShare BasicAndDilutedEarningsLossPerShare')),
  eps_diluted: perShare(ifrs('DilutedEarningsLossPerShare BasicAndDilutedEarningsLossPerShare')),
  assets: stock([...fsa('Assets'), ...ifrs('Assets')]),
  current_assets: stock([...fsa('CurrentAssets'), ...ifrs('CurrentAssets')]),
  cash: stock([...fsa('CashAndCashEquivalents'), ...ifrs('CashAndCashEquivalents')]),
  liabilities: stock([...fsa('LiabilitiesOtherThanProvisions'), ...ifrs('Liabilities')]),
  current_liabilities: stock([
    ...fsa('ShorttermLiabilitiesOtherThanProvisions'),
    ...ifrs('CurrentLiabilities'),
  ]),
  provisions: stock(fsa('Provisions')),
  equity: stock([...fsa('Equity'), ...ifrs('Equity')]),
  minority_interests: stock([...fsa('MinorityInterests'), ...ifrs('NoncontrollingInterests')]),
  operating_cash_flow: flow([
    ...fsa('CashFlowsFromUsedInOperatingActivities'),
    ...ifrs('CashFlowsFromUsedInOperatingActivities'),
  ]),
}

/** The document types of the register's index. */
export const { rules: dkRules, usesOfTag: dkUses } = conceptTable(concepts, {
  annualForm: /^AARSRAPPORT/,
  quarterlyForm: /^DELAARSRAPPORT/,
  balanceEndsYear: true,
  partialTags: /^fsa:LiabilitiesOtherThanProvisions$/,
})

/** Whose accounts a figure belongs to. `plain`: the report does not say; in the Danish taxonomy that is the parent company,
 * in IFRS the reporting entity as a whole. */
export type Basis = 'group' | 'plain' | 'parent'

const bases: Readonly<Record<string, Basis>> = {
  'ConsolidatedSoloDimension ConsolidatedMember': 'group',
  'ConsolidatedSoloDimension SoloMember': 'parent',
  'ConsolidatedAndSeparateFinancialStatementsAxis ConsolidatedMember': 'group',
  'ConsolidatedAndSeparateFinancialStatementsAxis SeparateMember': 'parent',
}

const taxonomy =
  /^\{(?:http:\/\/xbrl\.dcca\.dk\/cmn|https?:\/\/xbrl\.ifrs\.org\/taxonomy\/[^}]+\/ifrs-full)\}/

/** null: the context has another dimension. What stands there is a part of a figure or an earlier year's. */
export function basisOf({ dimensions }: XbrlContext): Basis | null {
  if (dimensions.size === 0) return 'plain'
  if (dimensions.size > 1) return null
  const [[dimension, member]] = dimensions
  if (!taxonomy.test(dimension) || !taxonomy.test(member)) return null
  return bases[`${dimension.replace(taxonomy, '')} ${member.replace(taxonomy, '')}`] ?? null
}

const danish = 'http://xbrl.dcca.dk/fsa'
/** IFRS has a namespace for each year's taxonomy. */
const ifrsNamespace = /^https?:\/\/xbrl\.(?:ifrs|iasb)\.org\/taxonomy\/\d{4}-\d\d-\d\d\/ifrs(?:-full)?$/

/** The element of a fact by its taxonomy, whatever prefix the report uses; null for taxonomies that are not read. */
export function tagOf({ namespace, name }: XbrlFact): string | null {
  if (namespace === danish) return `fsa:${name}`
  return ifrsNamespace.test(namespace) ? `ifrs-full:${name}` : null
}
