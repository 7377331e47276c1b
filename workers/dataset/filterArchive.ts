import type { TaskInput } from '../../src/compute/protocol.ts'
import type { Dataset } from '../../src/quant/dataset.ts'
import { filterMarket } from '../../src/quant/filterMarket.ts'
import { buildRanked } from './buildRanked.ts'

export function filterArchive({ data, market }: TaskInput<'dataset_filter'>): Dataset | null {
  const columns = filterMarket(data, market)
  return columns && buildRanked(columns)
}
