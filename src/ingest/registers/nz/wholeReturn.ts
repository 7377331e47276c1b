import { addMonths } from '../../../dates.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { type FigureContext, plainDecimal, type ReportedFigure } from '../../../wholeFilings/wholeFiling.ts'
import { WrittenNumber } from '../../reading/json.ts'
import { type NamedFaults, shown } from '../../reading/namedFaults.ts'
import { usesOfTag } from './concepts.ts'

/** The prefix of concepts, before the register's own name of a field: `charities:TotalGrossIncome`. */
const prefix = 'charities:'

/**
 * The axis of figures for which the register does not say whether they are of the year or of its last day. Its only
 * member is `charities:UnstatedMember`, and their context has the last day alone.
 */
const periodUnstated = { axis: 'charities:PeriodAxis', member: 'charities:UnstatedMember' }

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Amounts of the statement of financial position. */
const balances = words(
  `AllOtherFixedAssets Buildings CashAndBankBalances Inventory Investments PropertyPlantAndEquipmment
  ReceivablesFromExchangeTransactionsAndRecoverableFromNonExchange TotalAssets TotalAssetsLessTotalLiabilities
  TotalEquity TotalLiabilities`,
)

/** Amounts of the statement of financial performance. */
const flows = words(
  `AllOtherExpenditure AllOtherGrantsAndSponsorship AllOtherIncome CostOfServiceProvision CostOfTradingOperations
  Depreciation DonationsKoha EmployeeRemunerationAndOtherRelatedExpenses FundRaisingExpenses
  GovtGrantsContracts GrantsRevenueFromLocalOrCentralGovernment InterestOfDividendsReceived
  NetSurplusDeficitForTheYear NewZealandDividends SalariesAndWages ServiceTradingIncome SurplusDeficit
  TotalExpenditure TotalGrossIncome`,
)

/** Units of fields that are no amounts of money. */
const otherUnits: ReadonlyMap<string, string> = new Map([
  ['AvgAllPaidHoursPerWeek', 'hours'],
  ['AvgAllVolunteerHoursPerWeek', 'hours'],
  ['AvgNoVolunteersPerWeek', 'people'],
  ['NumberOfFulltimeEmployees', 'people'],
  ['NumberOfParttimeEmployees', 'people'],
  ['PercentageSpentOverseas', 'percent'],
])

/** Numbers that identify, classify or date a return: they are no figures. */
const isLabel = (field: string) => /Id$/.test(field) || /^(EndOfYear|GroupType$)/.test(field)

export interface ReturnRow {
  readonly charity: string
  readonly accession: string
  readonly number: string
  readonly yearEnd: number
  /** The unit of amounts: empty if the register does not state it, null if what it states is no currency. */
  readonly currency: string | null
  readonly row: Readonly<Record<string, unknown>>
}

/** An annual return in full. The register publishes its fields without the order of the form. */
export function wholeReturn(
  { charity, accession, number, yearEnd, currency, row }: ReturnRow,
  faults: NamedFaults,
): StatedFiling {
  const inYear: FigureContext = {
    start: addMonths(yearEnd, -12) + 1,
    end: yearEnd,
    quarters: null,
    dimensions: [],
  }
  const atEnd: FigureContext = { ...inYear, start: null }
  const unstated: FigureContext = { ...atEnd, dimensions: [periodUnstated] }
  const figures: ReportedFigure[] = []
  for (const [field, raw] of Object.entries(row)) {
    const isMoney = balances.has(field) || flows.has(field)
    const text = textOfFigure(raw, isMoney || otherUnits.has(field))
    if (text === null || isLabel(field)) continue
    const context = balances.has(field) ? atEnd : flows.has(field) ? inYear : unstated
    const unit = isMoney ? currency : (otherUnits.get(field) ?? '')
    const value = plainDecimal(text)
    if (value !== null && unit !== null)
      figures.push({ concept: prefix + field, context, unit, decimals: null, value })
    else if (usesOfTag(field) === undefined) {
      const fault = unit === null ? 'its currency is not one' : `${shown(raw)} is not a decimal number`
      faults.add(`return ${number}, ${field}: ${fault}`)
    }
  }
  return {
    market: 'NZ',
    issuerId: charity,
    whole: {
      accession,
      taxonomies: new Map(),
      figures,
      statements: [],
      sums: [],
      defaultMembers: new Map(),
    },
    source: 'figures',
    periodEnd: yearEnd,
  }
}

/** OData writes decimal numbers as texts, too. Null if the field states no figure. */
function textOfFigure(raw: unknown, isFigure: boolean): string | null {
  if (raw instanceof WrittenNumber) return raw.text
  if (typeof raw === 'number') return String(raw)
  return typeof raw === 'string' && isFigure ? raw : null
}
