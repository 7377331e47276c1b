import { isoDate } from '../../dates.ts'
import type { SharpeDifference } from '../evidence/sharpeDifference.ts'
import { finiteOrNull, writeConfig } from '../pipeline/resultFields.ts'
import type { Premium, Variant, VariantRecord } from './lookAheadPremium.ts'
import type { LookAheadPremium, PremiumNote } from './schema.ts'

/** The premium as it is answered. */
export function writePremium(result: Premium): LookAheadPremium {
  const { variants, days, usedDates, config, costs, evidence, meanBlock, warnings } = result
  const { sent, known } = variants
  return {
    premium: writeDifference(result, 'known', result.premium),
    premium_without_announced: writeDifference(result, 'knownOrAnnounced', result.premiumWithoutAnnounced),
    sent: writeRecord(sent),
    known: writeRecord(known),
    known_or_announced: writeRecord(variants.knownOrAnnounced),
    n_rows_without_known: sent.rowsScored - known.rowsScored,
    n_periods: days.length,
    n_periods_left_out: usedDates - days.length,
    first_date: days.length === 0 ? null : isoDate(days[0]),
    last_date: days.length === 0 ? null : isoDate(days[days.length - 1]),
    periods_per_year: config.periodsPerYear,
    seed: evidence.seed,
    bootstraps: evidence.bootstraps,
    mean_block: meanBlock,
    mean_block_chosen: evidence.meanBlock === null,
    config: writeConfig(config),
    costs,
    warnings: [...warnings],
    notes: premiumNotes(result),
  }
}

function writeRecord(record: VariantRecord): LookAheadPremium['sent'] {
  return {
    sharpe: finiteOrNull(record.sharpeAnnualised),
    sharpe_per_period: finiteOrNull(record.sharpePerPeriod),
    n_rows: record.rowsScored,
    n_empty_periods: record.emptyPeriods,
    names_per_period: finiteOrNull(record.meanNames),
    avg_turnover: finiteOrNull(record.meanTurnover),
    cost_drag_annual: finiteOrNull(record.costDragAnnual),
  }
}

const level = 0.95

/** Two defined ratios have a difference, even if nothing bounds it. */
function writeDifference(
  { variants, config }: Premium,
  other: Variant,
  bounded: SharpeDifference | null,
): LookAheadPremium['premium'] {
  const a = variants.sent.sharpePerPeriod
  const b = variants[other].sharpePerPeriod
  if (a === null || b === null) return null
  const root = Math.sqrt(config.periodsPerYear)
  const difference = bounded?.differencePerPeriod ?? a - b
  const annualised = (value: number | undefined) => finiteOrNull((value ?? Number.NaN) * root)
  return {
    sharpe: annualised(difference),
    low: annualised(bounded?.lowPerPeriod),
    high: annualised(bounded?.highPerPeriod),
    sharpe_per_period: finiteOrNull(difference),
    low_per_period: finiteOrNull(bounded?.lowPerPeriod ?? null),
    high_per_period: finiteOrNull(bounded?.highPerPeriod ?? null),
    level: bounded?.level ?? level,
  }
}

/** From here on, intervals of nominally 95% contained the true difference in 93 to 98 of 100 panels
 * (plantedPremium.long.test.ts). */
const minPeriods = 36
const minBlocks = 10
/** From this share of rows on, the premium may consist of names rather than of values. */
const manyLeftOut = 0.1

function premiumNotes({ variants, days, meanBlock, warnings, ...result }: Premium): PremiumNote[] {
  const periods = days.length
  if (periods === 0)
    return [
      {
        code: 'no_common_periods',
        message:
          'On no date do all portfolios hold names, so there is no premium. Two names need a value as sent and as known on the same date.',
      },
    ]
  const notes: PremiumNote[] = []
  const { sent, known, knownOrAnnounced } = variants
  if (periods < minPeriods)
    notes.push({
      code: 'few_periods',
      message: `${periods} periods are few: how often the bounds contain the true premium was only measured with ${minPeriods} periods and more.`,
    })
  if (periods < minBlocks * meanBlock)
    notes.push({
      code: 'few_blocks',
      message: `The record has about ${Math.max(1, Math.round(periods / meanBlock))} blocks of ${meanBlock.toFixed(1)} periods. With so few blocks the bounds are wide, or there are none.`,
    })
  const pairs = [
    ['premium', known, result.premium],
    ['premium_without_announced', knownOrAnnounced, result.premiumWithoutAnnounced],
  ] as const
  for (const [name, other, bounded] of pairs) {
    if (bounded !== null && bounded.lowPerPeriod === bounded.highPerPeriod)
      notes.push({
        code: 'no_difference',
        message: `${name} is the same in every resample: the portfolios earn the same in every period.`,
      })
    if (bounded === null && sent.sharpePerPeriod !== null && other.sharpePerPeriod !== null)
      notes.push({
        code: 'unbounded',
        message: `${name} has no bounds: the portfolios differ in too few periods, or the record has too few blocks, to say how far chance reaches.`,
      })
  }
  const leftOut = sent.rowsScored - known.rowsScored
  if (leftOut > manyLeftOut * sent.rowsScored)
    notes.push({
      code: 'names_left_out',
      message: `${leftOut} of ${sent.rowsScored} rows have no known value and are left out of known only. Part of the premium comes from names that could not be ranked, not from values that changed.`,
    })
  if (warnings.some(({ code }) => code === 'overlapping_returns'))
    notes.push({
      code: 'overlapping_returns',
      message:
        'Returns seem to overlap, so one event counts in several periods, and the bounds are too narrow. Send config.returnDays.',
    })
  return notes
}
