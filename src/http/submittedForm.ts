import { Failure } from '../errors.ts'
import type { BodyReader } from './body.ts'
import type { RequestContext } from './context.ts'

/** Fails for a form of another site: it would act with the visitor's cookie. Current browsers say where a form is from; older
 * ones send its origin. A request with neither does not come from a browser that has our cookie. */
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

/** The Host counts as well as BASE_URL: one may open http://localhost:3000 of a server whose address is http://127.0.0.1:3000. */
function isOwnOrigin(headers: Headers, baseUrl: string): boolean {
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return false
  return origin === new URL(baseUrl).origin || new URL(origin).host === headers.get('host')
}

const formType = 'application/x-www-form-urlencoded'
const maxFieldLength = 1_000
/** A dozen fields, each character of which may take nine bytes. */
const maxFormBytes = 128 * 1_024
const unprintable = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u

/** The fields of a form that was sent from a page of ours. */
export class SubmittedForm {
  readonly #fields: URLSearchParams

  constructor(text: string) {
    this.#fields = new URLSearchParams(text)
  }

  /** A field without spaces around it; empty if it was not sent. Control characters are refused, and those that turn the direction of
   * the text after them: in a list they would disguise what follows. */
  text(name: string): string {
    return this.#checked(name, this.#fields.get(name) ?? '')
  }

  /** A field of several lines, as one. */
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

  /** A number of our own, from a hidden field; 0 names nothing. */
  id(name: string): number {
    const value = this.text(name)
    return /^[1-9]\d{0,8}$/.test(value) ? Number(value) : 0
  }
}

/** The form of a page of ours, which its access policy reads. */
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
