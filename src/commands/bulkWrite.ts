import { constants, setPriority } from 'node:os'
import { Failure } from '../errors.ts'
import type { Sql } from '../postgres/client.ts'
import type { CliContext } from './context.ts'
import { type Progress, startProgress } from './output.ts'

/**
 * Runs work that writes to the database for minutes or hours: at low priority, with a progress display and an
 * explanation if the connection is lost.
 */
export function writeInBulk<T>(
  context: CliContext,
  label: string,
  work: (sql: Sql, progress: Progress) => Promise<T>,
): Promise<T> {
  return context.withDatabase(async sql => {
    lowerPriority()
    const progress = startProgress(label)
    try {
      return await work(sql, progress)
    } catch (error) {
      throw explainConnectionLoss(error)
    } finally {
      progress.stop()
    }
  })
}

/**
 * Makes the system prefer other processes, so that a server responds as fast during an import as without it.
 * Some systems refuse, and then nothing changes. Call it after opening the database: a database that this
 * process starts would inherit the priority.
 */
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    return
  }
}

const connectionCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
])

/** Losing the database during the work is an expected failure: committed batches stay. */
function explainConnectionLoss(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!connectionCodes.has(code)) return error
  return new Failure(
    'database_unavailable',
    `The connection to the database was lost (${code}). Every batch committed so far is stored; run the same command again to continue.`,
    { cause: error },
  )
}
