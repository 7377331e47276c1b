import type { SentBody } from '../backtest/codec/bodyBytes.ts'
import { BodySpool, spooledBytes } from '../backtest/panelFile/bodySpool.ts'
import type { BodyFormat } from '../backtest/request.ts'
import { bodyMediaTypes } from '../formats/mediaTypes.ts'
import { demoPrincipal, isUnpaid, licenceLimits, type Principal, rankOf } from '../rights/licences.ts'
import { type BodyAccount, type BodyOwner, sweepMs } from './bodies/bodyAccount.ts'
import { BodyAccounts } from './bodies/bodyAccounts.ts'
import { unsupported } from './bodies/failures.ts'
import { boundsOf, IncomingBody, packingOfBody } from './bodies/incomingBody.ts'
import { maxSpooledBytes, SpoolRoom } from './bodies/spoolRoom.ts'
import type { RequestContext } from './context.ts'

/** A cut body up to this size stays in memory until its turn to be answered; a larger one is stopped at once. */
const stoppedLater = 64 * 1_024

interface UseOptions {
  /** The route's own limit, where it is lower than the server's. */
  readonly maxBytes?: number
  /** Who is charged for the body, where that is not the caller found by the access policy. */
  readonly sender?: Sender | undefined
  /** The body may be compressed as its Content-Encoding says, which `formatOfBody` has checked. `work` gets
   * it decompressed. */
  readonly unpacks?: boolean
}

export type Sender = Pick<Principal, 'keyId' | 'licence' | 'quant'>

/** Reads whole bodies as bytes. All routes share one reader, because the size, speed and memory of bodies are
 * bounded per key, per address and for the whole server (`BodyAccounts`). */
export class BodyReader {
  readonly #largest: number
  readonly #accounts: BodyAccounts
  readonly #stopped = new PacedTasks()
  readonly #spoolFolder: string
  readonly #spoolRoom = new SpoolRoom()
  #timer: Timer | null = null

  /** @param limitMb the limit of a body in memory
   * @param spoolFolder where larger bodies are stored */
  constructor(limitMb: number, spoolFolder: string) {
    this.#largest = limitMb * 1_024 * 1_024
    this.#accounts = new BodyAccounts(this.#largest)
    this.#spoolFolder = spoolFolder
  }

  /** Passes the bytes to `work`. They count towards the memory bounds until `work` is done. */
  async use<T>(
    context: RequestContext,
    work: (bytes: Uint8Array<ArrayBuffer>) => Promise<T>,
    {
      maxBytes = this.#largest,
      sender = context.caller?.rights ?? demoPrincipal,
      unpacks = false,
    }: UseOptions = {},
  ): Promise<T> {
    const owner = ownerOf(sender, context.address)
    const ofRoute = Math.min(maxBytes, this.#largest)
    const bounds = boundsOf(context.request, owner, ofRoute)
    const body = new IncomingBody(context.request, bounds, unpacks)
    const account = this.#open(context, body, owner, bounds.announced, bounds.limit)
    try {
      const bytes = await body.read(account)
      account.complete()
      return await work(bytes)
    } finally {
      account.close()
    }
  }

  /** Like `use`, for bodies that may be larger than memory. Only the first megabytes stay in memory; the rest
   * goes to a file that is deleted after `work`. */
  async useSpooled<T>(
    context: RequestContext,
    work: (body: SentBody) => Promise<T>,
    { sender = context.caller?.rights ?? demoPrincipal }: Pick<UseOptions, 'sender'> = {},
  ): Promise<T> {
    const owner = ownerOf(sender, context.address)
    const bounds = boundsOf(context.request, owner, maxSpooledBytes)
    const body = new IncomingBody(context.request, bounds, true)
    const announced = bounds.announced === null ? null : Math.min(bounds.announced, spooledBytes)
    const account = this.#open(context, body, owner, announced, bounds.announced ?? bounds.limit)
    const spool = new BodySpool(this.#spoolFolder)
    try {
      await body.spool(account, spool, bytes => this.#spoolRoom.take(owner.caller, bytes))
      account.complete()
      return await work(await spool.finish())
    } finally {
      account.close()
      this.#spoolRoom.release(owner.caller, body.spooled)
      await spool.discard()
    }
  }

  /** @param expected the size in bytes, which decides how long the body may take */
  #open(
    context: RequestContext,
    body: IncomingBody,
    owner: BodyOwner,
    announced: number | null,
    expected: number,
  ): BodyAccount {
    const account = this.#accounts.open(owner, announced, expected, () => {
      // Its client keeps sending: without this the connection would stay open for the rest of the body.
      context.closesConnection = true
      if (body.size > stoppedLater) body.stop()
      else this.#stopped.add(() => body.stop())
    })
    this.#watch()
    return account
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

/** Runs tasks a few at a time: thousands of responses at once would keep every other client waiting. */
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

/** Without a key, the address is the caller on every route. */
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

/** The format of a body according to its headers. An unsupported one is rejected before a byte is read. */
export const bodyFormat = (headers: Headers): BodyFormat => formatOfBody(headers, bodyMediaTypes)

/** Like `bodyFormat`, for a route that accepts other formats.
 *
 * @param types the media types of each format; messages name the first one */
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
    const allowed = [named.slice(0, -1).join(', '), named.at(-1)].filter(part => part !== '').join(' or ')
    throw unsupported(
      `Send the body with the Content-Type ${allowed}${type === null ? '; none was sent' : ''}.`,
    )
  }
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(type ?? '')?.[1]?.toLowerCase()
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw unsupported('The body must be UTF-8. Send it in UTF-8, or omit charset.')
  }
  packingOfBody(headers)
  return format
}
