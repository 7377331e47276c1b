import type { TaskInput } from '../../src/compute/protocol.ts'
import { nameAt, nameCount } from '../../src/quant/nameTable.ts'

export function listNames({ data: { assets } }: TaskInput<'dataset_names'>): string {
  return Array.from({ length: nameCount(assets) }, (_, place) => nameAt(assets, place)).join('\n')
}
