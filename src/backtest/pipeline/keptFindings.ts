import { LRUCache } from 'lru-cache'
import type { Dataset } from '../dataset/dataset.ts'
import type { BacktestWarning } from '../result.ts'

/**
 * Warnings about rows that many requests run on: a stored panel or the archive. Looking for them takes longer than the rest
 * of a small backtest, and they depend on little besides the rows. Each thread keeps only the warnings, never rows, so a
 * panel that is deleted stays nowhere.
 */
const kept = new LRUCache<string, readonly BacktestWarning[]>({ max: 1_000 })
/** A list of columns may be long. */
const maxKeyLength = 1_000

const names = new WeakMap<Dataset, string>()

/**
 * Says that rows never change under this name. It is the name of this very object: rows that are made from it, with other
 * scores or returns for example, have none.
 *
 * @param name of a stored panel or a loaded archive, which no other rows ever have
 */
export function nameRows(data: Dataset, name: string): void {
  names.set(data, name)
}

/** The warnings about rows, looked for once for each combination of the settings on which they depend. */
export function findOnce(
  data: Dataset,
  settings: readonly unknown[],
  find: () => readonly BacktestWarning[],
): readonly BacktestWarning[] {
  const name = names.get(data)
  if (name === undefined) return find()
  const key = `${name} ${JSON.stringify(settings)}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const found = find()
  if (key.length <= maxKeyLength) kept.set(key, found)
  return found
}
