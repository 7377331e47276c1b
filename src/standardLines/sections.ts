import type { Section, StandardStatement } from './definition.ts'
import type { PresentedRow } from './presentedRows.ts'
import { contains, type Structure } from './structure.ts'

/** The section of each row; null where the statement does not tell. */
export function sectionsOf(
  statement: StandardStatement,
  rows: readonly PresentedRow[],
  structure: Structure,
): readonly (Section | null)[] {
  if (statement === 'balance') return balanceSections(rows, structure)
  return statement === 'income' ? incomeSections(rows) : cashFlowSections(rows)
}

const isRow = (names: RegExp, words: RegExp) => (row: PresentedRow) =>
  names.test(row.name) || words.test(row.words)

const isAssets = isRow(/^Assets$/, /^total assets$/)
const isCurrentAssets = isRow(/^(AssetsCurrent|CurrentAssets)$/, /^total current assets$/)
const isCurrentLiabilities = isRow(/^(LiabilitiesCurrent|CurrentLiabilities)$/, /^total current liabilities$/)
const isLiabilities = isRow(/^Liabilities$/, /^total liabilities$/)
const isWhole = isRow(
  /^(LiabilitiesAndStockholdersEquity|EquityAndLiabilities)$/,
  /^total (liabilities|capitalization) and\b/,
)
const isEquityTotal = isRow(
  /^(StockholdersEquity(IncludingPortionAttributableToNoncontrollingInterest)?|Equity|PartnersCapital\w*|MembersEquity)$/,
  /^total ([\w ]*(stockholders|shareholders|shareowners|partners|members)[\w ]*)?(equity|capital|deficit)( deficit)?$/,
)
const isEquityLine = isRow(
  /^(CommonStock(Value|sIncluding)|PreferredStock(Value|Including)|AdditionalPaidInCapital|RetainedEarnings|TreasuryStock|IssuedCapital|(Limited|General)Partners)/,
  /^((class [a-z] )?common stock|preferred stock|additional paid in capital|retained earnings|treasury stock)\b/,
)

function balanceSections(rows: readonly PresentedRow[], structure: Structure): readonly (Section | null)[] {
  const assets = rows.findIndex(isAssets)
  if (assets < 0) return rows.map(() => null)
  const currentAssets = rows.findIndex((row, at) => at < assets && isCurrentAssets(row))
  const currentLiabilities = rows.findIndex((row, at) => at > assets && isCurrentLiabilities(row))
  const whole = rows.findIndex((row, at) => at > assets && isWhole(row))
  const end = whole < 0 ? rows.length - 1 : whole
  const [firstEquity, lastEquity] = equityRange(rows, assets, end)
  const inCurrentAssets = currentRange(rows, structure, currentAssets, -1)
  const inCurrentLiabilities = currentRange(rows, structure, currentLiabilities, assets)
  return rows.map((_, at): Section | null => {
    if (at > end) return null
    if (at <= assets) {
      if (currentAssets < 0) return 'assets'
      return inCurrentAssets(at) ? 'current_assets' : 'noncurrent_assets'
    }
    if (inCurrentLiabilities(at)) return 'current_liabilities'
    if (at >= firstEquity && at <= lastEquity) return 'equity'
    return currentLiabilities < 0 ? 'liabilities' : 'noncurrent_liabilities'
  })
}

/** From the first line of equity, or the line after total liabilities, to the last total of equity. */
function equityRange(rows: readonly PresentedRow[], after: number, end: number): readonly [number, number] {
  const totals = rows.flatMap((row, at) => (at > after && at <= end && isEquityTotal(row) ? [at] : []))
  const first = rows.findIndex((row, at) => at > after && at <= end && isEquityLine(row))
  const liabilities = rows.findIndex((row, at) => at > after && isLiabilities(row))
  const last = totals.at(-1) ?? rows.findLastIndex((row, at) => at <= end && isEquityLine(row))
  return [first < 0 ? (liabilities < 0 ? end : liabilities + 1) : first, Math.max(last, first)]
}

/**
 * The rows that a current subtotal contains: its parts, or without a structure those above it, back to the former
 * total.
 */
function currentRange(
  rows: readonly PresentedRow[],
  structure: Structure,
  total: number,
  after: number,
): (at: number) => boolean {
  if (total < 0) return () => false
  if (structure.items[total].length > 0) {
    const first = Math.min(...structure.items[total])
    return at => at === total || contains(structure, total, at) || (at > first && at < total)
  }
  const start = rows.findLastIndex((row, at) => at < total && at > after && isEquityTotal(row))
  const cash = rows.findIndex((row, at) => at > after && at < total && /^cash\b/.test(row.words))
  const first = Math.max(after + 1, start + 1, after < 0 ? cash : 0)
  return at => at >= first && at <= total
}

const isPretax = isRow(
  /^IncomeLoss\w*BeforeIncomeTaxes\w*$|^(IncomeBeforeIncomeTaxes|EarningsBeforeIncomeTaxes|ProfitLossBeforeTax)$/,
  /^(?!.*comprehensive).*before (provision for |benefit from |provision benefit for )?(federal )?(income )?tax/,
)
const isTax = isRow(
  /^IncomeTaxExpense(Benefit|ContinuingOperations)/,
  /^(?!.*\b(before|other than|except|excluding)\b)(provision|benefit)?.*\bincome tax(es)?\b/,
)
const isProfit = isRow(
  /^(NetIncomeLoss|ProfitLoss|IncomeLossFromContinuingOperations(IncludingPortion\w*)?|ComprehensiveIncome\w*)$/,
  /^net (income|earnings|loss)/,
)

const isNetIncome = isRow(
  /^(NetIncomeLoss|ProfitLoss)$/,
  /^(consolidated )?net (income|earnings|loss)( loss| income| earnings)?$/,
)

function incomeSections(rows: readonly PresentedRow[]): readonly (Section | null)[] {
  const beforeTax = rows.findLastIndex(row => row.unit === 'currency' && isPretax(row) && !isTax(row))
  const tax = rows.findIndex(
    (row, at) => row.unit === 'currency' && at > beforeTax && isTax(row) && !isPretax(row),
  )
  const profit = rows.findIndex(row => row.unit === 'currency' && isProfit(row))
  const last = beforeTax >= 0 ? beforeTax : tax >= 0 ? tax : profit
  if (last < 0) return rows.map(row => (row.unit === 'currency' ? null : 'per_share'))
  const netIncome = rows.findIndex((row, at) => at > last && row.unit === 'currency' && isNetIncome(row))
  return rows.map((row, at): Section => {
    if (row.unit !== 'currency') return 'per_share'
    if (at <= last) return 'pretax'
    return netIncome >= 0 && at > netIncome ? 'attributed' : 'after_tax'
  })
}

const activity = {
  operating: isRow(
    /^(NetCashProvidedByUsedInOperatingActivities|CashFlowsFromUsedInOperating|CashFlowsFromUsedInOperations)/,
    /^(?!.*\b(investing|financing)\b).*cash.*\b(operating activities|operations)\b/,
  ),
  investing: isRow(
    /^(NetCashProvidedByUsedInInvestingActivities|CashFlowsFromUsedInInvesting)/,
    /cash.*\binvesting activities\b/,
  ),
  financing: isRow(
    /^(NetCashProvidedByUsedInFinancingActivities|CashFlowsFromUsedInFinancing)/,
    /cash.*\bfinancing activities\b/,
  ),
} as const

function cashFlowSections(rows: readonly PresentedRow[]): readonly (Section | null)[] {
  const ends = (['operating', 'investing', 'financing'] as const)
    .map(name => ({
      name,
      at: rows.findIndex(
        row =>
          activity[name](row) &&
          !/DiscontinuedOperations/.test(row.name) &&
          !/adjustments|reconcile/.test(row.words),
      ),
    }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
  if (ends.length < 3) return rows.map(() => null)
  const last = ends.map(({ name }, order) =>
    rows.findLastIndex((row, at) => at < (ends[order + 1]?.at ?? rows.length) && isTotalOf(name, row)),
  )
  return rows.map((_, at): Section => {
    const index = ends.findIndex((end, order) => at <= Math.max(end.at, last[order] ?? end.at))
    return index < 0 ? 'cash' : ends[index].name
  })
}

/** A second total of the same activities, such as that with discontinued operations. */
const isTotalOf = (name: keyof typeof activity, row: PresentedRow) =>
  activity[name](row) &&
  /^(total |net )*cash/.test(row.words) &&
  !/DiscontinuedOperations/.test(row.name) &&
  !/\bdiscontinued\b|^cash paid/.test(row.words)
