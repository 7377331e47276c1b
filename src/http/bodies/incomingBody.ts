import type { BodySpool } from '../../backtest/panelFile/bodySpool.ts'
import { type Packing, packings, unpackStream } from '../../backtest/panelFile/unpackStream.ts'
import type { BodyAccount, BodyOwner } from './bodyAccount.ts'
import { cutShort, diskFull, tooLarge, unsupported } from './failures.ts'

/** The initial buffer. It grows as bytes arrive: nothing is allocated on the strength of a client's
 * Content-Length. */
const firstCapacity = 64 * 1_024

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Bytes = Uint8Array<ArrayBuffer>

interface BodyBounds {
  /** The size by Content-Length; null: none. */
  readonly announced: number | null
  /** The largest size, both compressed and decompressed. */
  readonly limit: number
  /** True if the limit is the one of demo and free callers. */
  readonly isOfTier: boolean
}

/** Fails if the body announces more than its limit. */
export function boundsOf(request: Request, owner: BodyOwner, ofRoute: number): BodyBounds {
  const limit = Math.min(ofRoute, owner.maxBytes ?? ofRoute)
  const announced = announcedSize(request)
  const isOfTier = limit < ofRoute
  if (announced !== null && announced > limit) throw tooLarge(announced, limit, isOfTier)
  return { announced, limit, isOfTier }
}

/** A request body while it arrives. */
export class IncomingBody {
  readonly #reader: Reader | null
  readonly #bounds: BodyBounds
  readonly #packing: Packing | null
  /** Bytes received so far, decompressed. */
  size = 0
  /** Bytes written to its spool file. */
  spooled = 0

  constructor({ body, headers }: Request, bounds: BodyBounds, unpacks: boolean) {
    this.#reader = body === null ? null : body.getReader()
    this.#bounds = bounds
    this.#packing = unpacks ? packingOfBody(headers) : null
  }

  /** Ends a pending read. */
  stop(): void {
    this.#reader?.cancel().catch(() => {})
  }

  /** Reads the whole body into memory. */
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

  /** Reads the whole body into a spool.
   *
   * @param takeRoom fails if the disk budget has no room */
  async spool(account: BodyAccount, spool: BodySpool, takeRoom: (bytes: number) => void): Promise<void> {
    await this.#takeAll(account, async chunk => {
      takeRoom(chunk.length)
      this.spooled += chunk.length
      // Copied, because the network and the decompressor reuse their chunks.
      await spool.write(spool.isInFile ? chunk : chunk.slice()).catch(cause => {
        throw isDiskFull(cause) ? diskFull(cause) : cause
      })
      const more = spool.inMemory - account.held
      if (more > 0) account.hold(more)
      else account.release(-more)
    })
  }

  /** Passes on the decompressed bytes of the body, up to its limit. */
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
      await unpackStream(this.#passing(this.#reader, account), packing, takeWithin, {
        name: 'The body',
        param: 'Content-Encoding',
      })
    } catch (error) {
      this.stop()
      throw account.failure ?? error
    }
  }

  /** Compressed bytes stop counting as held once they are decompressed. */
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
      // A body that was cut is drained until it is stopped.
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

/** The same bytes with room for more. `transfer` frees the old memory at once instead of at the next
 * collection. */
const grown = ({ buffer }: Bytes, capacity: number): Bytes => new Uint8Array(buffer.transfer(capacity))

/** The next chunk; null at the end. */
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

/** The compression of a body according to its headers; null: none. */
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
