import type { Answer, Call } from './Call.ts'
import { chooseEncoding, compress, leastCompressed } from './encoding.ts'
import { answerHeaders } from './headers.ts'

/** A text that is made for this request alone, compressed as the client asks. */
export async function encodedAnswer(
  call: Call,
  text: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const encoding = chooseEncoding(call.request.headers.get('accept-encoding'))
  if (encoding === 'identity' || text.length < leastCompressed) {
    return { status: 200, headers: answerHeaders(headers), body: text }
  }
  const body = new Blob([await compress(new Uint8Array(Buffer.from(text)), encoding)])
  return { status: 200, headers: answerHeaders({ ...headers, 'Content-Encoding': encoding }), body }
}
