import type { Sql } from '../../store/database.ts'
import { importSignals, type SignalImport } from './importSignals.ts'

const sample = new URL('../../../sample/signals.csv.gz', import.meta.url)
/** No row of the sample is later. */
const lastDay = '2017-12-31'

/** Loads the signals that ship with the project. Its rows are `backfill`: their outcomes were known. */
export function loadSignalsSample(sql: Sql): Promise<SignalImport> {
  const file = { name: 'signals.csv.gz', bytes: Bun.file(sample).stream() }
  return importSignals(sql, file, { correct: false, today: lastDay })
}
