import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export type Encoding = 'identity' | 'gzip' | 'zstd'

/** Below this, headers weigh as much as what compression saves. */
export const leastCompressed = 1_024

const known = new Map<string, Encoding>()
const mostKnown = 500

/** The encoding to answer in: the one that Accept-Encoding weighs highest; of equals zstd, gzip, identity. */
export function chooseEncoding(header: string | null): Encoding {
  if (header === null || header === '') return 'identity'
  const found = known.get(header)
  if (found !== undefined) return found
  const chosen = weigh(header)
  if (known.size < mostKnown && header.length < 200) known.set(header, chosen)
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

/** Off the event loop's thread. */
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

/** Whoever stops reading stops the source too: Bun's own compression would leave it open, and with it a statement of
 * the database. */
export function compressStream(
  stream: ReadableStream<Uint8Array>,
  encoding: Encoding,
): ReadableStream<Uint8Array> {
  if (encoding === 'identity') return stream
  const unread = new AbortController()
  // The DOM's types do not know of zstd; Bun does.
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
