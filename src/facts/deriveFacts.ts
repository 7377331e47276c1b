import { gatherFilings } from './filings.ts'
import { FiscalCalendar } from './fiscalCalendar.ts'
import { PeriodBook, type Series } from './periods.ts'
import { SingleQuarters } from './quarters.ts'
import { settleRatios, withdrawStaleRatios } from './ratios.ts'
import {
  type FactRow,
  type Filing,
  type MetricRules,
  type RepeatRow,
  type Statement,
  untold,
} from './reportedFact.ts'
import { nominalDays, type Span, spanOf, storedMetric } from './spans.ts'
import { Ledger } from './vintages.ts'

export interface DerivedEntity {
  /** Every vintage, in the order of filings. */
  readonly facts: readonly FactRow[]
  readonly repeats: readonly RepeatRow[]
  /** How many of `repeats` are of a period that is none of the entity's fiscal years, or cannot be one. */
  readonly unplaced: number
  /** Filings whose day no source has told yet: all they state is among `repeats`. */
  readonly awaiting: number
}

export interface EntityKnowledge {
  readonly rules: MetricRules
  /** `MMDD` on file at the register, used until a filing tells better. */
  readonly fiscalYearEnd: string | null
  /** What is known of filings from elsewhere (acceptance times), by accession. */
  readonly filings?: ReadonlyMap<string, Filing>
}

/** All that is served of one entity, from all that its filings state. Filings are read once, in the order in
 * which they were filed, and each adds rows by what was said up to and with it. So the result depends on the set
 * of statements and not on the order in which they were imported, and what was visible on a day is not changed
 * by any filing that came after it. */
export function deriveFacts(statements: readonly Statement[], knowledge: EntityKnowledge): DerivedEntity {
  const { rules } = knowledge
  const calendar = new FiscalCalendar(rules, knowledge.fiscalYearEnd)
  const book = new PeriodBook()
  const ledger = new Ledger()
  const quarters = new SingleQuarters()
  const repeats: RepeatRow[] = []
  let unplaced = 0
  let awaiting = 0
  let currency: string | null = null
  for (const { filing, statements: stated } of gatherFilings(statements, knowledge.filings ?? new Map())) {
    const selection = selectStatements(stated, rules, currency)
    if (filing.filed === untold) {
      awaiting++
      for (const statement of [...selection.chosen, ...selection.foreign]) repeats.push(unlabelled(statement))
      continue
    }
    currency = selection.currency
    const [possible, impossible] = partition(selection.chosen, statement =>
      hasPossibleDays(statement, filing),
    )
    for (const statement of impossible) repeats.push(unlabelled(statement))
    unplaced += impossible.length
    calendar.learn(filing.form, possible)
    for (const { statement, series } of place(possible, filing, book)) {
      if (!book.label(series.period, calendar, filing.form)) {
        repeats.push({ statement, metric: series.metric, label: null })
        unplaced++
        continue
      }
      const alreadySaid = series.lastStatement === filing.accession
      series.lastStatement = filing.accession
      const rank = {
        group: rules.group(statement.metric, statement.tag),
        basis: rules.basis?.(statement.tag) ?? 0,
      }
      const { groups } = series
      const isNews = !alreadySaid && ledger.recordStatement(series, statement, rank, filing)
      if (!isNews) repeats.push({ statement, metric: series.metric, label: series.period.label })
      const mayGiveQuarter = isNews || series.groups !== groups
      if (mayGiveQuarter && rules.rule(statement.metric).additive) quarters.note(statement.metric, series)
    }
    for (const statement of selection.foreign) repeats.push(unlabelled(statement))
    quarters.settle(book, ledger, filing)
    const refined = book.takeRefined()
    for (const period of refined) ledger.redate(period, filing)
    settleRatios(book, ledger, filing)
    for (const period of refined) withdrawStaleRatios(period, ledger, filing)
  }
  return { facts: ledger.facts, repeats, unplaced, awaiting }
}

/** Days by which a period that the source rounded to the end of a month may seem to end later than it did. */
const mostRounding = 16
const century = 36_525

/** No account is filed before its period is over, or a century after: the days of such a figure are wrong (2108 or 0018 for
 * 2018), and in the future it would stand as the latest one for ever. */
const hasPossibleDays = ({ end, rounded }: Statement, { filed }: Filing): boolean =>
  end <= filed + (rounded ? mostRounding : 0) && end > filed - century

const unlabelled = (statement: Statement): RepeatRow => ({
  statement,
  metric: storedMetric(statement.metric, spanOf(statement.start, statement.end) ?? 0),
  label: null,
})

interface Placed {
  readonly statement: Statement
  readonly series: Series
}

/** Finds each statement's period: exact ones before rounded ones, which lean on them; flows before what stands
 * on a day, whose quarter is that of the flows which end on it; whole years first. */
function place(statements: readonly Statement[], filing: Filing, book: PeriodBook): Placed[] {
  const spanned: Spanned[] = []
  for (const statement of statements) {
    const span = spanOf(statement.start, statement.end)
    if (span !== null) spanned.push({ statement, span })
  }
  spanned.sort(inOrderOfPlacing)
  const flows: Placed[] = []
  const instants: Placed[] = []
  for (const { statement, span } of spanned) {
    const period = statement.rounded
      ? book.resolveRounded(statement, span, filing.accession)
      : book.resolve(span, statement.start, statement.end)
    const series = book.seriesOf(period, storedMetric(statement.metric, span))
    series.lastMention = filing.accession
    if (span === 0) instants.push({ statement, series })
    else flows.push({ statement, series })
  }
  return flows.concat(instants)
}

interface Spanned {
  readonly statement: Statement
  readonly span: Span
}

function inOrderOfPlacing(a: Spanned, b: Spanned): number {
  if (a.statement.rounded !== b.statement.rounded) return a.statement.rounded ? 1 : -1
  if (a.span !== b.span) return b.span - a.span
  if (a.statement.end !== b.statement.end) return a.statement.end - b.statement.end
  if (a.statement.metric !== b.statement.metric) return a.statement.metric < b.statement.metric ? -1 : 1
  return a.statement.unit < b.statement.unit ? -1 : a.statement.unit > b.statement.unit ? 1 : 0
}

export interface Selection {
  /** One statement a metric and period (and one more where a rounded source says it again). */
  readonly chosen: Statement[]
  /** The same in currencies other than the filing's own, and those of lesser accounts than its best: kept on record,
   * never served. */
  readonly foreign: Statement[]
  readonly currency: string | null
}

/** Of everything that one filing says: one statement for each metric and period, by the order of preference of
 * its tags, of the best of its accounts and in the currency that most of those are in. The result does not depend on the order of `statements`,
 * and selecting from what was already selected changes nothing. */
export function selectStatements(
  statements: readonly Statement[],
  rules: MetricRules,
  previousCurrency: string | null,
): Selection {
  const basisOf = ({ tag }: Statement) => rules.basis?.(tag) ?? 0
  const best = new Map<string, Statement>()
  for (const statement of statements) {
    const span = spanOf(statement.start, statement.end)
    if (span === null) continue
    const accounts = basisOf(statement)
    const key = `${statement.metric} ${span}${statement.rounded ? 'r' : ' '}${statement.end} ${statement.unit} ${accounts}`
    const rival = best.get(key)
    if (rival === undefined || precedes(statement, rival, rules)) best.set(key, statement)
  }
  let basis = Number.POSITIVE_INFINITY
  for (const statement of best.values()) basis = Math.min(basis, basisOf(statement))
  const [own, lesser] = partition(best.values(), statement => basisOf(statement) === basis)
  const currency = mainCurrency(own, previousCurrency)
  const chosen: Statement[] = []
  const foreign: Statement[] = lesser
  for (const statement of own) {
    const money = currencyOf(statement.unit)
    if (money === null || money === currency) chosen.push(statement)
    else foreign.push(statement)
  }
  return { chosen, foreign, currency }
}

/** Those of which `isFirst` holds, and the others. */
export function partition<T>(all: Iterable<T>, isFirst: (one: T) => boolean): [T[], T[]] {
  const parts: [T[], T[]] = [[], []]
  for (const one of all) parts[isFirst(one) ? 0 : 1].push(one)
  return parts
}

function precedes(a: Statement, b: Statement, rules: MetricRules): boolean {
  const rank = rules.rank(a.metric, a.tag) - rules.rank(b.metric, b.tag)
  if (rank !== 0) return rank < 0
  const oddity = daysOff(a) - daysOff(b)
  if (oddity !== 0) return oddity < 0
  if (a.start !== b.start) return (a.start ?? 0) < (b.start ?? 0)
  return a.value < b.value
}

function daysOff(statement: Statement): number {
  if (statement.start === null) return 0
  const span = spanOf(statement.start, statement.end) ?? 0
  return Math.abs(statement.end - statement.start + 1 - nominalDays[span])
}

/** `USD` and `USD/shares` are of the currency USD; `shares` is of none. */
export function currencyOf(unit: string): string | null {
  const money = unit.endsWith('/shares') ? unit.slice(0, -7) : unit
  return money.length === 3 && money === money.toUpperCase() ? money : null
}

function mainCurrency(statements: Iterable<Statement>, previous: string | null): string | null {
  const counts = new Map<string, number>()
  for (const { unit } of statements) {
    const currency = currencyOf(unit)
    if (currency !== null) counts.set(currency, (counts.get(currency) ?? 0) + 1)
  }
  let main = previous
  let most = 0
  for (const [currency, count] of counts) {
    const breaksTie = main !== previous && (currency === previous || (main !== null && currency < main))
    if (count > most || (count === most && breaksTie)) {
      main = currency
      most = count
    }
  }
  return main
}
