import type { TaskInput } from '../../src/compute/protocol.ts'
import { Failure } from '../../src/errors.ts'
import { buildDataset } from '../../src/quant/buildDataset.ts'
import type { Dataset } from '../../src/quant/dataset.ts'
import { rankDataset } from '../../src/quant/rankDataset.ts'
import { shareDataset } from '../../src/quant/shareDataset.ts'

/** Ranked at once: every later backtest of the archive shares the order. */
export function buildArchive({ columns }: TaskInput<'dataset_build'>): Dataset {
  const { dataset } = buildDataset(columns)
  if (!dataset) throw new Failure('internal', 'The archive repeats a cell.')
  return rankDataset(shareDataset(dataset))
}
