import type { MetricRules, Statement } from '../../model/statement.ts'
import { nominalDays, spanOf } from './span.ts'

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
