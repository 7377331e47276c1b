import type { CompanyKind } from './definition.ts'
import type { PresentedRow } from './presentedRows.ts'

type Rows = readonly Pick<PresentedRow, 'name'>[]

const hasLine = ({ balance, income }: { balance: Rows; income: Rows }, names: RegExp) =>
  [...balance, ...income].some(({ name }) => names.test(name))

/**
 * The kind of a company, told by lines that only such companies have. The industry decides only where the statements
 * have lines of two kinds, or real estate as one asset among others.
 *
 * @param industry the SIC code; null if it is not known
 */
export function companyKindOf(
  statements: { readonly balance: Rows; readonly income: Rows },
  industry: number | null = null,
): CompanyKind {
  const { balance } = statements
  const isClassified = balance.some(({ name }) =>
    /^(AssetsCurrent|LiabilitiesCurrent|CurrentAssets)$/.test(name),
  )
  const found = new Set<CompanyKind>()
  if (!isClassified && (hasLine(statements, deposits) || hasLine(statements, lending))) found.add('bank')
  if (!isClassified && hasLine(statements, insurance)) found.add('insurer')
  if (!isClassified && hasLine(statements, realEstate)) found.add('reit')
  if (hasLine(statements, utilityPlant)) found.add('utility')
  const told = kindOfIndustry(industry)
  if (told !== null && found.has(told)) return told
  if (found.size === 1) return [...found][0]
  // An insurer may own a bank, and both own real estate; their own business has lines on the income statement, too.
  if (found.has('insurer') && statements.income.some(({ name }) => insurance.test(name))) return 'insurer'
  if (found.has('bank')) return 'bank'
  return [...found][0] ?? 'industrial'
}

const deposits =
  /^(存款及匯款|Deposits|InterestBearingDepositLiabilit\w*|NoninterestBearingDepositLiabilit\w*|InterestExpenseDeposits)$/
const lending =
  /^(利息淨收益|InterestIncomeExpenseAfterProvisionForLoanLoss|LoansAndLeasesReceivable(Net|Allowance)\w*|InterestAndFeeIncomeLoans\w*|NoninterestExpense|FinancingReceivable\w*AllowanceForCreditLoss\w*)$/
const insurance =
  /^(保險負債|PremiumsEarnedNet|PolicyholderBenefitsAndClaimsIncurred\w*|LiabilityForFuturePolicyBenefits\w*|LiabilityForClaimsAndClaimsAdjustmentExpense|UnearnedPremiums|DeferredPolicyAcquisitionCosts|BenefitsLossesAndExpenses)$/
const realEstate =
  /^(RealEstateInvestmentProperty(Net|AtCost)|TenantReimbursements|DeferredRentReceivables\w*|MinimumRents)$/
const utilityPlant =
  /^(PublicUtilitiesPropertyPlant\w*|Regulatory(Assets?|Liabilit\w+)\w*|UtilitiesOperatingExpense\w*|RegulatedAndUnregulatedOperatingRevenue|ElectricDomesticRegulatedRevenue|GasDomesticRegulatedRevenue|AccumulatedDeferredInvestmentTaxCredit)$/

function kindOfIndustry(industry: number | null): CompanyKind | null {
  if (industry === null) return null
  if (industry >= 6000 && industry < 6200) return 'bank'
  if (industry >= 6300 && industry < 6412) return 'insurer'
  if (industry === 6798) return 'reit'
  return industry >= 4900 && industry < 4940 ? 'utility' : null
}
