import type { Answer, Call } from './Call.ts'
import { addLimitHeaders } from './limitHeaders.ts'

/** Browsers may call the service from any page: it knows no cookies, so a page can do nothing that its visitor's
 * key, which it would have to hold, does not allow. */
export const allowedOrigin = '*'
export const allowedRequestHeaders = 'Authorization, Content-Type, Accept, If-None-Match, X-Request-Id'

const exposed = [
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Next-Cursor',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ')

/** The response of an answer, with what all responses carry. */
export function respond(call: Call, answer: Answer): Response {
  const headers: Record<string, string> = {
    ...answer.headers,
    'X-Request-Id': call.id,
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': allowedOrigin,
    'Access-Control-Expose-Headers': exposed,
  }
  if (call.verdict !== null) addLimitHeaders(headers, call.verdict)
  if (call.request.method === 'HEAD' && answer.body instanceof ReadableStream) {
    answer.body.cancel().catch(() => {})
    return new Response(nothing(), { status: answer.status, headers })
  }
  return new Response(answer.body, { status: answer.status, headers })
}

/** A stream and not null: with null Bun would say Content-Length: 0, which is not the length of the answer. */
function nothing(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: controller => controller.close() })
}
