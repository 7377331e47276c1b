import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { Failure } from '../../errors.ts'
import { ZstdFault, ZstdFrames } from './zstdFrames.ts'

/** The compression formats of a body or file. */
export const packings = ['gzip', 'zstd'] as const
export type Packing = (typeof packings)[number]

/** Detects the compression from the first bytes; null: none. Rows never begin like this. */
export function packingOf(bytes: Uint8Array): Packing | null {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'gzip'
  const isZstd = bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd
  return isZstd ? 'zstd' : null
}

const chunkSize = 256 * 1_024

/** Decompresses bytes as they arrive, including all concatenated members or frames, and passes the result on
 * in parts. Fails if the bytes are damaged or end early, and with whatever error `chunks` or `take` throw.
 *
 * @param source `name` begins the sentence of an error, `param` is the header that states the compression */
export async function unpackStream(
  chunks: AsyncIterable<Uint8Array>,
  packing: Packing,
  take: (bytes: Uint8Array) => void | Promise<void>,
  source: { readonly name: string; readonly param?: string },
): Promise<void> {
  // The stream rethrows errors of its source and its consumer. They are remembered here, so that only the
  // decompressor's own errors are explained.
  let outside: { readonly error: unknown } | null = null
  const frames = packing === 'zstd' ? new ZstdFrames() : null
  const stream = packing === 'gzip' ? createGunzip({ chunkSize }) : createZstdDecompress({ chunkSize })
  const followed = async function* () {
    try {
      for await (const chunk of chunks) {
        frames?.add(chunk)
        yield chunk
      }
      frames?.end()
    } catch (error) {
      outside ??= { error }
      throw error
    }
  }
  try {
    await pipeline(followed(), stream, async unpacked => {
      try {
        for await (const bytes of unpacked) await take(bytes)
      } catch (error) {
        // The stream's own errors arrive here too.
        if (error instanceof Failure) outside ??= { error }
        throw error
      }
    })
  } catch (cause) {
    const error = outsideError(outside) ?? cause
    if (error instanceof Failure) throw error
    if (outside !== null && !(error instanceof ZstdFault)) throw error
    const reason = error instanceof ZstdFault ? `: ${error.message}` : ''
    throw new Failure(
      'body_invalid',
      `${source.name} looks packed with ${packing}, but cannot be unpacked${reason}. Pack it again.`,
      source.param === undefined ? { cause } : { cause, param: source.param },
    )
  }
}

/** A separate function, because the compiler does not see that the callbacks assign the variable. */
const outsideError = (outside: { readonly error: unknown } | null): unknown => outside?.error
