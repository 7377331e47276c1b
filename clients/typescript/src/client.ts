import createFetchClient, { type FetchResponse, type MaybeOptionalInit, type ParseAs } from 'openapi-fetch'
import type { PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers'
import { AsfiledError } from './errors.ts'
import { type Job, type JobPath, type JobSummary, jobOf } from './jobs.ts'
import type { paths } from './openapi.ts'
import { noResponse, type RetryOptions, retryingFetch } from './retries.ts'

export interface ClientOptions extends RetryOptions {
  /** The address of the server, such as https://data.fund.example. */
  readonly baseUrl: string
  /** Default: `demo`. */
  readonly key?: string
  /** Bounds each call, with its repeats and its body. A stream only has to begin in time. Default: 300,000. */
  readonly timeoutMs?: number
  /** Instead of the global fetch. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** A timer of a longer time ends at once. */
const longestTimerMs = 2 ** 31 - 1

type Json = 'application/json'
type Verb = 'get' | 'post' | 'delete'
type Path<V extends Verb> = PathsWithMethod<paths, V>
type Init<P extends keyof paths, V extends Verb> = MaybeOptionalInit<paths[P], V>
type Optional<Options> = RequiredKeysOf<Options> extends never ? [Options?] : [Options]
type Data<P extends keyof paths, V extends Verb, Options> = Exclude<
  FetchResponse<paths[P][V] & Record<string, unknown>, Options, Json>['data'],
  undefined
>
type Call<V extends Verb> = <P extends Path<V>, Options extends Init<P, V>>(
  path: P,
  ...options: Optional<Options>
) => Promise<Data<P, V, Options>>

type Page<P extends Path<'get'>> = Extract<Data<P, 'get', object>, { data: unknown[]; next: string | null }>
/** The paths whose responses have pages. */
export type PagedPath = { [P in Path<'get'>]: [Page<P>] extends [never] ? never : P }[Path<'get'>]
type PageInit<P extends PagedPath> = Optional<Init<P, 'get'>>

export interface Asfiled {
  /** The data of a response: JSON by its type, or what `parseAs` names ('arrayBuffer' for Parquet, 'text', 'stream'). */
  readonly get: Call<'get'>
  readonly post: Call<'post'>
  readonly delete: Call<'delete'>
  /** The client of openapi-fetch, which also returns the response with its headers. It repeats and throws as well. */
  readonly raw: ReturnType<typeof createFetchClient<paths, Json>>
  /** Page after page. Throws `data_changed` if there is an import between two pages. */
  pages<P extends PagedPath>(path: P, ...options: PageInit<P>): AsyncGenerator<Page<P>, void>
  /** The rows of these pages, one by one. */
  rows<P extends PagedPath>(path: P, ...options: PageInit<P>): AsyncGenerator<Page<P>['data'][number], void>
  /** Submits a request as a job, which runs whether or not this program waits for it. */
  submit<P extends JobPath>(path: P, options: Init<P, 'post'>): Promise<Job<P>>
  /** A job that was submitted before. */
  job<P extends JobPath>(path: P, id: string): Promise<Job<P>>
}

type Method = 'GET' | 'POST' | 'DELETE'
interface Sent {
  readonly params?: { readonly query?: Readonly<Record<string, unknown>> }
  readonly headers?: HeadersInit
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly parseAs?: ParseAs
}
type Untyped = (method: Method, path: string, sent: Sent) => Promise<{ data: unknown; response: Response }>

export function createClient({
  baseUrl,
  key = 'demo',
  timeoutMs = 300_000,
  ...rest
}: ClientOptions): Asfiled {
  requireSettings(baseUrl, key)
  const raw = createFetchClient<paths, Json>({
    baseUrl,
    headers: { Authorization: `Bearer ${key}` },
    credentials: 'omit',
    fetch: retryingFetch(rest.fetch ?? (request => globalThis.fetch(request)), rest),
    bodySerializer: body => (isRaw(body) ? body : JSON.stringify(body)),
  })
  const request = raw.request as unknown as Untyped

  async function send(method: Method, path: string, sent: Sent = {}) {
    const deadline = new AbortController()
    const late = new AsfiledError('no_response', `The call took longer than ${timeoutMs} ms.`)
    const timer = setTimeout(() => deadline.abort(late), Math.min(timeoutMs, longestTimerMs))
    const signal = sent.signal ? AbortSignal.any([sent.signal, deadline.signal]) : deadline.signal
    try {
      return await request(method, path, { ...sent, signal, headers: headersOf(sent) })
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof AsfiledError ? error : noResponse(baseUrl, error)
    } finally {
      clearTimeout(timer)
    }
  }

  const call = (method: Method) => async (path: string, sent?: Sent) => (await send(method, path, sent)).data

  async function* pages(path: string, sent: Sent = {}) {
    let version: number | undefined
    let params = sent.params ?? {}
    for (;;) {
      const { data } = await send('GET', path, { ...sent, params })
      const page = data as { data: unknown[]; next: string | null; data_version?: number }
      version ??= page.data_version
      if (page.data_version !== version)
        throw new AsfiledError('data_changed', `${path}: an import came between two pages. Begin again.`)
      yield page
      if (typeof page.next !== 'string') return
      params = { ...params, query: { ...params.query, cursor: page.next } }
    }
  }

  async function* rows(path: string, sent?: Sent) {
    for await (const page of pages(path, sent)) yield* page.data
  }

  async function submit<P extends JobPath>(path: P, sent: Sent) {
    const headers = new Headers(sent.headers)
    headers.set('Prefer', 'respond-async')
    return jobOf<P>(call, (await call('POST')(path, { ...sent, headers })) as JobSummary<P>)
  }

  async function job<P extends JobPath>(path: P, id: string) {
    const address = `${path === '/api/v1/backtest' ? '/api/v1/backtests' : path}/${encodeURIComponent(id)}`
    return jobOf<P>(call, (await call('GET')(address)) as JobSummary<P>)
  }

  return {
    get: call('GET'),
    post: call('POST'),
    delete: call('DELETE'),
    raw,
    pages,
    rows,
    submit,
    job,
  } as Asfiled
}

function requireSettings(baseUrl: string, key: string): void {
  if (!/^[\x21-\x7e]{1,200}$/.test(key))
    throw new AsfiledError(
      'setting_invalid',
      'key has to be 1 to 200 printable ASCII characters without spaces.',
    )
  const address = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (address === null || !/^https?:$/.test(address.protocol) || address.username + address.password !== '')
    throw new AsfiledError(
      'setting_invalid',
      'baseUrl has to be an http or https address without user or password.',
    )
}

const isRaw = (body: unknown): boolean =>
  typeof body === 'string' || body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body)

/** A text is CSV and bytes are Parquet unless a header says otherwise. */
function headersOf({ headers: own, body }: Sent): Headers {
  const headers = new Headers(own)
  const type = typeof body === 'string' ? 'text/csv' : 'application/vnd.apache.parquet'
  if (isRaw(body) && !headers.has('Content-Type')) headers.set('Content-Type', type)
  return headers
}
