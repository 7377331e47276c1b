import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export type Encoding = 'identity' | 'gzip' | 'zstd'

/** Smaller bodies are sent uncompressed: the extra header is as large as what compression saves. */
export const minCompressedBytes = 1_024

type Compressed = Exclude<Encoding, 'identity'>

/** How responses of one kind are compressed. */
export interface Compression {
  /** The smaller encoding on responses of this kind, for clients that weigh gzip and zstd equally. */
  readonly preferred: Compressed
  readonly zstdLevel: number
}

/** The smallest encoding that takes no more processor time than gzip 6, for each kind of response. `bun
 * bench/compression.ts` measures it, and bench/README.md has the table. No level suits all kinds: on rows of
 * companies, zstd needs twice the time of gzip to reach its size. */
export const compressions = {
  /** Rows of a few companies: their long repeated texts compress faster with gzip. */
  companyRows: { preferred: 'gzip', zstdLevel: 3 },
  /** Rows of many companies, where zstd is smaller at every level. */
  marketRows: { preferred: 'zstd', zstdLevel: 3 },
  results: { preferred: 'zstd', zstdLevel: 6 },
  /** Compressed once per process. */
  documents: { preferred: 'zstd', zstdLevel: 9 },
} as const satisfies Readonly<Record<string, Compression>>

const gzipLevel = 6

const chosen: Record<Compressed, Map<string, Encoding>> = { gzip: new Map(), zstd: new Map() }
const maxRemembered = 500

/** Chooses the content encoding with the highest weight in Accept-Encoding, or the preferred one on a tie. */
export function chooseEncoding(header: string | null, { preferred }: Compression): Encoding {
  if (header === null || header === '') return 'identity'
  const known = chosen[preferred]
  const found = known.get(header)
  if (found !== undefined) return found
  const encoding = weigh(header, preferred)
  if (known.size < maxRemembered && header.length < 200) known.set(header, encoding)
  return encoding
}

function weigh(header: string, preferred: Compressed): Encoding {
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
  const other: Compressed = preferred === 'zstd' ? 'gzip' : 'zstd'
  // The last one wins a tie.
  for (const encoding of [other, preferred]) {
    const weight = weights.get(encoding) ?? any ?? 0
    if (weight > 0 && weight >= bestWeight) {
      best = encoding
      bestWeight = weight
    }
  }
  return best
}

const gzipBytes = promisify(gzip)

/** Compresses on another thread: on this one, a large body would block all other requests. */
export async function compress(
  bytes: Uint8Array<ArrayBuffer>,
  encoding: Encoding,
  { zstdLevel }: Compression,
): Promise<Uint8Array<ArrayBuffer>> {
  switch (encoding) {
    case 'identity':
      return bytes
    case 'gzip':
      return new Uint8Array(await gzipBytes(bytes, { level: gzipLevel }))
    case 'zstd':
      return new Uint8Array(await Bun.zstdCompress(bytes, { level: zstdLevel }))
  }
}

type Compressor = ReadableWritablePair<Uint8Array, Uint8Array>

/** Bun's own class, which accepts a level. The DOM types, which take precedence over Bun's, do not declare
 * it. */
const LevelledStream: new (format: CompressionFormat, options: { level: number }) => CompressionStream =
  CompressionStream

/** A compressed stream that cancels its source when the reader stops. Bun's own compression stream leaves the
 * source open, and with it a database statement. */
export function compressStream(
  stream: ReadableStream<Uint8Array>,
  encoding: Encoding,
  { zstdLevel }: Compression,
): ReadableStream<Uint8Array> {
  if (encoding === 'identity') return stream
  const unread = new AbortController()
  const level = encoding === 'zstd' ? zstdLevel : gzipLevel
  // Bun supports zstd here, but the DOM types do not declare it.
  const compressor = new LevelledStream(encoding as CompressionFormat, { level }) as Compressor
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
