import type { BodySpool } from '../../backtest/panelFile/bodySpool.ts'
import { type Packing, packings, unpackStream } from '../../backtest/panelFile/unpackStream.ts'
import type { BodyAccount, BodyOwner } from './bodyAccount.ts'
import { cutShort, diskFull, tooLarge, unsupported } from './failures.ts'

/** Room for the first bytes of a body. It grows as they arrive: what a client announces allocates nothing. */
const firstCapacity = 64 * 1_024

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Bytes = Uint8Array<ArrayBuffer>

interface BodyBounds {
  /** By Content-Length; null: none. */
  readonly announced: number | null
  /** The largest size, packed and unpacked. */
  readonly limit: number
  /** The limit is that of demo and free callers. */
  readonly isOfTier: boolean
}

/** Fails if the body announces more than it may have. */
export function boundsOf(request: Request, owner: BodyOwner, ofRoute: number): BodyBounds {
  const limit = Math.min(ofRoute, owner.maxBytes ?? ofRoute)
  const announced = announcedSize(request)
  const isOfTier = limit < ofRoute
  if (announced !== null && announced > limit) throw tooLarge(announced, limit, isOfTier)
  return { announced, limit, isOfTier }
}

/** A body as it arrives. */
export class IncomingBody {
  readonly #reader: Reader | null
  readonly #bounds: BodyBounds
  readonly #packing: Packing | null
  /** Bytes that arrived until now. */
  size = 0
  /** Bytes of the file that it became. */
  spooled = 0

  constructor({ body, headers }: Request, bounds: BodyBounds, unpacks: boolean) {
    this.#reader = body === null ? null : body.getReader()
    this.#bounds = bounds
    this.#packing = unpacks ? packingOfBody(headers) : null
  }

  /** Ends the read that waits. */
  stop(): void {
    this.#reader?.cancel().catch(() => {})
  }

  /** Reads all of it into memory. */
  async read(account: BodyAccount): Promise<Bytes> {
    const { announced, limit } = this.#bounds
    const expected = this.#packing === null ? Math.min(announced ?? limit, limit) : limit
    let whole = new Uint8Array(Math.min(expected, firstCapacity))
    let size = 0
    await this.#takeAll(account, chunk => {
      const end = size + chunk.length
      if (this.#packing !== null) account.hold(chunk.length)
      if (end > whole.length) whole = grown(whole, Math.min(expected, Math.max(end, 2 * whole.length)))
      whole.set(chunk, size)
      size = end
    })
    return whole.subarray(0, size)
  }

  /** Reads all of it into a spool.
   *
   * @param takeRoom fails if there is none */
  async spool(account: BodyAccount, spool: BodySpool, takeRoom: (bytes: number) => void): Promise<void> {
    await this.#takeAll(account, async chunk => {
      takeRoom(chunk.length)
      this.spooled += chunk.length
      // A chunk of the network or of the unpacker may be used again.
      await spool.write(spool.isInFile ? chunk : chunk.slice()).catch(cause => {
        throw isDiskFull(cause) ? diskFull(cause) : cause
      })
      const more = spool.inMemory - account.held
      if (more > 0) account.hold(more)
      else account.release(-more)
    })
  }

  /** Passes on the bytes of the body, unpacked, within its limit. */
  async #takeAll(account: BodyAccount, take: (chunk: Uint8Array) => void | Promise<void>): Promise<void> {
    if (this.#reader === null) return
    const { limit, isOfTier } = this.#bounds
    try {
      const packing = this.#packing
      if (packing === null) {
        for await (const chunk of this.#chunks(this.#reader, account)) await take(chunk)
        return
      }
      let unpacked = 0
      const takeWithin = (chunk: Uint8Array) => {
        unpacked += chunk.length
        if (unpacked > limit) throw tooLarge(null, limit, isOfTier)
        return take(chunk)
      }
      await unpackStream(this.#passing(this.#reader, account), packing, takeWithin, 'The body')
    } catch (error) {
      this.stop()
      throw account.failure ?? error
    }
  }

  /** Packed bytes leave memory as they are unpacked. */
  async *#passing(reader: Reader, account: BodyAccount): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#chunks(reader, account)) {
      yield chunk
      account.release(chunk.length)
    }
  }

  async *#chunks(reader: Reader, account: BodyAccount): AsyncGenerator<Uint8Array> {
    const { announced, limit, isOfTier } = this.#bounds
    for (;;) {
      account.isAwaited = true
      const chunk = await nextChunk(reader, this.size)
      account.isAwaited = false
      if (chunk === null) break
      // Bytes of a body that was cut are dropped until it is stopped.
      if (account.failure !== null) continue
      if (this.size + chunk.length > limit) throw tooLarge(null, limit, isOfTier)
      account.receive(chunk.length)
      this.size += chunk.length
      yield chunk
    }
    if (account.failure !== null) throw account.failure
    if (announced !== null && this.size < announced) throw cutShort(this.size, announced)
  }
}

const isDiskFull = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

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

function announcedSize({ headers }: Request): number | null {
  const length = headers.get('content-length')
  return length === null ? null : Number(length)
}

/** How a body is packed by its headers; null: not. */
export function packingOfBody(headers: Headers): Packing | null {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase().replace(/^x-/, '') ?? 'identity'
  if (encoding === 'identity' || encoding === '') return null
  const packing = packings.find(known => known === encoding)
  if (packing !== undefined) return packing
  throw unsupported(
    `Content-Encoding is ${encoding.slice(0, 40)}. Send the body with gzip, with zstd, or without Content-Encoding.`,
    'Content-Encoding',
  )
}
