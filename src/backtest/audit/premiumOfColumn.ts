import { Failure } from '../../errors.ts'
import type { MarketCosts } from '../../markets/costs.ts'
import { none } from '../asOf/positions.ts'
import type { ParsedRows } from '../asOf/rows.ts'
import { alignScores } from '../premium/alignScores.ts'
import { lookAheadPremium } from '../premium/lookAheadPremium.ts'
import { writePremium } from '../premium/writePremium.ts'
import type { BacktestConfig } from '../request.ts'
import type { AuditedFigures, AuditedRows, ClassifiedColumn } from './classify.ts'
import type { NumberCells } from './numbers.ts'
import type { ColumnPremium } from './result.ts'
import { adjustment, type Split, splitsOf } from './splits.ts'
import { emptyCell, stateCode } from './states.ts'

/** What the look-ahead premium needs besides the audited cells. */
export interface PremiumSettings {
  readonly returns: NumberCells
  readonly config: BacktestConfig
  readonly costs: MarketCosts
  /** The code of the market of each company. */
  readonly markets: readonly string[]
}

/** The look-ahead premium of a column as a score. A backtest that the rows do not allow is no failure of the audit. */
export function premiumOfColumn(
  rows: ParsedRows,
  audited: AuditedRows,
  figures: AuditedFigures,
  found: ClassifiedColumn,
  settings: PremiumSettings,
): ColumnPremium {
  const column = figures.cells.name
  const { count } = audited
  const sent = new Float64Array(count).fill(Number.NaN)
  const known = new Float64Array(count).fill(Number.NaN)
  const knownOrAnnounced = new Float64Array(count).fill(Number.NaN)
  const { sign, scale } = figures.reading
  const knownFigure = adjustedFigures(figures)
  for (let row = 0; row < count; row++) {
    const state = found.state[row]
    // A cell that could not be judged is in no variant: otherwise its absence would count as look-ahead.
    if (state === emptyCell || state === stateCode.not_covered) continue
    const position = figures.positions[row]
    const value = figures.cells.numbers[figures.cells.cells[row] - 1]
    const isKnown = state === stateCode.known || state === stateCode.rounded
    const figure =
      position === none ? Number.NaN : (knownFigure(audited.company[row], position) / scale) * sign
    sent[row] = value
    known[row] = isKnown ? value : figure
    knownOrAnnounced[row] = isKnown || state === stateCode.announced ? value : figure
  }
  const marketNames = ['', ...new Set(settings.markets)]
  const { returns } = settings
  const aligned = alignScores(
    {
      count,
      day: audited.ownDay,
      asset: rows.name,
      market: Uint16Array.from(audited.company, company =>
        company === -1 ? 0 : marketNames.indexOf(settings.markets[company]),
      ),
      forwardReturn: Float64Array.from(returns.cells, cell =>
        cell === 0 ? Number.NaN : returns.numbers[cell - 1],
      ),
      assetNames: rows.names,
      marketNames,
    },
    { sent, known, knownOrAnnounced },
  )
  if (aligned.dataset === null) {
    const { firstRow, secondRow } = aligned.duplicate
    const reason = `Rows ${firstRow + 1} and ${secondRow + 1} are of the same day and ticker, so they are no panel of returns.`
    return { column, result: null, reason }
  }
  const { dataset: data, scores } = aligned
  try {
    const premium = lookAheadPremium({ data, scores, config: settings.config, costs: settings.costs })
    return { column, result: writePremium(premium), reason: null }
  } catch (error) {
    if (error instanceof Failure && error.code === 'backtest_impossible')
      return { column, result: null, reason: error.message }
    throw error
  }
}

/** The figure of an event of a company. In a column that is adjusted for splits it is per today's share, as the cells are. */
function adjustedFigures({ events, vintages, reading, shareKinds }: AuditedFigures) {
  const splits = new Map<number, readonly Split[]>()
  return (company: number, position: number): number => {
    const value = events.values[position]
    if (reading.splits !== 'adjusted') return value
    const kind = shareKinds.get(events.units[position]) ?? 'none'
    let ofCompany = splits.get(company)
    if (ofCompany === undefined) {
      ofCompany = splitsOf(vintages, vintages.starts[company], vintages.starts[company + 1], kind)
      splits.set(company, ofCompany)
    }
    return value * adjustment(ofCompany, events.filed[position], kind)
  }
}
