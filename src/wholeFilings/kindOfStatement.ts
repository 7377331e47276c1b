import { localName } from './tags.ts'
import type { Statement, StatementKind, WholeFiling } from './wholeFiling.ts'

/** The statements by the names of the API. */
export const statementNames = ['income', 'balance', 'cash_flow', 'equity', 'comprehensive'] as const
export type StatementName = (typeof statementNames)[number]

export const kindOfName: Readonly<Record<StatementName, StatementKind>> = {
  income: 'IS',
  balance: 'BS',
  cash_flow: 'CF',
  equity: 'EQ',
  comprehensive: 'CI',
}

/** `0000002 - Statement - BALANCE SHEETS`: how filers of the SEC sort and name the roles of a filing. */
const sortedTitle = /^\d+ - (\w+) - (.*)$/s

/** The first pattern that matches a title decides, so the order matters: titles of statements of equity also mention income. */
const titles: readonly (readonly [StatementKind, RegExp])[] = [
  ['CP', /cover page|entity information/i],
  ['CF', /cash ?flow/i],
  [
    'EQ',
    /equity|deficit\b|(shareholders|stockholders|shareowners|partners|members)\W? (capital|investment)/i,
  ],
  ['BS', /balance ?sheet|financial ?(position|condition)|assets and liabilities/i],
  ['CI', /comprehensive/i],
  ['IS', /income|operations|earnings|profit|loss/i],
]

const cashFlows =
  /^(NetCashProvidedBy(UsedIn)?|CashFlowsFromUsedIn)(Operating|Investing|Financing)Activities(ContinuingOperations)?$/
const balances = /^(Assets|LiabilitiesAndStockholdersEquity|EquityAndLiabilities|LiabilitiesAndNetAssets)$/
const equityRoots =
  /^(StockholdersEquity(IncludingPortionAttributableToNoncontrollingInterest)?|PartnersCapital|MembersEquity|StatementEquityComponentsAxis|ComponentsOfEquityAxis|StatementOfStockholdersEquityAbstract|StatementOfChangesInEquityAbstract|IncreaseDecreaseInStockholdersEquityRollForward|StockIssuedDuringPeriod\w+|StockRepurchased(AndRetired)?DuringPeriod\w+|AdjustmentsToAdditionalPaidInCapital\w+)$/
const incomes =
  /^(ProfitLoss|NetIncomeLoss\w*|IncomeLoss\w+|OperatingIncomeLoss|EarningsPerShare\w+|(Basic|Diluted)EarningsLossPerShare|Revenues?|SalesRevenue\w+|CostsAndExpenses|GrossProfit)$/
const comprehensive =
  /^((Other)?ComprehensiveIncome(Loss)?\w*|Comprehensive(Income|Loss)|OtherComprehensiveIncome\w+)$/

/**
 * Which statement a presentation is. A data set says so. A filing's own documents do not, so the concepts and the title
 * decide. Some concepts are proof whatever the title says: only a balance sheet has total assets or total liabilities
 * and equity, and only a statement of cash flows has net cash from activities. Null for notes and for presentations that
 * nothing identifies.
 */
export function kindOfStatement(statement: Statement): StatementKind | null {
  // Its lines are decoded when they are read, so a stored kind must not read them.
  const { kind, title, role } = statement
  if (kind !== null) return kind
  const [, group = null, name = title ?? lastPart(role)] = sortedTitle.exec(title ?? '') ?? []
  if (group !== null && group !== 'Statement') return group === 'Document' ? 'CP' : null
  if (group === null && /disclosure|details|notes?\b|policies/i.test(name)) return null
  const names = statement.lines.map(({ concept }) => localName(concept))
  const count = (pattern: RegExp) => new Set(names.filter(each => pattern.test(each))).size
  if (count(cashFlows) >= 2) return 'CF'
  const titled = titles.find(([, pattern]) => pattern.test(name))?.[0] ?? null
  const hasEquity = count(equityRoots) > 0
  if (count(balances) > 0) return titled === 'EQ' && hasEquity ? 'EQ' : 'BS'
  if (hasEquity && (titled === 'EQ' || titled === null || count(equityRoots) >= 2)) return 'EQ'
  const income = count(incomes)
  if (titled === 'CI' || titled === 'IS' || titled === null) {
    if (count(comprehensive) > 0 && income < 3) return 'CI'
    if (income > 0) return 'IS'
  }
  return titled
}

/** The title without the number and the group by which filers of the SEC sort their roles. */
export const plainTitle = ({ title }: Pick<Statement, 'title'>): string | null =>
  title === null ? null : (sortedTitle.exec(title)?.[2] ?? title)

const lastPart = (role: string) => role.slice(role.lastIndexOf('/') + 1)

/** The statement of a kind that a filing presents. */
export interface ChosenStatement {
  readonly statement: Statement
  /** True if the company presents income and comprehensive income as one statement. */
  readonly isCombined: boolean
}

/**
 * The statement of this kind in a filing; null if it presents none. That of the group comes before that of the company
 * alone. Filings of several registrants present one each: the first one that is not much shorter than the others is
 * that of the whole group. If the source says of some presentations which statement they are, the others are none: Japan's
 * summary of five years has net income and comprehensive income, too.
 */
export function chooseStatement(
  { statements }: Pick<WholeFiling, 'statements'>,
  kind: StatementKind,
): ChosenStatement | null {
  const isStated = statements.some(each => each.kind !== null)
  const ofKind = (wanted: StatementKind) => {
    const all = statements.filter(
      each => !each.parenthetical && (isStated ? each.kind : kindOfStatement(each)) === wanted,
    )
    const ofGroup = all.filter(({ dimensions }) => dimensions === undefined)
    return ofGroup.length > 0 ? ofGroup : all
  }
  const own = firstLong(ofKind(kind))
  if (own !== null) return { statement: own, isCombined: false }
  const other = kind === 'IS' ? ofKind('CI') : kind === 'CI' ? ofKind('IS') : []
  const needed = kind === 'IS' ? incomes : comprehensive
  const combined = firstLong(
    other.filter(({ lines }) => lines.some(({ concept }) => needed.test(localName(concept)))),
  )
  return combined === null ? null : { statement: combined, isCombined: true }
}

function firstLong(statements: readonly Statement[]): Statement | null {
  const longest = Math.max(0, ...statements.map(({ lines }) => lines.length))
  return statements.find(({ lines }) => lines.length * 2 >= longest) ?? null
}
