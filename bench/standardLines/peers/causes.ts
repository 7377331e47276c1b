import { standardLines } from '../../../src/standardLines/standardLines.ts'
import { isSame, type JoinedCell } from './join.ts'
import type { Pair, Peer } from './pairs.ts'
import type { FaceLine } from './presentedStatements.ts'

/** Who is right: `meaning` if the two lines mean different things, `ours` if we are wrong or lack a stated line. */
export type Whose = 'theirs' | 'ours' | 'filer' | 'meaning'

export interface Cause {
  readonly name: string
  readonly whose: Whose
}

const theirs = (name: string): Cause => ({ name, whose: 'theirs' })
const meaning = (name: string): Cause => ({ name, whose: 'meaning' })
const filer = (name: string): Cause => ({ name, whose: 'filer' })
const ours = (name: string): Cause => ({ name, whose: 'ours' })

const isOwn = (tag: string) => tag.startsWith('*')
const magnitude = (a: number, b: number) => isSame(Math.abs(a), Math.abs(b))
const shownLine = (face: readonly FaceLine[], value: number) =>
  value === 0 ? undefined : face.find(({ stated }) => magnitude(stated, value))

/** Every one of them triples the sums to try. */
const maxOthers = 6

/** Whether a value is the base with other lines of the face added or subtracted. */
function addsTo(face: readonly FaceLine[], base: number, value: number, tags: RegExp): boolean {
  const others = face
    .filter(({ tag, stated }) => tags.test(tag) && stated !== 0)
    .slice(0, maxOthers)
    .map(({ stated }) => stated)
  const reach = others.reduce<readonly number[]>(
    (sums, other) => sums.flatMap(sum => [sum, sum + other, sum - other]),
    [base, -base],
  )
  return reach.some(sum => isSame(sum, value))
}

/** Why a peer does not say what we say; null where it does. */
export function causeOf(peer: Peer, cell: JoinedCell): Cause | null {
  switch (cell.outcome) {
    case 'different':
      return (
        ourDefect(cell) ??
        (peer === 'secfsdstools' ? differenceOfSecfsdstools(cell) : differenceOfEdgartools(cell))
      )
    case 'theirsOnly':
      return peer === 'secfsdstools' ? surplusOfSecfsdstools(cell) : surplusOfEdgartools(cell)
    case 'oursOnly':
      return ourDefect(cell) ?? lackOf(peer, cell)
    default:
      return null
  }
}

function differenceOfSecfsdstools(cell: JoinedCell): Cause {
  const {
    pair,
    column: { face },
    ours: own,
    theirs: [peer],
  } = cell
  const value = own?.value ?? 0
  const tags = own?.tags ?? []
  if (magnitude(peer.value, value)) return theirs('reversed sign')
  const special = taxCause(cell) ?? profitCause(cell)
  if (special !== null) return special
  if (tags.every(isOwn)) return theirs("leaves out the company's own tags")
  if (peer.value === 0) return theirs('fills in a zero for a tag that it does not know')
  if (tags.length > 1) return meaning('we add several lines of the kind, they know some of the tags')
  if (pair.theirs === 'DepreciationDepletionAndAmortization')
    return meaning('adds depreciation and amortization')
  if (pair.theirs === 'PaymentsOfDividends')
    return meaning('adds dividends on preferred stock and to noncontrolling interests')
  if (/RevenuesSum|GrossProfit|InvestmentIncomeInterest/.test(peer.origin))
    return theirs('adds parts to the total that contains them, or takes a part')
  if (pair.theirs === 'Cash') return theirs('adds cash, its parts and restricted cash')
  const line = shownLine(face, peer.value)
  if (line !== undefined) return theirs(`takes another line`)
  return theirs('computes the line from others although it is stated')
}

/** Faults of ours that reading the differences showed; cells leave the list when they are mended. */
function ourDefect({ pair, column: { face }, ours: own }: JoinedCell): Cause | null {
  const [name] = pair.ours
  const tags = own?.tags ?? []
  if (name === 'net_income' && tags.includes('ProfitLoss') && hasMinority(face))
    return ours('net income before noncontrolling interests is called that of the owners')
  if (name === 'equity' && /IncludingPortion/.test(tags[0] ?? '') && hasMinority(face))
    return ours('equity with noncontrolling interests is called that of the owners')
  if (name === 'discontinued_operations' && tags.length > 1) {
    const last = face.findIndex(({ tag }) => /^\*?(ProfitLoss|NetIncomeLoss)$/.test(tag))
    const at = face.flatMap(({ lines }, index) => (lines.includes(name) ? [index] : []))
    if (at.some(index => index < last) && at.some(index => index > last))
      return ours('discontinued operations are added twice, above and below net income')
  }
  const shown = face.filter(({ lines }) => lines.includes(name))
  if (neverNegative.test(name) && (own?.value ?? 0) < 0 && shown.every(({ negated }) => negated))
    return ours('a cost that the statement shows as positive is negative')
  const activity = /^(operating|investing|financing)_cash_flow$/.exec(name)
  if (activity !== null && /ContinuingOperations$/.test(tags[0] ?? '')) {
    const other = new RegExp(`Discontinued\\w*${activity[1]}|${activity[1]}\\w*Discontinued`, 'i')
    if (face.some(({ tag, stated }) => other.test(tag) && stated !== 0))
      return ours('cash flow of continuing operations is called that of all')
  }
  if (name === 'operating_expenses' && tags.length === 1 && /OperatingCostsAndExpenses$/.test(tags[0]))
    return ours('an item beside administrative expense is called the total')
  const hasCashTotal = face.some(
    ({ tag, lines }) => tag === 'CashCashEquivalentsAndFederalFundsSold' && lines.length === 0,
  )
  return name === 'cash' && hasCashTotal
    ? ours('cash and due from banks is called cash and cash equivalents, whose total is stated')
    : null
}

const hasMinority = (face: readonly FaceLine[]) =>
  face.some(
    ({ tag, stated, lines }) =>
      stated !== 0 &&
      (lines.includes('minority_interest_income') ||
        lines.includes('minority_interest') ||
        /IncomeLossAttributableToNoncontrolling/.test(tag)),
  )

/** A total of continuing operations is the total of its activities if they have no other operations. */
const isUndivided = (face: readonly FaceLine[], { lines: [name] }: FaceLine) =>
  name?.endsWith('_continuing') === true &&
  !face.some(({ lines }) => lines.includes(name.replace('_continuing', '_discontinued')))

/** Lines that never lower what they are added to. */
const neverNegative =
  /^(cost_of_revenue|operating_expenses|interest_expense|depreciation\w*|stock_based_compensation|research_and_development|selling_general_administrative|capital_expenditure)$/

function taxCause({ pair, column: { face }, ours: own, theirs: [peer] }: JoinedCell): Cause | null {
  const value = own?.value ?? 0
  if (pair.theirs === 'AllIncomeTaxExpenseBenefit') {
    if (addsTo(face, value, peer.value, /^IncomeLossFromEquityMethodInvestments$/))
      return theirs('adds income from affiliates to taxes')
    if (
      addsTo(
        face,
        value,
        peer.value,
        /^(IncomeLossFromEquityMethodInvestments|DeferredIncomeTaxExpenseBenefit)$/,
      )
    )
      return theirs('adds deferred taxes to the total that contains them')
  }
  if (
    pair.theirs === 'IncomeLossFromContinuingOperationsBeforeIncomeTaxExpenseBenefit' &&
    addsTo(face, value, peer.value, /^IncomeLossFromEquityMethodInvestments$/)
  ) {
    const affiliates = face.findIndex(({ tag }) => tag === 'IncomeLossFromEquityMethodInvestments')
    const pretax = face.findIndex(({ lines }) => lines.includes('pretax_income'))
    return affiliates < pretax
      ? theirs('adds income from affiliates to a total that contains it')
      : meaning('adds income from affiliates, which follows the line')
  }
  return null
}

const profits = /^(ProfitLoss|IncomeLossFromContinuingOperations|NetIncomeLoss)$/

function profitCause({ pair, column, ours: own, theirs: [peer] }: JoinedCell): Cause | null {
  if (!profits.test(pair.theirs)) return null
  const pretax = column.ours.get('pretax_income')?.value
  const tax = column.ours.get('income_tax')?.value
  if (pretax !== undefined && tax !== undefined && isSame(pretax + tax, peer.value))
    return theirs('subtracts taxes whose sign is reversed')
  if (pair.theirs === 'IncomeLossFromContinuingOperations' && /IncludingPortion/.test(own?.tags[0] ?? '')) {
    const line = shownLine(column.face, peer.value)
    if (line?.tag === 'IncomeLossFromContinuingOperations') return meaning("the owners' share")
  }
  if (
    pair.theirs === 'ProfitLoss' &&
    own?.tags[0] === 'NetIncomeLoss' &&
    column.ours.has('minority_interest_income')
  )
    return meaning('computes income before noncontrolling interests, which is not stated')
  return null
}

/** Copies between tags of one meaning; all others put a line under the name of another. */
const synonyms =
  /^(stated|copy (EarningsPerShareBasic|RetainedEarnings\w+|Cash\w+|LiabilitiesAndStockholdersEquity|StockholdersEquity\w*|SalesRevenueNet|RevenuesSum|WeightedAverageNumberOf\w+|EarningsPerShareDiluted|EffectOf\w+|IncomeLossFromContinuingOperationsIncluding\w+))/

function surplusOfSecfsdstools(cell: JoinedCell): Cause {
  const {
    pair,
    column: { face, unclear },
    theirs: [{ value, origin }],
  } = cell
  if (value === 0 && origin !== 'stated') return theirs('fills in a zero')
  const line =
    face.find(({ tag, stated }) => tag === pair.theirs && magnitude(stated, value)) ?? shownLine(face, value)
  if (!synonyms.test(origin) || line === undefined)
    return theirs('computes a line that is not stated, or copies another')
  if (pair.ours.some(name => unclear.has(name))) return meaning('two readings: we give no value')
  if (isUndivided(face, line)) return ours('the only total is called that of continuing operations')
  if (line.lines.length > 0) return meaning('the line has another name of ours')
  return unnamed(line)
}

/** Why we give no name to a line whose tag means ours. */
function unnamed(line: FaceLine): Cause {
  if (isPartByLabel(line)) return filer('the tag of a total on a part')
  return namesMore(line.label)
    ? meaning('the label names more than the line, so we give no value')
    : ours('the stated line has no name')
}

const oneThing =
  /depreciation,?( depletion,?)?( and|,) amortization|general,?( and|,) administrative|selling,?( and|,) administrative|sales and marketing|property,? plant,? and equipment|property and equipment|cash and cash equivalents|deferred credits and|costs and expenses|basic and diluted/gi

const namesMore = (label: string) =>
  /\b(and|or|other|others|net|including|excluding)\b|[&/]/i.test(label.replace(oneThing, ''))

/** Totals by their tag whose label says that they are something else. */
const isPartByLabel = ({ tag, label }: FaceLine) =>
  (/^(Assets|Liabilities)Noncurrent$/.test(tag) && /other|deferred/i.test(label)) ||
  (tag === 'OperatingIncomeLoss' && !/operati(ng|ons)/i.test(label))

function differenceOfEdgartools(cell: JoinedCell): Cause {
  const { pair, ours: own, theirs: lines } = cell
  const value = own?.value ?? 0
  const tags = own?.tags ?? []
  const expected = pair.reversed ? -value : value
  const values = lines.map(line => line.value)
  if (values.every(each => magnitude(each, value))) return theirs('keeps the sign of the filing')
  if (lines.length > 1) {
    const sum = values.reduce((total, each) => total + each, 0)
    if (values.some(each => magnitude(each, value))) return theirs('gives the name to the line and to others')
    if (tags.length > 1 && tags.every(tag => lines.some(({ origin }) => origin === tag)))
      return isSame(sum, expected) || lines.length === tags.length
        ? meaning('names the parts that we add')
        : theirs('gives the name to the line and to others')
    return theirs('gives the name to other lines')
  }
  if (tags.length > 1 && tags.includes(lines[0].origin)) return meaning('names one of the parts that we add')
  return theirs(
    tags.every(isOwn) ? "leaves out the company's own tags and names another line" : 'names another line',
  )
}

function surplusOfEdgartools({ pair, column: { face, unclear }, theirs: lines }: JoinedCell): Cause {
  if (pair.ours.some(name => unclear.has(name))) return meaning('two readings: we give no value')
  const named = face.filter(({ tag }) => lines.some(({ origin }) => origin === tag))
  if (named.some(line => isUndivided(face, line)))
    return ours('the only total is called that of continuing operations')
  if (named.some(each => each.lines.length > 0)) return meaning('the line has another name of ours')
  if (!named.some(({ tag }) => isDefined(pair, tag)))
    return meaning('a line of another kind, which has no name of ours')
  const [line] = named.filter(({ tag }) => isDefined(pair, tag))
  return unnamed(line)
}

/** Whether a definition of one of our lines names the tag, so that only its place can have kept the line from it. */
const isDefined = ({ statement, ours: names }: Pair, tag: string) =>
  standardLines.some(
    line =>
      line.statement === statement &&
      names.includes(line.name) &&
      (line.tags.some(group => group.includes(tag)) || line.alike?.test(tag) === true),
  )

function lackOf(peer: Peer, { ours: own, peerRows }: JoinedCell): Cause {
  const tags = own?.tags ?? []
  if (tags.every(isOwn)) return theirs("leaves out the company's own tags")
  return theirs(
    peer === 'edgartools' && peerRows.some(({ origin }) => tags.includes(origin))
      ? 'gives the tag another name'
      : 'does not know the tag',
  )
}
