import { type BodyFormat, mediaTypes } from '../backtest/request.ts'
import { Failure } from '../errors.ts'
import type { RequestContext } from './context.ts'

const graceMs = 5_000
/** A body that arrives more slowly than this, on average after the grace period, is rejected: a slow sender would occupy
 * memory for hours. */
const minBytesPerMs = 16
/** One server holds bodies of this many times the largest size, at most. */
const maxBodies = 4

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
}

/** Reads bodies whole, as bytes. Size, speed and the memory of all bodies together are bounded. */
export class BodyReader {
  readonly #limit: number
  readonly #elapsedMs: () => number
  #held = 0

  constructor(limitMb: number, elapsedMs: () => number) {
    this.#limit = limitMb * 1_024 * 1_024
    this.#elapsedMs = elapsedMs
  }

  /** Passes the bytes to `work`. They count towards the memory bound until it is done. */
  async use<T>(context: RequestContext, work: (bytes: Uint8Array<ArrayBuffer>) => Promise<T>): Promise<T> {
    const declared = Number(context.request.headers.get('content-length') ?? 0)
    if (declared > this.#limit) throw this.#tooLarge(`${declared.toLocaleString('en')} bytes`)
    const room = { held: 0 }
    this.#requireRoom(declared)
    try {
      return await work(await this.#read(context, declared, room))
    } finally {
      this.#held -= room.held
    }
  }

  #requireRoom(bytes: number): void {
    if (this.#held + bytes > this.#limit * maxBodies) {
      throw new Failure(
        'compute_busy',
        'The server has reached its limit of request bodies in memory. Try again in a moment.',
        {
          param: 'body',
          retryAfterSeconds: 5,
        },
      )
    }
  }

  /** Bytes count as they arrive, not as Content-Length announces them: a client that announces much and sends little would
   * otherwise block everybody else. */
  #hold(room: { held: number }, bytes: number): void {
    this.#requireRoom(bytes)
    this.#held += bytes
    room.held += bytes
  }

  async #read(
    context: RequestContext,
    declared: number,
    room: { held: number },
  ): Promise<Uint8Array<ArrayBuffer>> {
    const stream = context.request.body
    if (stream === null) return new Uint8Array(0)
    const reader = stream.getReader()
    try {
      return await this.#gather(reader, declared, room)
    } catch (error) {
      reader.cancel().catch(() => {})
      throw error
    }
  }

  async #gather(reader: Reader, declared: number, room: { held: number }): Promise<Uint8Array<ArrayBuffer>> {
    const startMs = this.#elapsedMs()
    // Allocated by Content-Length, but only the pages that bytes arrive for are touched and become memory.
    let whole = new Uint8Array(declared)
    let size = 0
    for (;;) {
      const chunk = await this.#next(reader, size, startMs)
      if (chunk === null) break
      const end = size + chunk.length
      if (end > this.#limit) throw this.#tooLarge('more')
      this.#hold(room, chunk.length)
      if (end > whole.length) {
        const grown = new Uint8Array(Math.min(this.#limit, Math.max(end, whole.length * 2, 65_536)))
        grown.set(whole.subarray(0, size))
        whole = grown
      }
      whole.set(chunk, size)
      size = end
    }
    if (size < declared) throw cutShort(size, declared)
    return whole.subarray(0, size)
  }

  /** The next chunk, null at the end. Only time spent waiting for the client counts. */
  async #next(reader: Reader, size: number, startMs: number): Promise<Uint8Array | null> {
    const waitMs = Math.min(graceMs, startMs + graceMs + size / minBytesPerMs - this.#elapsedMs())
    let timer: Timer | undefined
    const tooSlow = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(slow(size)), Math.max(0, waitMs))
    })
    try {
      const { done, value } = await Promise.race([reader.read(), tooSlow])
      return done || value === undefined ? null : value
    } catch (error) {
      throw error instanceof Failure ? error : cutShort(size, null)
    } finally {
      clearTimeout(timer)
    }
  }

  #tooLarge(what: string): Failure {
    const limit = `${this.#limit / 1_024 / 1_024} MB`
    return new Failure('body_too_large', `The body has ${what}; the limit is ${limit}. Send fewer rows.`, {
      param: 'body',
    })
  }
}

function slow(size: number): Failure {
  return new Failure(
    'body_invalid',
    `The body arrived too slowly: ${size.toLocaleString('en')} bytes, then nothing. Send it without a pause, at 16 KB per second or more.`,
    { param: 'body' },
  )
}

function cutShort(size: number, declared: number | null): Failure {
  const of = declared === null ? '' : ` of the ${declared.toLocaleString('en')} that Content-Length announced`
  return new Failure(
    'body_invalid',
    `The body ended after ${size.toLocaleString('en')} bytes${of}. Send it whole.`,
    {
      param: 'body',
    },
  )
}

/** The format of a body by its headers. An unsupported one is refused before a byte is read. */
export const bodyFormat = (headers: Headers): BodyFormat => formatOfBody(headers, mediaTypes)

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
