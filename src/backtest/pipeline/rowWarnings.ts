import { type Dataset, nameAt, nameCount } from '../dataset/dataset.ts'
import type { DateView } from '../dataset/subset.ts'
import type { DateSpacing } from '../portfolio/dateSpacing.ts'
import type { BacktestConfig } from '../request.ts'
import type { BacktestWarning } from '../result.ts'
import type { ReturnsUsed } from '../resultTrading.ts'
import { constantScoreCorrelation, type Foresight, foresight } from '../statistics/lookAhead.ts'
import { overlapCorrelation } from '../statistics/overlap.ts'

/** Warnings about the rows themselves, independent of the configuration. */

const largeReturn = 0.5
const maxLargeShare = 0.1

/** Percentages sent as fractions give a plausible Sharpe ratio with returns that are a hundred times too
 * large. */
export function warnOfPercent(forwardReturn: Float64Array): BacktestWarning[] {
  let known = 0
  let large = 0
  // By index: an iterator takes ten times as long, and this covers every row of every request.
  for (let row = 0; row < forwardReturn.length; row++) {
    const r = forwardReturn[row]
    if (Number.isNaN(r)) continue
    known++
    if (r > largeReturn || r < -largeReturn) large++
  }
  if (large === 0 || large < maxLargeShare * known) return []
  return [
    {
      code: 'returns_like_percent',
      message: `${large} of ${known} returns are above .5 or below -.5. Are they percent, sent as fractions? A return of 2.5% is 0.025; divide by 100 if so.`,
    },
  ]
}

/** Markets are sorted by name, so the empty name comes first. */
export function warnOfMissingMarket(data: Dataset): BacktestWarning[] {
  if (nameAt(data.markets, 0) !== '' || !data.market.includes(0)) return []
  return [
    {
      code: 'neutral_without_market',
      message:
        'Rows without a market are treated as one market. Send market with each row to make the legs market-neutral.',
    },
  ]
}

/** Trading at the next close costs little where dates are days, and a month where they are months. */
export function warnOfLateEntry(
  { entryDates }: BacktestConfig,
  returns: ReturnsUsed | undefined,
  { medianGap }: DateSpacing,
): BacktestWarning[] {
  if (returns?.from !== 'close' || returns.rebalance !== null || entryDates !== undefined || medianGap === 1)
    return []
  return [
    {
      code: 'late_entry',
      message: `Scores are traded at the close of the next date, ${medianGap} business days later, because entryDates was not sent. If the scores were known before the close of their own date, send config.entryDates 0.`,
    },
  ]
}

const overlapThreshold = 0.3

/** @param periods the dates that are used: if only every 21st is used, returns over 21 days do not overlap
 * @param howLong a sentence that says how the length of a return was determined */
export function warnOfOverlap(data: Dataset, periods: Int32Array, howLong: string): BacktestWarning[] {
  const correlation = overlapCorrelation(data, periods)
  if (correlation === null || correlation <= overlapThreshold) return []
  return [
    {
      code: 'overlapping_returns',
      message: `Consecutive returns of a name have a correlation of ${correlation.toFixed(2)}. They probably overlap: each spans more days than there are between two dates that the backtest uses. One event then counts in several periods, which overstates every Sharpe ratio, so no verdict is given. ${howLong} If a return spans more trading days, send their number as config.returnDays.`,
    },
  ]
}

/** From this rank correlation on, a score has the same order as the returns, except for a few names. */
const sameOrder = 0.98
/** The same threshold for a score that hardly changes, compared with the mean returns of the names. Means
 * over part of the record come close to it, but no score that was known beforehand does: over 20 names,
 * chance reaches .9 once in ten million. */
const sameOrderOfMeans = 0.9
const minNames = 20
const minPeriods = 20
/** With fewer degrees of freedom, a few names on a few dates may have the order of their returns by chance:
 * two names on 30 dates do so once in a billion. */
const minDegrees = 30
const largeIc = 0.2

/** Warns if the score seems to know the returns that it is tested on. */
export function warnOfLookAhead(data: Dataset, periods: Int32Array): BacktestWarning[] {
  const seen = foresight(data, periods)
  const copied = copiedReturn(seen) ?? copiedMeans(data, periods)
  if (copied !== null) return [{ code: 'score_is_return', message: copied }]
  const { own, names } = seen
  if (own === null || Math.abs(own) <= largeIc || names < minNames || seen.periods < minPeriods) return []
  return [
    {
      code: 'too_good',
      message: `The mean rank correlation of score and return is ${own.toFixed(3)}. Scores that were known before their returns seldom reach 0.1, so this one probably contains later data; no verdict is given. Check that each score uses only what was known before its date, and that returns begin after it.`,
    },
  ]
}

function copiedReturn({ own, next, degrees }: Foresight): string | null {
  if (degrees < minDegrees) return null
  const advice =
    'A score must be known before its return begins, so no verdict is given. Check which column was sent as the score, and its dates.'
  if (own !== null && Math.abs(own) >= sameOrder)
    return `The score orders names as their forward_return does (mean rank correlation ${own.toFixed(3)}): it is the return, or computed from it. ${advice}`
  if (next !== null && Math.abs(next) >= sameOrder)
    return `The score orders names as their forward_return on the next date does (mean rank correlation ${next.toFixed(3)}): it is that return, or computed from it. ${advice}`
  return null
}

function copiedMeans(data: Dataset, periods: Int32Array): string | null {
  if (periods.length < minPeriods) return null
  const constant = constantScoreCorrelation(data, periods)
  if (constant === null || constant.names < minNames) return null
  const { correlation } = constant
  if (correlation === null || Math.abs(correlation) < sameOrderOfMeans) return null
  return `The score of a name hardly changes, and its first values rank names almost exactly by their mean forward_return over the whole record (rank correlation ${correlation.toFixed(3)}): it was probably computed from these returns. A score must be known before its return begins, so no verdict is given.`
}

/** About 4% of listed companies leave each year: they fail, merge or are taken over. */
const leavingPerYear = 0.04
const maxExpected = 5
const daysPerYear = 365.25

/** A panel that no name ever leaves was probably selected from the names that still exist today. */
export function warnOfSurvivors(data: Dataset, { firstDate, endDate }: DateView): BacktestWarning[] {
  const years = (data.days[endDate - 1] - data.days[firstDate]) / daysPerYear
  const atMost = nameCount(data.assets) * (1 - (1 - leavingPerYear) ** years)
  if (!(atMost > maxExpected)) return []
  const names = countNames(data, firstDate, endDate)
  const expected = names * (1 - (1 - leavingPerYear) ** years)
  const present = data.offsets[endDate] - data.offsets[endDate - 1]
  if (present < names || expected <= maxExpected) return []
  return [
    {
      code: 'no_name_ever_leaves',
      message: `All ${names} names are still present on the last date: none left in ${years.toFixed(1)} years. Each year about 4% of listed companies fail, merge or are taken over, so about ${Math.round(expected)} should have left. If the panel has only names that still exist, its returns are better than anyone could have earned. Add the names that left, up to their last day.`,
    },
  ]
}

function countNames({ days, offsets, asset, assets }: Dataset, firstDate: number, endDate: number): number {
  if (firstDate === 0 && endDate === days.length) return nameCount(assets)
  const seen = new Uint8Array(nameCount(assets))
  for (let row = offsets[firstDate]; row < offsets[endDate]; row++) seen[asset[row]] = 1
  let names = 0
  for (const one of seen) names += one
  return names
}
