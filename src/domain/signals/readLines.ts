import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

const mostCharacters = 4_096

export interface NumberedLine {
  /** From 1. */
  line: number
  text: string
  /** The line was longer than any line may be; `text` is its beginning. */
  isCut: boolean
}

/** The lines of a CSV or gzipped CSV, many at a time, whatever their line ends. No line, however long, is held
 * beyond its bound. */
export async function* readLines(bytes: ReadableStream<Uint8Array>): AsyncGenerator<NumberedLine[]> {
  const decoder = new TextDecoder()
  let line = 0
  let rest = ''
  let isCut = false
  const take = (text: string): NumberedLine => {
    line++
    const wasCut = isCut || text.length > mostCharacters
    isCut = false
    return {
      line,
      text: (text.endsWith('\r') ? text.slice(0, -1) : text).slice(0, mostCharacters),
      isCut: wasCut,
    }
  }
  for await (const chunk of inflated(bytes)) {
    const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = texts.pop() ?? ''
    const lines = texts.map(take)
    if (rest.length > mostCharacters) {
      rest = rest.slice(0, mostCharacters)
      isCut = true
    }
    if (lines.length > 0) yield lines
  }
  rest += decoder.decode()
  if (rest !== '' || isCut) yield [take(rest)]
}

async function* inflated(bytes: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = bytes.getReader()
  const head = await reader.read()
  const chunks = async function* () {
    try {
      for (let part = head; !part.done; part = await reader.read()) yield part.value
    } finally {
      await reader.cancel()
    }
  }
  const isGzip = head.value?.[0] === 0x1f && head.value[1] === 0x8b
  if (!isGzip) {
    yield* chunks()
    return
  }
  yield* Readable.from(chunks()).pipe(createGunzip({ chunkSize: 256 * 1024 }))
}
