import { maxSynchronousRows } from '../../backtest/audit/request.ts'
import type { RequestContext } from '../../http/context.ts'
import { requireOwnKey } from '../asOfJoins/submit.ts'

/** The ID of the key to which an audit that runs as a job belongs. */
export const requireAuditKey = (context: RequestContext): number =>
  requireOwnKey(
    context,
    'audit',
    `send at most ${maxSynchronousRows.toLocaleString('en')} rows without Prefer`,
  )
