import { Failure } from '../../errors.ts'
import type { Network } from './fetchPolicy.ts'
import type { RegisterRequest } from './source.ts'

export interface ReceivedResponse {
  readonly status: number
  readonly headers: Headers
  /** Null if the body is incomplete or the status is not 200. */
  readonly body: Uint8Array | null
}

/** Sends a request, follows its redirects and reads the whole body. */
export async function receive(
  request: RegisterRequest,
  init: RequestInit,
  fetch: Network['fetch'],
  maxBytes: number,
): Promise<ReceivedResponse> {
  const response = await followRedirects(request, init, fetch)
  const { status, headers } = response
  if (status === 200) return { status, headers, body: await readBody(response, maxBytes) }
  await response.body?.cancel()
  return { status, headers, body: null }
}

const maxRedirects = 3

/** Requests with credentials never follow a redirect to another origin. */
async function followRedirects(
  request: RegisterRequest,
  init: RequestInit,
  fetch: Network['fetch'],
): Promise<Response> {
  let url = new URL(request.url)
  for (const [name, value] of Object.entries(request.secretQuery ?? {})) url.searchParams.set(name, value)
  const hasSecrets = request.secretQuery !== undefined || request.headers !== undefined
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url.href, init)
    const location = response.headers.get('Location')
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response
    await response.body?.cancel()
    const next = new URL(location, url)
    if (
      redirects === maxRedirects ||
      (hasSecrets && next.origin !== url.origin) ||
      !/^https?:$/.test(next.protocol)
    ) {
      throw new Failure(
        'body_invalid',
        `The register has moved to ${next.origin}. Set its new address in the settings.`,
      )
    }
    url = next
  }
}

/**
 * The whole body; null if it is shorter than announced. Stops reading at `maxBytes`, because a body may never
 * end.
 */
async function readBody(response: Response, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  if (response.body !== null) {
    for await (const chunk of response.body) {
      length += chunk.length
      if (length > maxBytes) {
        throw new Failure('body_too_large', `The response is larger than ${Math.floor(maxBytes / 1e6)} MB.`)
      }
      chunks.push(chunk)
    }
  }
  const announced = response.headers.get('Content-Length')
  // With a Content-Encoding, Content-Length is the length of the compressed body.
  const isPlain = response.headers.get('Content-Encoding') === null
  if (isPlain && announced !== null && Number(announced) !== length) return null
  return Buffer.concat(chunks)
}
