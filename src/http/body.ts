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

/** What a body that was cut may keep in memory until its turn to be answered. */
const stoppedLater = 64 * 1_024

interface UseOptions {
  /** The largest body that the route takes, where that is less than what the server takes. */
  readonly maxBytes?: number
  /** Whose body it is, where that is not the caller whom the access policy found. */
  readonly sender?: Sender | undefined
  /** The body may be packed as its Content-Encoding says (`formatOfBody` has checked that); `work` gets it unpacked. */
  readonly unpacks?: boolean
}

export type Sender = Pick<Principal, 'keyId' | 'licence' | 'quant'>

/** Reads bodies whole, as bytes. One reader serves all routes: the size, the speed and the memory of bodies are bounded by key, by
 * address and for the whole server (`BodyAccounts`). */
export class BodyReader {
  readonly #largest: number
  readonly #accounts: BodyAccounts
  readonly #stopped = new PacedTasks()
  readonly #spoolFolder: string
  readonly #spoolRoom = new SpoolRoom()
  #timer: Timer | null = null

  /** @param limitMb of a body in memory
   * @param spoolFolder for bodies that are too large for it */
  constructor(limitMb: number, spoolFolder: string) {
    this.#largest = limitMb * 1_024 * 1_024
    this.#accounts = new BodyAccounts(this.#largest)
    this.#spoolFolder = spoolFolder
  }

  /** Passes the bytes to `work`. They count towards the memory bounds until it is done. */
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

  /** The same for a body that may be larger than memory: only its first megabytes are kept there, the others in a file that is deleted
   * after `work`. */
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

  /** @param expected bytes, which decide how long the body may take */
  #open(
    context: RequestContext,
    body: IncomingBody,
    owner: BodyOwner,
    announced: number | null,
    expected: number,
  ): BodyAccount {
    const account = this.#accounts.open(owner, announced, expected, () => {
      // Its client goes on sending: without this the connection would stay open for it.
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

/** The format of a body by its headers. An unsupported one is refused before a byte is read. */
export const bodyFormat = (headers: Headers): BodyFormat => formatOfBody(headers, bodyMediaTypes)

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
  packingOfBody(headers)
  return format
}
