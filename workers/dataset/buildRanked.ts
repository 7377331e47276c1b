import { Failure } from '../../src/errors.ts'
import { buildDataset } from '../../src/quant/buildDataset.ts'
import type { Columns } from '../../src/quant/columns.ts'
import type { Dataset } from '../../src/quant/dataset.ts'
import { rankDataset } from '../../src/quant/rankDataset.ts'
import { shareDataset } from '../../src/quant/shareDataset.ts'

/** Rows of which no cell may repeat, ranked at once: every later backtest shares the order. */
export function buildRanked(columns: Columns): Dataset {
  const { dataset } = buildDataset(columns)
  if (!dataset) throw new Failure('internal', 'The rows repeat a cell.')
  return rankDataset(shareDataset(dataset))
}
