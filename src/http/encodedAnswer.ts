import type { Answer, Call } from './Call.ts'
import { chooseEncoding, compress, leastCompressed } from './encoding.ts'
import { answerHeaders } from './headers.ts'

/** An answer that is made for this request alone, compressed as the client asks. */
export async function encodedAnswer(
  call: Call,
  content: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Answer> {
  const encoding = chooseEncoding(call.request.headers.get('accept-encoding'))
  if (encoding === 'identity' || content.length < leastCompressed) {
    return { status: 200, headers: answerHeaders(headers), body: content }
  }
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const body = await compress(bytes, encoding)
  return { status: 200, headers: answerHeaders({ ...headers, 'Content-Encoding': encoding }), body }
}
