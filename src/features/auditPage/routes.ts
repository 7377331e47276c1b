import { Elysia } from 'elysia'
import type { AccessDeps, Caller } from '../../access/authenticate.ts'
import { Failure } from '../../errors.ts'
import { redirectAnswer } from '../../http/answers.ts'
import type { BodyReader } from '../../http/body.ts'
import { computeCaller } from '../../http/computeCaller.ts'
import { type Answer, type RequestContext, withoutIdleTimeout } from '../../http/context.ts'
import { errorStatus } from '../../http/errors.ts'
import { useFileForm } from '../../http/fileForm.ts'
import { personalHeaders } from '../../http/headers.ts'
import { noQuery } from '../../http/parameters.ts'
import type { HttpPlugin } from '../../http/plugin.ts'
import { rowBudget } from '../../http/rowBudget.ts'
import { listJobs } from '../../jobs/jobQueries.ts'
import { licenceLimits } from '../../rights/licences.ts'
import type { AuditDeps } from '../audits/filedFigures.ts'
import { auditKind } from '../audits/jobKind.ts'
import { reportPage } from '../audits/report.ts'
import { openAudit, runAudit, type SentAudit } from '../audits/runAudit.ts'
import { type SubmitAuditDeps, submitAudit } from '../audits/submit.ts'
import { answerPage } from './answers.ts'
import { countAudit, findAuditor } from './auditor.ts'
import { type AuditForm, auditOfForm, faultyField, formFields, type Typed } from './form.ts'
import { auditPage } from './page.ts'
import { runPath, type SentDownload, unstoredPage } from './runPage.ts'
import { type RunRouteDeps, runRoutes } from './runRoutes.ts'
import { sampleFile } from './sample.ts'

export interface AuditPageDeps extends AuditDeps {
  readonly access: AccessDeps
  readonly bodies: BodyReader
  readonly perKeyLimit: { use<T>(subject: string, work: () => Promise<T>): Promise<T> }
  readonly settings: { readonly baseUrl: string; readonly bodyLimitMb: number }
  /** The same dependencies on the primary database, which stores jobs. */
  readonly primary: SubmitAuditDeps & RunRouteDeps
}

const page = { access: 'page', detail: { hide: true } } as const
const shownRuns = 8
/** The formats in which corrected rows can be downloaded. */
const rowFormats = ['csv', 'parquet'] as const

/** /audit: a page that audits a file. */
export function auditPageRoutes(http: HttpPlugin, deps: AuditPageDeps) {
  return new Elysia({ name: 'auditPage' })
    .use(http)
    .use(runRoutes(http, deps.primary))
    .get(
      '/audit',
      async ({ context }) => {
        noQuery(context)
        return showForm(deps, context, {})
      },
      { ...page },
    )
    .post('/audit', async ({ context }) => receiveForm(deps, context), {
      access: 'pageForm',
      detail: { hide: true },
      parse: 'none',
    })
    .get(
      '/audit/sample.csv',
      async ({ context }) => {
        noQuery(context)
        return sampleAnswer()
      },
      { ...page },
    )
}

function sampleAnswer(): Answer {
  const headers = personalHeaders({
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': 'attachment; filename="audit-sample.csv"',
    'Cache-Control': 'private, no-cache',
    Vary: 'Cookie',
  })
  return { status: 200, headers, body: sampleFile }
}

interface FormState {
  readonly typed?: Typed
  readonly failure?: Failure
}

async function showForm(
  { primary, settings }: AuditPageDeps,
  context: RequestContext,
  { typed = {}, failure }: FormState,
): Promise<Answer> {
  const { keyId, licence, quant } = context.authenticatedCaller.rights
  const { bodyBytes } = licenceLimits(licence, quant)
  const runs = keyId === null ? [] : await listJobs(primary.sql, auditKind, keyId, shownRuns, null)
  const shown = auditPage({
    typed,
    fault: failure === undefined ? null : { text: failure.message, field: faultyField(failure) },
    hasKey: keyId !== null,
    isSignedIn: context.isSignedIn,
    runs,
    maxMb: Math.min(settings.bodyLimitMb, (bodyBytes ?? Number.POSITIVE_INFINITY) / 1_048_576),
    baseUrl: settings.baseUrl,
  })
  const retry = failure?.details.retryAfterSeconds
  return answerPage(
    context,
    failure === undefined ? 200 : errorStatus(failure.code).status,
    shown,
    retry === undefined ? {} : { 'Retry-After': String(retry) },
  )
}

async function receiveForm(deps: AuditPageDeps, context: RequestContext): Promise<Answer> {
  let typed: Typed = {}
  try {
    const auditor = await findAuditor(deps.access, context)
    const act = (form: AuditForm) => {
      typed = form.typed
      return runForm(deps, context, auditor, form)
    }
    return await useFileForm(context, deps.bodies, formFields, act, auditor.rights)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return showForm(deps, context, { typed, failure: error })
  }
}

async function runForm(
  deps: AuditPageDeps,
  context: RequestContext,
  auditor: Caller,
  form: AuditForm,
): Promise<Answer> {
  const sent = await auditOfForm(form)
  await countAudit(deps.access, auditor)
  return withoutIdleTimeout(context, () =>
    deps.perKeyLimit.use(auditor.subject, () => answerAudit(deps, context, auditor, sent)),
  )
}

/**
 * With a key, the audit becomes a job, whose page keeps the report and the downloads. All visitors without one share the
 * demo key, so theirs runs at once and is not stored; the demo key's limit of rows keeps it small.
 */
async function answerAudit(
  deps: AuditPageDeps,
  context: RequestContext,
  auditor: Caller,
  sent: SentAudit,
): Promise<Answer> {
  const { rights } = auditor
  const { signal } = context.request
  const sender = {
    rights,
    caller: computeCaller(rights, context.address),
    budget: rowBudget(deps.access.rateLimiter, auditor, context.address),
  }
  const body = await openAudit(deps, sender, sent, signal)
  if (rights.keyId !== null) {
    const submitter = { ...sender, keyId: rights.keyId, requestId: context.id, idempotencyKey: null }
    const { job } = await submitAudit(deps.primary, submitter, { sent, body, formats: rowFormats }, signal)
    return redirectAnswer(runPath(job.id))
  }
  const audit = await runAudit(deps, sender, body, rowFormats, signal)
  try {
    const { csv, parquet } = audit.rows
    return answerPage(
      context,
      200,
      unstoredPage(reportPage(audit.head), [
        download('audit.csv', 'Corrected rows as CSV', 'text/csv;charset=utf-8', csv),
        download('audit.parquet', 'as Parquet', 'application/vnd.apache.parquet', parquet),
      ]),
    )
  } finally {
    audit.release()
  }
}

/** Chromium opens no data: URL of more than 2 MB, and base64 takes four characters for three bytes. */
const maxUrlBytes = 1_500_000

function download(name: string, label: string, type: string, bytes: Uint8Array | undefined): SentDownload {
  if (bytes === undefined) throw new Error(`The rows of an audit were not written as ${name}.`)
  const url =
    bytes.length > maxUrlBytes ? null : `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
  return { name, label, url }
}
