import type { AnswerBody } from './context.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** After an `await`, Bun 1.4.4 sends a body of this size or more with a system call for each part of each header, unless it
 * is a stream (`docs/bun-large-answers.md`). */
const minStreamedBytes = 15_360
/** Each streamed response has a copy of its body until the client has received it. For larger bodies the headers cost little
 * in comparison. */
const maxStreamedBytes = 262_144
const maxBytesPerCodeUnit = 3

const isStreamed = (size: number) => size >= minStreamedBytes && size <= maxStreamedBytes

/** The body of a response that is kept for many requests: bytes if it will be streamed, else a Blob, which is sent without
 * being copied. */
export type StoredBody = Blob | Bytes

export function storedBody(content: string | Bytes): StoredBody {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return isStreamed(bytes.length) ? bytes : new Blob([bytes])
}

export const sizeOfStored = (body: StoredBody) => (body instanceof Blob ? body.size : body.length)

export const bytesOfStored = (body: StoredBody) => (body instanceof Blob ? body.bytes() : body)

/** The body as Bun sends it fastest. The bytes on the wire, Content-Length included, are the same as without a stream. */
export function sentBody(body: AnswerBody): AnswerBody {
  if (typeof body === 'string') {
    if (body.length * maxBytesPerCodeUnit < minStreamedBytes) return body
    const size = Buffer.byteLength(body)
    return isStreamed(size) ? inOneChunk(new TextEncoder().encode(body)) : body
  }
  return body instanceof Uint8Array && isStreamed(body.length) ? inOneChunk(body) : body
}

/** Bun buffers what is written up to the high water mark. If the stream ends before that, Bun knows the length and sends
 * everything at once. */
function inOneChunk(bytes: Bytes): ReadableStream<Uint8Array> {
  // Bun's own kind of stream, which the DOM types do not declare.
  const direct: object = {
    type: 'direct',
    pull(controller: ReadableStreamDirectController) {
      controller.write(bytes)
      controller.end()
    },
  }
  return new ReadableStream(direct, { highWaterMark: bytes.length + 1 })
}
