/**
 * Valuations as a plain loop over raw lines of filings, written from the definitions in the guides. Nothing here is imported
 * from the service, so the two can only agree if both follow the definitions.
 */

/** A line of a Financial Statement Data Set or of companyfacts. Days count from 1970-01-01. */
export interface RawFact {
  readonly tag: string
  readonly unit: string
  /** 0: of a day; else the length in quarters. Twelve months that end within a fiscal year are left out. */
  readonly quarters: number
  readonly end: number
  readonly value: number
  readonly filed: number
  /** Later filings of one day have higher accessions. */
  readonly accession: string
}

export interface RawPrice {
  readonly day: number
  readonly close: number
  readonly split: number
}

/** Tags in groups: a later group counts only for periods of which no earlier one states anything. */
type Groups = readonly (readonly string[])[]
const words = (text: string) => text.split(/\s+/)
const metrics: Readonly<Record<string, Groups>> = {
  net_income: [
    ['NetIncomeLoss', 'ifrs:ProfitLoss'],
    ['ProfitLoss'],
    ['NetIncomeLossAvailableToCommonStockholdersBasic'],
  ],
  operating_income: [['OperatingIncomeLoss', 'ifrs:ProfitLossFromOperatingActivities']],
  depreciation_amortization: [
    ['DepreciationAmortizationAndAccretionNet'],
    words(
      'DepreciationDepletionAndAmortization DepreciationAndAmortization ifrs:DepreciationAndAmortisationExpense ifrs:AdjustmentsForDepreciationAndAmortisationExpense',
    ),
    ['Depreciation'],
  ],
  operating_cash_flow: [
    ['NetCashProvidedByUsedInOperatingActivities', 'ifrs:CashFlowsFromUsedInOperatingActivities'],
    ['NetCashProvidedByUsedInOperatingActivitiesContinuingOperations'],
    ['ifrs:CashFlowsFromUsedInOperations'],
  ],
  capital_expenditure: [
    words(
      'PaymentsToAcquirePropertyPlantAndEquipment ifrs:PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities',
    ),
    ['PaymentsToAcquireProductiveAssets'],
  ],
  dividends_paid: [
    ['PaymentsOfDividends', 'ifrs:DividendsPaidClassifiedAsFinancingActivities'],
    ['PaymentsOfDividendsCommonStock'],
  ],
  equity: [
    ['StockholdersEquity', 'ifrs:Equity'],
    ['StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest'],
    words(
      'PartnersCapital MembersEquity PartnersCapitalIncludingPortionAttributableToNoncontrollingInterest',
    ),
    ['ifrs:EquityAttributableToOwnersOfParent'],
  ],
  cash: [
    ['CashAndCashEquivalentsAtCarryingValue', 'ifrs:CashAndCashEquivalents'],
    ['CashAndDueFromBanks', 'Cash'],
  ],
  current_debt: [['DebtCurrent']],
  commercial_paper: [['CommercialPaper']],
  short_term_borrowings: [['ShortTermBorrowings']],
  other_short_term_borrowings: [
    words('OtherShortTermBorrowings ShortTermBankLoansAndNotesPayable NotesPayableCurrent'),
    words('LinesOfCreditCurrent NotesAndLoansPayableCurrent LoansPayableCurrent ConvertibleDebtCurrent'),
  ],
  long_term_debt_current: [['LongTermDebtCurrent'], ['LongTermDebtAndCapitalLeaseObligationsCurrent']],
  long_term_debt_noncurrent: [['LongTermDebtNoncurrent'], ['LongTermDebtAndCapitalLeaseObligations']],
}
const cover = 'EntityCommonStockSharesOutstanding'

/** Every tag that is read. */
export const tagsRead = new Set([...Object.values(metrics).flat(2), cover])

/** The figure of a period, and of a sum or difference both of its parts. */
interface Stated {
  readonly end: number
  readonly quarters: number
  readonly value: number
  readonly unit: string
  readonly parts: readonly Part[]
}

interface Part {
  readonly metric: string
  readonly value: number
  /** The groups under whose tags this very amount is stated. */
  readonly groups: readonly number[]
  /** The day on which the amount was first filed. */
  readonly since: number
}

/** What is known of a metric on a day: of each period the first group that states it, in the filing that came last. */
function periodsOf(facts: readonly RawFact[], metric: string, day: number): Stated[] {
  const groups = metrics[metric]
  const known = new Map<string, (RawFact & { readonly group: number; readonly place: number })[]>()
  for (const fact of facts) {
    if (fact.filed > day) continue
    const group = groups.findIndex(tags => tags.includes(fact.tag))
    if (group === -1) continue
    const key = `${fact.quarters} ${fact.end}`
    const list = known.get(key) ?? []
    list.push({ ...fact, group, place: groups[group].indexOf(fact.tag) })
    known.set(key, list)
  }
  return [...known.values()].map(list => {
    const [best] = list.toSorted(
      (a, b) =>
        a.group - b.group ||
        b.filed - a.filed ||
        (a.accession < b.accession ? 1 : a.accession > b.accession ? -1 : a.place - b.place),
    )
    const same = list.filter(({ value }) => value === best.value)
    const part = {
      metric,
      value: best.value,
      groups: same.map(({ group }) => group),
      since: Math.min(...same.map(({ filed }) => filed)),
    }
    return { end: best.end, quarters: best.quarters, value: best.value, unit: best.unit, parts: [part] }
  })
}

const isNear = (a: number, b: number) => Math.abs(a - b) <= 10
const daysOfQuarters = (quarters: number) => Math.round(quarters * 91.3125)

/**
 * The latest trailing twelve months: a full year, or a year plus the year to date less the same months of the year before.
 * There are none up to a quarter, so that the year stands, if these three are not of one measure:
 * - no group of tags states all three amounts: another may include minority interests, for example;
 * - the months of the year before were restated after the year was filed, and the year never was.
 */
function trailing(facts: readonly RawFact[], stated: readonly Stated[]): Stated | null {
  let best: Stated | null = null
  for (const one of stated) {
    if (best !== null && one.end <= best.end) continue
    if (one.quarters === 4) {
      best = one
      continue
    }
    if (one.quarters < 1 || one.quarters > 3) continue
    const year = stated.find(
      ({ quarters, end }) => quarters === 4 && isNear(end, one.end - daysOfQuarters(one.quarters)),
    )
    const before = stated.find(({ quarters, end }) => quarters === one.quarters && isNear(end, one.end - 365))
    if (year === undefined || before === undefined) continue
    const isOneMeasure = one.parts.every(
      (part, i) =>
        part.groups.some(
          group => year.parts[i].groups.includes(group) && before.parts[i].groups.includes(group),
        ) &&
        (!differs(facts, before, before.parts[i], year.parts[i].since) ||
          differs(facts, year, year.parts[i], year.parts[i].since - 1)),
    )
    if (isOneMeasure) best = { ...one, quarters: 4, value: year.value + one.value - before.value }
  }
  return best
}

/** Whether another amount than today's was known for the period on a day. */
function differs(facts: readonly RawFact[], { end, quarters }: Stated, part: Part, day: number): boolean {
  const then = periodsOf(facts, part.metric, day).find(one => one.end === end && one.quarters === quarters)
  return then !== undefined && then.value !== part.value
}

const latest = (stated: readonly Stated[]): Stated | null =>
  stated.reduce<Stated | null>((best, one) => (best === null || one.end > best.end ? one : best), null)

/** The same periods of two metrics, added or subtracted. */
function combine(a: readonly Stated[], b: readonly Stated[], sign: 1 | -1): Stated[] {
  return a.flatMap(one => {
    const other = b.find(({ end, quarters }) => end === one.end && quarters === one.quarters)
    return other === undefined || other.unit !== one.unit
      ? []
      : [{ ...one, value: one.value + sign * other.value, parts: [...one.parts, ...other.parts] }]
  })
}

/** Net debt of each balance sheet that states all of its parts. */
function netDebts(facts: readonly RawFact[], day: number): Stated[] {
  const of = (metric: string) => periodsOf(facts, metric, day).filter(({ quarters }) => quarters === 0)
  const [cash, total, paper, borrowings, others, due, long] = [
    'cash',
    'current_debt',
    'commercial_paper',
    'short_term_borrowings',
    'other_short_term_borrowings',
    'long_term_debt_current',
    'long_term_debt_noncurrent',
  ].map(of)
  return long.flatMap(part => {
    const at = (list: readonly Stated[]) => list.find(({ end }) => end === part.end)
    const [stated, commercial, short, other, current, money] = [
      total,
      paper,
      borrowings,
      others,
      due,
      cash,
    ].map(at)
    if (money === undefined) return []
    let currentDebt: number
    if (stated !== undefined) {
      // A total that is less than one of its parts is none.
      if ([short, current].some(one => one !== undefined && one.value > stated.value)) return []
      currentDebt = stated.value
    } else {
      if (commercial === undefined || current === undefined) return []
      if (other !== undefined && other.value !== commercial.value) return []
      if (short !== undefined && short.value !== commercial.value) return []
      // One part with leases and one without have no sum.
      if (current.parts[0].groups[0] !== part.parts[0].groups[0]) return []
      currentDebt = commercial.value + current.value
    }
    return [{ ...part, value: currentDebt + part.value - money.value }]
  })
}

export interface PlainValuations {
  readonly market_cap: number | null
  readonly price_to_earnings: number | null
  readonly price_to_book: number | null
  readonly ev_to_ebitda: number | null
  readonly fcf_yield: number | null
  readonly dividend_yield: number | null
}

const nothing: PlainValuations = {
  market_cap: null,
  price_to_earnings: null,
  price_to_book: null,
  ev_to_ebitda: null,
  fcf_yield: null,
  dividend_yield: null,
}

/** Why a company has no capitalisation on a day. */
export type NoCapitalisation =
  | 'no recent close'
  | 'no count'
  | 'prices begin after the count'
  | 'old count'
  | 'split between count and filing'

interface Capitalisation {
  readonly value: number
  readonly priceDay: number
}

/** The capitalisation, or why there is none. */
export function capitalisationOn(
  facts: readonly RawFact[],
  prices: readonly RawPrice[],
  day: number,
): Capitalisation | NoCapitalisation {
  let price: RawPrice | null = null
  for (const one of prices) if (one.day <= day && one.day >= day - 10) price = one
  if (price === null) return 'no recent close'
  const counts = facts.filter(({ tag, filed, end }) => tag === cover && filed <= day && end <= filed)
  let count: RawFact | null = null
  for (const one of counts)
    if (count === null || one.end > count.end || (one.end === count.end && isLater(one, count))) count = one
  if (count === null || !(count.value > 0)) return 'no count'
  if (prices[0].day > count.end) return 'prices begin after the count'
  if (price.day - count.end > 550) return 'old count'
  let shares = count.value
  for (const { day: on, split } of prices) {
    if (split === 1 || on > day) continue
    // The filing may count before or after such a split.
    if (on > Math.min(count.end, price.day) && on <= count.filed) return 'split between count and filing'
    if (on > count.filed && on <= price.day) shares *= split
  }
  return { value: price.close * shares, priceDay: price.day }
}

/** The valuations that a person computes who has read all filings and closes up to the end of a day. */
export function valuationsOn(
  facts: readonly RawFact[],
  prices: readonly RawPrice[],
  currency: string,
  day: number,
): PlainValuations {
  const found = capitalisationOn(facts, prices, day)
  if (typeof found === 'string') return nothing
  const { value: cap, priceDay } = found
  const usable = (one: Stated | null) =>
    one === null || one.unit !== currency || priceDay - one.end > 550 ? null : one.value
  const flow = (metric: string) => periodsOf(facts, metric, day)
  const year = (metric: string) => usable(trailing(facts, flow(metric)))
  const equity = usable(latest(flow('equity')))
  const netDebt = usable(latest(netDebts(facts, day)))
  const ebitda = usable(
    trailing(facts, combine(flow('operating_income'), flow('depreciation_amortization'), 1)),
  )
  const free = usable(trailing(facts, combine(flow('operating_cash_flow'), flow('capital_expenditure'), -1)))
  const over = (value: number, figure: number | null) =>
    figure !== null && figure > 0 ? value / figure : null
  const yieldOf = (figure: number | null) => (figure === null ? null : figure / cap)
  return {
    market_cap: cap,
    price_to_earnings: over(cap, year('net_income')),
    price_to_book: over(cap, equity),
    ev_to_ebitda: netDebt === null ? null : over(cap + netDebt, ebitda),
    fcf_yield: yieldOf(free),
    dividend_yield: yieldOf(year('dividends_paid')),
  }
}

const isLater = (a: RawFact, b: RawFact) =>
  a.filed > b.filed || (a.filed === b.filed && a.accession > b.accession)
