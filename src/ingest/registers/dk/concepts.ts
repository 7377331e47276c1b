import { type Concepts, conceptTable, flow, perShare, stock } from '../../reading/conceptTable.ts'

const fsa = (names: string) => names.split(' ').map(name => `fsa:${name}`)
const ifrs = (names: string) => names.split(' ').map(name => `ifrs-full:${name}`)

/**
 * Elements of the Danish taxonomy (fsa) and of IFRS by metric. Danish balance sheets state provisions
 * separately from liabilities and sometimes minority interests separately from equity; each has its own
 * metric. A gross profit or loss never counts as revenue.
 */
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

// Forms are the document types of the register's index.
export const { rules, usesOfTag } = conceptTable(concepts, {
  annualForm: /^AARSRAPPORT/,
  quarterlyForm: /^DELAARSRAPPORT/,
  balanceEndsYear: true,
  partialTags: /^fsa:LiabilitiesOtherThanProvisions$/,
})
