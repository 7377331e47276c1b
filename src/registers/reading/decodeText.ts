import { Failure } from '../../errors.ts'

/** The text of a file whose encoding shows in its first bytes: UTF-16 or UTF-8 by their mark, else what the register
 * uses. Bytes that are no text of the encoding are refused.
 *
 * @param unmarked the encoding of a file without a mark, as `TextDecoder` calls it */
export function decodeText(bytes: Uint8Array, unmarked: 'utf-8' | 'shift_jis'): string {
  const encoding = markedEncoding(bytes) ?? unmarked
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('body_invalid', `The document is not ${encoding === 'shift_jis' ? 'CP932' : encoding}.`)
  }
}

function markedEncoding(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}
