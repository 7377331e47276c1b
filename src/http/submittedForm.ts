import { Failure } from '../errors.ts'
import type { BodyReader } from './body.ts'
import type { RequestContext } from './context.ts'

/** Rejects a form sent from another site, which would act with the visitor's cookie. Current browsers say
 * which site a form comes from; older ones send its origin. A request with neither does not come from a
 * browser that has our cookie. */
export function requireOwnForm(context: RequestContext, baseUrl: string): void {
  const { headers } = context.request
  const site = headers.get('sec-fetch-site')
  if (site !== null ? site === 'same-origin' : isOwnOrigin(headers, baseUrl)) return
  throw new Failure(
    'form_refused',
    'This form was not sent from a page of this service. Open the page here and send its form again.',
    { param: site === null ? 'Origin' : 'Sec-Fetch-Site' },
  )
}

/** The Host counts as well as BASE_URL: a browser may open http://localhost:3000 while BASE_URL is
 * http://127.0.0.1:3000. */
function isOwnOrigin(headers: Headers, baseUrl: string): boolean {
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return false
  return origin === new URL(baseUrl).origin || new URL(origin).host === headers.get('host')
}

const formType = 'application/x-www-form-urlencoded'
const maxFieldLength = 1_000
/** A dozen fields; each character may take nine bytes. */
const maxFormBytes = 128 * 1_024
const unprintable = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u

/** The fields of a form that was sent from one of our pages. */
export class SubmittedForm {
  readonly #fields: URLSearchParams

  constructor(text: string) {
    this.#fields = new URLSearchParams(text)
  }

  /** A field without surrounding spaces; empty if it was not sent. Rejects control characters and those that
   * reverse the direction of text: in a list, they would disguise what follows. */
  text(name: string): string {
    return this.#checked(name, this.#fields.get(name) ?? '')
  }

  /** A field of several lines, joined into one. */
  lines(name: string): string {
    return this.#checked(name, (this.#fields.get(name) ?? '').replaceAll(/\s+/g, ' '))
  }

  #checked(name: string, raw: string): string {
    const value = raw.trim()
    if (value.length > maxFieldLength || unprintable.test(value) || !value.isWellFormed())
      throw new Failure(
        'parameter_invalid',
        `The field ${name} is too long or has characters that are not allowed.`,
        {
          param: name,
        },
      )
    return value
  }

  /** A number of ours from a hidden field; 0 if it is missing. */
  id(name: string): number {
    const value = this.text(name)
    return /^[1-9]\d{0,8}$/.test(value) ? Number(value) : 0
  }
}

/** Reads a form from one of our pages, for its access policy. */
export async function readSubmittedForm(
  context: RequestContext,
  bodies: BodyReader,
  baseUrl: string,
): Promise<SubmittedForm> {
  requireOwnForm(context, baseUrl)
  const type = context.request.headers.get('content-type')?.split(';')[0].trim().toLowerCase()
  if (type !== formType)
    throw new Failure('media_type_unsupported', `Send the form as ${formType}, as its page does.`, {
      param: 'Content-Type',
    })
  return bodies.use(context, async bytes => new SubmittedForm(new TextDecoder().decode(bytes)), {
    maxBytes: maxFormBytes,
  })
}
