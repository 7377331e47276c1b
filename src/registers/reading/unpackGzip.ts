import { gunzipSync } from 'node:zlib'
import { Failure } from '../../errors.ts'
import { messageOf } from './zip.ts'

/** A file in gzip, unpacked, of no more than `most` bytes. */
export function unpackGzip(bytes: Uint8Array, most: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: most })
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Failure(
        'body_too_large',
        `The document has more than ${Math.floor(most / 1e6)} MB unpacked. Split it.`,
      )
    }
    throw new Failure('body_invalid', `The gzip is damaged: ${messageOf(error)}`)
  }
}
