import type { Sign, StandardLine, StandardStatement } from './definition.ts'
import type { PresentedRow } from './presentedRows.ts'
import type { ExpectedSign } from './structure.ts'

/**
 * The sign with which a line is expected to enter the total below it. Balance sheets and statements of cash flows show
 * each line with that sign. Income statements show costs as positive numbers, so the words decide there.
 */
export const expectedSign: Readonly<Record<StandardStatement, ExpectedSign>> = {
  balance: shownSign,
  cash_flow: shownSign,
  income: row => (isCost(row) ? -1 : 1),
}

function shownSign({ negated }: PresentedRow): 1 | -1 {
  return negated ? -1 : 1
}

const costTags =
  /Cost|Expense(?!Net$)|Depreciation|Amortization|^Provision|Impairment|^Tax|Taxes$|Dividends|Restructuring|ResearchAndDevelopment|^Labor|^Occupancy|^Interest(Expense|AndDebt)|Benefits(Losses|AndClaims)|^PolicyholderBenefits|AttributableToNoncontrolling|MinorityInterestIn|^Fuel|Purchased(Power|Services)|Salaries|Maintenance|^Professional|Severance|^InsuranceCommissions$/
const gainTags =
  /IncomeExpense|IncomeLoss|^Nonoperating|NonoperatingIncome|InterestIncome|GainLoss|GainsLosses|^Revenue|Revenues?$|Sales(Revenue)?(Net)?$|^ProfitLoss|^NetIncome|^GrossProfit|^OperatingIncome|Reimbursements/
const costWords =
  /\b(cost|costs|expenses?|depreciation|amortization|provisions?|impairments?|taxes|charges?|losses|less|dividends|restructuring|research|salaries|compensation|noncontrolling|minority|selling|general|administrative|marketing|occupancy|fuel|maintenance|benefits|claims)\b/
const gainWords =
  /\b(income|revenues?|sales|earnings|gains?|profit|margin|fees|service charges|net interest|interest and fees|premiums|equity in)\b/

function isCost({ name, isOwn, words, negated }: PresentedRow): boolean {
  if (!isOwn) {
    if (/^(Cost|Costs)[A-Z]/.test(name)) return true
    if (gainTags.test(name)) return false
    if (costTags.test(name)) return true
  }
  if (/^(total )?(net )?(revenues?|sales)\b|\bincome( loss)?( net)? (expenses?|deductions)\b/.test(words))
    return false
  if (/^(total )?costs?\b/.test(words)) return true
  const cost = costWords.test(words)
  const gain = gainWords.test(words)
  return cost && (!gain || /\bexpenses?\b|^less\b|\btaxes\b(?!.*before)/.test(words)) && !/before/.test(words)
    ? true
    : !gain && negated
}

/** Liabilities whose increase is money that was not paid yet. */
const owed =
  /Payable|Liabilit|Accrued(?!Interest\w*Receivable|Investment)|DeferredRevenue|Deposits$|CustomerDeposits|CustomerAdvances|UnearnedPremiums|UnearnedRevenue|Obligation|Reserves?\b|BillingInExcess|EmployeeRelated|DeferredIncome|DeferredCompensation|FederalFundsPurchased|OutstandingChecks|ShortTermDebt|CommercialPaper|NotesPayable|Overdrafts|SecuritiesSold|FuturePolicy|Restructuring|Pension|Postretirement/

/**
 * 1 if a positive figure under the tag is money received (or a loss without payment, which is added back), -1 if it is
 * money paid. Null for tags that do not say.
 */
export function cashSignOf(name: string): 1 | -1 | null {
  if (
    /^(PaymentsForProceeds|PaymentsFor|PaymentsTo|PaymentsOf|PaymentOf|Repayments|EarlyRepayment|OtherPaymentsTo)/.test(
      name,
    )
  )
    return -1
  if (/^(Proceeds|ExcessTaxBenefitFromShareBasedCompensationFinancing)/.test(name)) return 1
  if (/^ExcessTaxBenefit/.test(name)) return -1
  if (
    /^(NetCash|CashAndCashEquivalentsPeriod|CashProvidedBy|EffectOfExchange|ProfitLoss|NetIncomeLoss|IncomeLossFromContinuing)/.test(
      name,
    )
  )
    return 1
  if (/^IncreaseDecreaseIn/.test(name)) {
    if (
      /Capital|OperatingAssets|PrepaidDeferred|Receivable|Inventor|RestrictedCash|Trading|LoansHeld|Assets/.test(
        name,
      )
    ) {
      if (!/Payable|Liabilit/.test(name)) return -1
      return /AssetsAndLiabilities|LiabilitiesAndAssets/.test(name) ? null : 1
    }
    return owed.test(name) ? 1 : -1
  }
  if (/GainLoss|GainsLosses|^IncomeLossFrom(Equity|Discontinued)|^DiscontinuedOperation/.test(name)) return -1
  if (
    /Depreciation|Amortization|Impairment|^ShareBased|^Provision|^DeferredIncomeTax|^Restructuring|Expense$/.test(
      name,
    )
  )
    return 1
  return null
}

/** The factor from money received to the sign convention of the standard line. */
export const cashFactor = ({ sign }: Pick<StandardLine, 'sign'>): 1 | -1 =>
  (sign satisfies Sign) === 'outflow' ? -1 : 1
