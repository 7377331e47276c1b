import {
  type FactRow,
  type Filing,
  type MetricRules,
  type RepeatRow,
  type Statement,
  untold,
} from '../../model/statement.ts'
import { FiscalCalendar } from './fiscalCalendar.ts'
import { gatherFilings } from './gatherFilings.ts'
import { Ledger } from './ledger.ts'
import { PeriodBook, type Series } from './periodBook.ts'
import { settleRatios, withdrawStaleRatios } from './ratios.ts'
import { partition, selectStatements } from './selectStatements.ts'
import { SingleQuarters } from './singleQuarters.ts'
import { type Span, spanOf, storedMetric } from './span.ts'

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
