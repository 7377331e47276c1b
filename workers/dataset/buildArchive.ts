import type { TaskInput } from '../../src/compute/protocol.ts'
import type { Dataset } from '../../src/quant/dataset.ts'
import { buildRanked } from './buildRanked.ts'
import { unpackDays } from './unpackDays.ts'

export function buildArchive({ days }: TaskInput<'archive_build'>): Dataset {
  return buildRanked(unpackDays(days))
}
