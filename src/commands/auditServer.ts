import { type ErrorCode, errorCodes, Failure, reasonOf } from '../errors.ts'
import type { AuditFormat, AuditHead } from '../features/audits/schema.ts'
import type { SentAuditFile } from './auditFile.ts'

/** Where audits run. */
export interface AuditServer {
  readonly address: string
  readonly key: string
  readonly signal: AbortSignal
}

/** How far an audit that runs as a job has got. */
export interface AuditProgress {
  readonly state: string
  readonly done: number
  readonly total: number | null
}

export interface ServedAudit {
  /** The answer without its rows. */
  readonly head: AuditHead
  /** The whole answer in the format that was asked for. */
  readonly whole: Uint8Array | null
}

/**
 * Runs an audit on a server.
 *
 * @param format null: only the report is needed
 * @param onProgress called while it runs as a job
 */
export async function auditOnServer(
  server: AuditServer,
  sent: SentAuditFile,
  format: AuditFormat | null,
  onProgress: (progress: AuditProgress) => void,
): Promise<ServedAudit> {
  const isOther = format !== null && format !== 'json'
  // A job runs once and has both the report and the rows. All users of the demo key share it, so it has no jobs.
  const isJob = isOther && server.key !== demoKey
  const first = await post(server, sent, isJob ? format : 'json', isJob)
  if (first.status === 202) {
    const path = await followJob(server, await readJson(first, server), onProgress)
    const report = await get(server, `${path}?format=json`)
    if (!isJob) return readAnswer(report, format)
    const { head } = await readAnswer(report, null)
    return { head, whole: await bytesOf(await get(server, `${path}?format=${format}`)) }
  }
  const answer = await readAnswer(first, isOther ? null : format)
  if (!isOther) return answer
  return { ...answer, whole: await bytesOf(await post(server, sent, format, false)) }
}

const demoKey = 'demo'

function post(
  server: AuditServer,
  { body, contentType, query }: SentAuditFile,
  format: AuditFormat,
  isJob: boolean,
): Promise<Response> {
  const search = new URLSearchParams({ ...query, format })
  return request(server, `/api/v1/audits?${search}`, {
    method: 'POST',
    body: body instanceof Uint8Array ? new Uint8Array(body) : Bun.file(body.path),
    headers: {
      'Content-Type': contentType,
      'Idempotency-Key': crypto.randomUUID(),
      ...(isJob ? { Prefer: 'respond-async' } : {}),
    },
  })
}

const get = (server: AuditServer, path: string) => request(server, path, {})

/** Sends a request. Throws the server's refusal. */
async function request(
  { address, key, signal }: AuditServer,
  path: string,
  { headers, ...init }: Omit<RequestInit, 'signal' | 'headers'> & { headers?: Record<string, string> },
): Promise<Response> {
  let response: Response
  try {
    response = await fetch(`${address}${path}`, {
      ...init,
      signal,
      headers: { ...headers, Authorization: `Bearer ${key}` },
      // A redirect could carry the key to another host.
      redirect: 'manual',
    })
  } catch (cause) {
    if (signal.aborted) throw new Failure('conflict', 'Stopped.', { cause })
    throw new Failure(
      'internal',
      `${address} does not answer: ${reasonOf(cause)} Start a server there, or name another one with --url or ASFILED_URL.`,
      { cause },
    )
  }
  if (response.ok) return response
  throw await refusalOf(response, address)
}

interface RefusedBody {
  readonly error: { readonly code: string; readonly message: string; readonly param?: string }
}

async function refusalOf(response: Response, address: string): Promise<Failure> {
  const body: unknown = await response.json().catch(() => null)
  if (!isRefused(body)) return notAsfiled(address, response.status)
  const retryAfterSeconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return failureOf(body.error, Number.isFinite(retryAfterSeconds) ? { retryAfterSeconds } : {})
}

const isRefused = (body: unknown): body is RefusedBody =>
  isObject(body) &&
  isObject(body.error) &&
  typeof body.error.code === 'string' &&
  typeof body.error.message === 'string'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** A newer server may have codes that this version does not know. */
const failureOf = (
  { code, message, param }: RefusedBody['error'],
  details: Omit<Failure['details'], 'param'> = {},
) =>
  new Failure(errorCodes.find(one => one === code) ?? 'internal', message, {
    ...details,
    ...(typeof param === 'string' ? { param } : {}),
  })

/** A proxy may answer in place of a server that restarts, so only its 5xx may pass. */
const notAsfiled = (address: string, status: number) =>
  new Failure(
    status >= 500 ? 'internal' : 'route_unknown',
    `${address} answered with status ${status}, and not as an asfiled server of this version does. --url has to be its address without a path.`,
  )

async function readJson(response: Response, { address }: AuditServer): Promise<AuditJobState> {
  const body: unknown = await response.json().catch(() => null)
  if (isJobState(body)) return body
  throw notAsfiled(address, response.status)
}

/** What this command reads of a job's summary. */
interface AuditJobState {
  readonly state: string
  readonly url: string
  readonly result_url: string | null
  readonly progress: { readonly done: number; readonly total: number | null }
  readonly error: RefusedBody['error'] | null
}

const isJobState = (body: unknown): body is AuditJobState =>
  isObject(body) &&
  typeof body.state === 'string' &&
  typeof body.url === 'string' &&
  body.url.startsWith('/') &&
  isObject(body.progress) &&
  typeof body.progress.done === 'number' &&
  (body.error === null || isRefused(body))

const firstPauseMs = 200
const longestPauseMs = 2_000
/** A poll may meet a restart of the server; the job continues. */
const maxLostPolls = 10

/**
 * Waits until a job has ended, and cancels it if the command is stopped.
 *
 * @returns the path of its result
 */
async function followJob(
  server: AuditServer,
  submitted: AuditJobState,
  onProgress: (progress: AuditProgress) => void,
): Promise<string> {
  let job = submitted
  let lost = 0
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 1.3 * pauseMs)) {
    onProgress({ state: job.state, ...job.progress })
    if (job.state === 'succeeded' && job.result_url !== null) return job.result_url
    if (job.error !== null) throw failureOf(job.error)
    if (job.state === 'cancelled') throw new Failure('conflict', 'The audit was cancelled on the server.')
    await pause(pauseMs, server.signal)
    if (server.signal.aborted) return cancelJob(server, job.url)
    try {
      job = await readJson(await get(server, job.url), server)
      lost = 0
    } catch (error) {
      if (server.signal.aborted) return cancelJob(server, job.url)
      if (!(error instanceof Failure) || ++lost > maxLostPolls || !isPassing(error)) throw error
      await pause(1_000 * Math.min(error.details.retryAfterSeconds ?? 1, 60), server.signal)
    }
  }
}

const passing: ReadonlySet<ErrorCode> = new Set([
  'internal',
  'rate_limited_minute',
  'database_unavailable',
  'shutting_down',
])
const isPassing = ({ code }: Failure) => passing.has(code)

async function cancelJob(server: AuditServer, path: string): Promise<never> {
  await request({ ...server, signal: AbortSignal.timeout(cancelTimeoutMs) }, path, {
    method: 'DELETE',
  }).catch(() => {})
  throw new Failure('conflict', 'Stopped. The audit was cancelled.')
}

const cancelTimeoutMs = 5_000

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const ended = Promise.withResolvers<void>()
  const end = () => ended.resolve()
  signal.addEventListener('abort', end, { once: true })
  const timer = setTimeout(end, ms)
  await ended.promise
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
}

const bytesOf = async (response: Response): Promise<Uint8Array> =>
  new Uint8Array(await response.arrayBuffer())

/** Reads a JSON answer: all of it, or only up to its rows, which may be hundreds of megabytes. */
async function readAnswer(response: Response, format: AuditFormat | null): Promise<ServedAudit> {
  if (format === null) return { head: await readHead(response.body ?? []), whole: null }
  const whole = await bytesOf(response)
  return { head: await readHead([whole]), whole }
}

const beforeRows = Buffer.from(',"rows":')

/** The fields of an answer before its rows, which are its last field if it has them. */
async function readHead(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<AuditHead> {
  let read = Buffer.alloc(0)
  let from = 0
  for await (const chunk of chunks) {
    read = Buffer.concat([read, chunk])
    for (let at = read.indexOf(beforeRows, from); at !== -1; at = read.indexOf(beforeRows, at + 1)) {
      // A field of that name inside another object leaves no whole object before it.
      const head = parseOrNull(`${read.toString('utf8', 0, at)}}`)
      if (isHead(head)) return head
    }
    from = Math.max(0, read.length - beforeRows.length)
  }
  const whole = parseOrNull(read.toString())
  if (isHead(whole)) return whole
  throw new Failure(
    'internal',
    'The server sent no report of an audit. Is it of the same version as this command?',
  )
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const isHead = (value: unknown): value is AuditHead =>
  isObject(value) &&
  value.object === 'audit' &&
  isObject(value.counts) &&
  Array.isArray(value.columns) &&
  Array.isArray(value.worst) &&
  Array.isArray(value.premium)
