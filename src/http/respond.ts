import type { Answer, Call } from './Call.ts'
import { addLimitHeaders } from './limitHeaders.ts'

/** The response of an answer, with what is particular to the request. */
export function respond(call: Call, answer: Answer): Response {
  const { status, headers } = answer
  const response = new Response(bodyFor(call, answer), { status, headers })
  response.headers.set('X-Request-Id', call.id)
  if (call.verdict !== null) addLimitHeaders(response.headers, call.verdict)
  return response
}

/** HEAD has no use for a stream. Another one takes its place and not null: with null Bun would say Content-Length: 0,
 * which is not the length of the answer. */
function bodyFor(call: Call, { body }: Answer): Answer['body'] {
  if (!(body instanceof ReadableStream) || call.request.method !== 'HEAD') return body
  body.cancel().catch(() => {})
  return new ReadableStream({ start: controller => controller.close() })
}
