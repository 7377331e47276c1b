import type { Answer, Call } from './Call.ts'
import { dataEncoding } from './dataAnswer.ts'
import { compressStream } from './encoding.ts'
import { answerHeaders } from './headers.ts'

/** An answer that is sent while it is made, compressed as the client asks. */
export function streamAnswer(
  call: Call,
  body: ReadableStream<Uint8Array>,
  own: Readonly<Record<string, string>>,
): Answer {
  const encoding = dataEncoding(call, own['Content-Type'])
  const headers = encoding === 'identity' ? own : { ...own, 'Content-Encoding': encoding }
  return { status: 200, headers: answerHeaders(headers), body: compressStream(body, encoding) }
}
