import { Failure } from '../errors.ts'

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

/** A database that went away in the middle is a foreseen failure: what was committed is kept. */
export function explainLoss(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!connectionCodes.has(code)) return error
  return new Failure(
    'database_unavailable',
    `The database went away (${code}). Every batch committed so far is kept; run the same command again to go on.`,
    { cause: error },
  )
}
