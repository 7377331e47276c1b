import type { JoinFormat } from '../../backtest/asOf/request.ts'
import type { AuditBody } from '../../backtest/audit/auditBody.ts'
import { type SubmitDeps, type SubmittedJob, submitJob } from '../../jobs/submit.ts'
import { isUnpaid } from '../../rights/licences.ts'
import type { JoinSender } from '../asOfJoins/sender.ts'
import type { AuditDeps } from './filedFigures.ts'
import { auditKind } from './jobKind.ts'
import { checkAudit, type SentAudit } from './runAudit.ts'

export interface SubmitAuditDeps extends AuditDeps, Omit<SubmitDeps, 'sql' | 'dataVersion'> {}

/** Who submits an audit. */
export interface AuditSubmitter extends JoinSender {
  readonly keyId: number
  readonly requestId: string
  readonly idempotencyKey: string | null
}

export interface AuditToSubmit {
  readonly sent: SentAudit
  readonly body: AuditBody
  /** The formats in which the rows are to be stored. */
  readonly formats: readonly JoinFormat[]
}

/**
 * Checks whether the sender may audit these rows, so that a refusal is reported at once, and stores the audit as a queued
 * job. The rows have been counted.
 */
export async function submitAudit(
  deps: SubmitAuditDeps,
  submitter: AuditSubmitter,
  { sent, body, formats }: AuditToSubmit,
  signal: AbortSignal,
): Promise<SubmittedJob> {
  const { keyId, requestId, idempotencyKey, rights } = submitter
  await checkAudit(deps, submitter, body, signal)
  return submitJob(deps, auditKind, {
    keyId,
    requestId,
    body: sent.body,
    input: { format: sent.format, query: { formats: [...formats], settings: sent.query } },
    total: body.rows.count,
    isUnpaid: isUnpaid(rights),
    idempotencyKey,
  })
}
