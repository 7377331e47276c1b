import { storedAnswer } from '../../../backtest/pipeline/encodeResult.ts'
import { readStored } from '../../../jobs/jobQueries.ts'
import type { Sql } from '../../../postgres/client.ts'

/** The result of a submitted backtest as JSON; null if it has none. `readStored` also has what only its page shows. */
export async function readResult(sql: Sql, jobId: string): Promise<string | null> {
  const stored = await readStored(sql, jobId)
  return stored === null ? null : storedAnswer(stored)
}
