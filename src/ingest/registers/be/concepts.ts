import { conceptTable, flow, stock } from '../../reading/conceptTable.ts'

/**
 * Rubrics of the annual accounts by metric. 9900 is the gross margin that abbreviated and micro models state
 * instead of turnover; it never counts as revenue. Liabilities are provisions and deferred taxes (16) plus
 * amounts payable (17/49).
 */
export const concepts = {
  revenue: flow(['70']),
  gross_profit: flow(['9900']),
  operating_income: flow(['9901']),
  net_income: flow(['9904']),
  assets: stock(['20/58']),
  equity: stock(['10/15']),
  liabilities: stock(['16+17/49']),
  current_assets: stock(['29/58']),
  cash: stock(['54/58']),
} as const

export const { rules, usesOfTag } = conceptTable(concepts, {
  annualForm: /^m\d\d-[a-z]$/,
  quarterlyForm: /^$/,
  balanceEndsYear: true,
})

/** The codes of the rubrics from which metrics come. */
export const codesRead: ReadonlySet<string> = new Set(
  Object.values(concepts).flatMap(({ tagGroups }) => tagGroups.flat().flatMap(tag => tag.split('+'))),
)
