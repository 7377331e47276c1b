import type { Answer, Call } from './Call.ts'
import { addLimitHeaders } from './limitHeaders.ts'

/** The response of an answer, with what is particular to the request. */
export function respond(call: Call, answer: Answer): Response {
  const { status, headers, body } = answer
  const unread = call.request.method === 'HEAD' && body instanceof ReadableStream ? body : null
  const response = new Response(unread === null ? body : null, { status, headers })
  if (unread !== null) {
    unread.cancel().catch(() => {})
    // As GET would send it; without this Bun says Content-Length: 0, which is not the length of the answer.
    response.headers.set('Transfer-Encoding', 'chunked')
  }
  response.headers.set('X-Request-Id', call.id)
  if (call.verdict !== null) addLimitHeaders(response.headers, call.verdict)
  return response
}
