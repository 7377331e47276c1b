import { demoPrincipal } from '../access/authenticate.ts'
import { isUnpaid, licenceLimits, type Principal, rankOf } from '../access/licences.ts'
import type { BodyFormat } from '../backtest/request.ts'
import { Failure } from '../errors.ts'
import { bodyMediaTypes } from '../formats/mediaTypes.ts'
import { type BodyAccount, type BodyOwner, sweepMs } from './bodies/bodyAccount.ts'
import { BodyAccounts } from './bodies/bodyAccounts.ts'
import { cutShort, tooLarge } from './bodies/failures.ts'
import type { RequestContext } from './context.ts'

/** Room for the first bytes of a body. It grows as they arrive: what a client announces allocates nothing. */
const firstCapacity = 64 * 1_024
/** What a body that was cut may keep in memory until its turn to be answered. */
const stoppedLater = 64 * 1_024

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Bytes = Uint8Array<ArrayBuffer>

interface UseOptions {
  /** The largest body that the route takes, where that is less than what the server takes. */
  readonly maxBytes?: number
  /** Whose body it is, where that is not the caller whom the access policy found. */
  readonly sender?: Sender | undefined
}

export type Sender = Pick<Principal, 'keyId' | 'licence' | 'quant'>

/** Reads bodies whole, as bytes. One reader serves all routes: the size, the speed and the memory of bodies are bounded by key, by
 * address and for the whole server (`BodyAccounts`). */
export class BodyReader {
  readonly #largest: number
  readonly #accounts: BodyAccounts
  readonly #stopped = new PacedTasks()
  #timer: Timer | null = null

  constructor(limitMb: number) {
    this.#largest = limitMb * 1_024 * 1_024
    this.#accounts = new BodyAccounts(this.#largest)
  }

  /** Passes the bytes to `work`. They count towards the memory bounds until it is done. */
  async use<T>(
    context: RequestContext,
    work: (bytes: Bytes) => Promise<T>,
    { maxBytes = this.#largest, sender = context.caller?.principal ?? demoPrincipal }: UseOptions = {},
  ): Promise<T> {
    const owner = ownerOf(sender, context.address)
    const ofRoute = Math.min(maxBytes, this.#largest)
    const limit = Math.min(ofRoute, owner.maxBytes ?? ofRoute)
    const isOfTier = limit < ofRoute
    const announced = announcedSize(context.request)
    if (announced !== null && announced > limit) throw tooLarge(announced, limit, isOfTier)
    const body = new IncomingBody(context.request, announced, limit, isOfTier)
    const account = this.#accounts.open(owner, announced, limit, () => {
      // Its client goes on sending: without this the connection would stay open for it.
      context.closesConnection = true
      if (body.size > stoppedLater) body.stop()
      else this.#stopped.add(() => body.stop())
    })
    this.#watch()
    try {
      const bytes = await body.read(account)
      account.complete()
      return await work(bytes)
    } finally {
      account.close()
    }
  }

  #watch(): void {
    this.#timer ??= setInterval(() => {
      this.#accounts.sweep()
      if (this.#accounts.arriving > 0 || this.#timer === null) return
      clearInterval(this.#timer)
      this.#timer = null
    }, sweepMs).unref()
  }
}

const tasksAtOnce = 2
const tasksEveryMs = 10

/** Runs tasks a few at a time: thousands of answers at once would keep every other client waiting. */
class PacedTasks {
  readonly #waiting: (() => void)[] = []
  #timer: Timer | null = null

  add(task: () => void): void {
    this.#waiting.push(task)
    this.#timer ??= setInterval(() => this.#runSome(), tasksEveryMs)
  }

  #runSome(): void {
    for (const task of this.#waiting.splice(0, tasksAtOnce)) task()
    if (this.#waiting.length > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }
}

/** Without a key the address is the caller, whatever the route. */
export function ownerOf(sender: Sender, address: string): BodyOwner {
  const { keyId, licence, quant } = sender
  return {
    caller: keyId === null ? `address:${address}` : `key:${keyId}`,
    address,
    rank: rankOf(sender),
    isUnpaid: isUnpaid(sender),
    maxBytes: licenceLimits(licence, quant).bodyBytes,
  }
}

function announcedSize({ headers }: Request): number | null {
  const length = headers.get('content-length')
  return length === null ? null : Number(length)
}

class IncomingBody {
  readonly #reader: Reader | null
  readonly #announced: number | null
  readonly #limit: number
  readonly #isOfTier: boolean
  /** Bytes that arrived until now. */
  size = 0

  constructor({ body }: Request, announced: number | null, limit: number, isOfTier: boolean) {
    this.#reader = body === null ? null : body.getReader()
    this.#announced = announced
    this.#limit = limit
    this.#isOfTier = isOfTier
  }

  /** Ends the read that waits. */
  stop(): void {
    this.#reader?.cancel().catch(() => {})
  }

  async read(account: BodyAccount): Promise<Bytes> {
    if (this.#reader === null) return new Uint8Array(0)
    try {
      return await this.#gather(this.#reader, account)
    } catch (error) {
      this.stop()
      throw account.failure ?? error
    }
  }

  async #gather(reader: Reader, account: BodyAccount): Promise<Bytes> {
    const expected = Math.min(this.#announced ?? this.#limit, this.#limit)
    let whole = new Uint8Array(Math.min(expected, firstCapacity))
    for (;;) {
      const chunk = await nextChunk(reader, this.size)
      if (chunk === null) break
      // Bytes of a body that was cut are dropped until it is stopped.
      if (account.failure !== null) continue
      const start = this.size
      const end = start + chunk.length
      if (end > this.#limit) throw tooLarge(null, this.#limit, this.#isOfTier)
      account.receive(chunk.length)
      if (end > whole.length) whole = grown(whole, Math.min(expected, Math.max(end, 2 * whole.length)))
      whole.set(chunk, start)
      this.size = end
    }
    if (account.failure !== null) throw account.failure
    if (this.#announced !== null && this.size < this.#announced) throw cutShort(this.size, this.#announced)
    return whole.subarray(0, this.size)
  }
}

/** The same bytes with room for more. The memory that they had is free at once, and not when it is collected. */
const grown = ({ buffer }: Bytes, capacity: number): Bytes => new Uint8Array(buffer.transfer(capacity))

/** The next chunk, null at the end. */
async function nextChunk(reader: Reader, size: number): Promise<Uint8Array | null> {
  try {
    const { done, value } = await reader.read()
    return done || value === undefined ? null : value
  } catch {
    throw cutShort(size, null)
  }
}

const { parquet: _, ...backtestTypes } = bodyMediaTypes

/** The format of a body by its headers. An unsupported one is refused before a byte is read. */
export const bodyFormat = (headers: Headers): BodyFormat => formatOfBody(headers, backtestTypes)

/** The same for a route that takes other formats.
 *
 * @param types the media types of each format; messages name the first */
export function formatOfBody<Format extends string>(
  headers: Headers,
  types: Readonly<Record<Format, readonly string[]>>,
): Format {
  const type = headers.get('content-type')
  const essence = type?.split(';')[0].trim().toLowerCase() ?? ''
  const formats = Object.keys(types).filter((name): name is Format => name in types)
  const format = formats.find(known => types[known].includes(essence))
  if (format === undefined) {
    const named = formats.map(known => types[known][0])
    throw unsupported(
      `Send the body with the Content-Type ${named.slice(0, -1).join(', ')} or ${named.at(-1)}${type === null ? '; none was sent' : ''}.`,
    )
  }
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(type ?? '')?.[1]?.toLowerCase()
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw unsupported('The body must be UTF-8. Send it in UTF-8, or omit charset.')
  }
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    throw unsupported(
      'Compressed bodies are not supported. Send the body uncompressed, without Content-Encoding.',
      'Content-Encoding',
    )
  }
  return format
}

function unsupported(message: string, param = 'Content-Type'): Failure {
  return new Failure('media_type_unsupported', message, { param })
}
