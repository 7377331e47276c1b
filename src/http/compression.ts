import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export type Encoding = 'identity' | 'gzip' | 'zstd'

/** Smaller bodies are sent as they are: the extra header weighs as much as compression saves. */
export const minCompressedBytes = 1_024

const known = new Map<string, Encoding>()
const maxRemembered = 500

/** The content encoding of the answer: the one with the highest weight in Accept-Encoding; on a tie zstd, then gzip. */
export function chooseEncoding(header: string | null): Encoding {
  if (header === null || header === '') return 'identity'
  const found = known.get(header)
  if (found !== undefined) return found
  const chosen = weigh(header)
  if (known.size < maxRemembered && header.length < 200) known.set(header, chosen)
  return chosen
}

function weigh(header: string): Encoding {
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [name, ...parameters] = item.split(';').map(part => part.trim())
    const q = parameters.find(parameter => /^q\s*=/.test(parameter))?.split('=')[1]
    const weight = q === undefined ? 1 : Number(q)
    if (name !== '' && weight >= 0 && weight <= 1) weights.set(name === 'x-gzip' ? 'gzip' : name, weight)
  }
  const any = weights.get('*')
  let best: Encoding = 'identity'
  let bestWeight = weights.get('identity') ?? 0
  for (const encoding of ['gzip', 'zstd'] as const) {
    const weight = weights.get(encoding) ?? any ?? 0
    if (weight > 0 && weight >= bestWeight) {
      best = encoding
      bestWeight = weight
    }
  }
  return best
}

const gzipBytes = promisify(gzip)

/** Compresses on another thread: on this one a large body would block all other requests. */
export async function compress(
  bytes: Uint8Array<ArrayBuffer>,
  encoding: Encoding,
): Promise<Uint8Array<ArrayBuffer>> {
  switch (encoding) {
    case 'identity':
      return bytes
    case 'gzip':
      return new Uint8Array(await gzipBytes(bytes, { level: 6 }))
    case 'zstd':
      return new Uint8Array(await Bun.zstdCompress(bytes, { level: 3 }))
  }
}

type Compressor = ReadableWritablePair<Uint8Array, Uint8Array>

/** A compressed stream that cancels its source when the reader stops. Bun's own compression leaves the source open, and with it a
 * database statement. */
export function compressStream(
  stream: ReadableStream<Uint8Array>,
  encoding: Encoding,
): ReadableStream<Uint8Array> {
  if (encoding === 'identity') return stream
  const unread = new AbortController()
  // Bun supports zstd here; the DOM types do not list it.
  const compressor = new CompressionStream(encoding as CompressionFormat) as Compressor
  const reader = stream.pipeThrough(compressor, { signal: unread.signal }).getReader()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => unread.abort(),
  })
}
