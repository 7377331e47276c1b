import { readBody } from '../../../src/backtest/codec/body.ts'
import { writeByGroup } from '../../../src/backtest/pipeline/byGroup.ts'
import { buildPanelDataset } from '../../../src/backtest/pipeline/panelDataset.ts'
import type { BacktestByGroup } from '../../../src/backtest/resultScores.ts'

/** The section `by_group` of a panel, every date of which is a period. */
export function byGroupOf(panel: readonly object[]): BacktestByGroup {
  const parsed = readBody(new TextEncoder().encode(JSON.stringify({ panel })))
  if (parsed.panel === null) throw new Error('the body has rows')
  const data = buildPanelDataset(parsed.panel)
  return writeByGroup(
    data,
    Int32Array.from(data.days, (_, date) => date),
  )
}
