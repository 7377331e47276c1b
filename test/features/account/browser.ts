import type { TestServer } from '../../http/testServer.ts'

let networks = 0

/** A browser as a server sees it: cookies, a network, and pages whose forms it submits. */
export class TestBrowser {
  readonly cookies = new Map<string, string>()
  readonly #url: string
  readonly network: string

  constructor(
    url: string,
    network = `10.${40 + (++networks >> 16)}.${(networks >> 8) & 255}.${networks & 255}`,
  ) {
    this.#url = url
    this.network = network
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send('GET', path, null, headers)
  }

  head(path: string): Promise<Response> {
    return this.#send('HEAD', path, null, {})
  }

  /** Sends a form as one of our own pages does. */
  post(
    path: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.#send('POST', path, new URLSearchParams(fields).toString(), {
      'Sec-Fetch-Site': 'same-origin',
      ...headers,
    })
  }

  async page(path: string): Promise<string> {
    const response = await this.get(path)
    if (response.status !== 200) throw new Error(`${path} answers ${response.status}`)
    return response.text()
  }

  async #send(
    method: string,
    path: string,
    body: string | null,
    headers: Record<string, string>,
  ): Promise<Response> {
    const response = await fetch(this.#url + path, {
      method,
      redirect: 'manual',
      headers: {
        Accept: 'text/html',
        'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0',
        'X-Forwarded-For': this.network,
        Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body === null ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(body === null ? {} : { body }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair] = cookie.split(';')
      const equals = pair.indexOf('=')
      if (/Max-Age=0/.test(cookie)) this.cookies.delete(pair.slice(0, equals))
      else this.cookies.set(pair.slice(0, equals), pair.slice(equals + 1))
    }
    return response
  }
}

/** The code in the latest mail to an address, from the terminal of a server. */
export function codeFor(terminal: readonly string[], email: string): string {
  const mail = terminal.findLast(text => text.includes(`Mail to ${email}:`))
  const code = /^ {4}(\d{6})$/m.exec(mail ?? '')?.[1]
  if (code === undefined) throw new Error(`no code for ${email}`)
  return code
}

/** A browser that is signed in. */
export async function signedIn(
  { url, terminal }: Pick<TestServer, 'url' | 'terminal'>,
  email: string,
): Promise<TestBrowser> {
  const browser = new TestBrowser(url)
  await browser.post('/sign-in', { email })
  const response = await browser.post('/sign-in/code', { code: codeFor(terminal, email) })
  if (response.status !== 303) throw new Error(`signing in answers ${response.status}`)
  return browser
}

/** The key that a page shows once; null: none. */
export const shownKey = (page: string): string | null =>
  /value="(asf_live_[0-9A-Za-z]{32}_[0-9A-Za-z]{6})"/.exec(page)?.[1] ?? null

/** The numbers of the keys that a page has forms for, in its order. */
export const keyIds = (page: string): number[] => [
  ...new Set([...page.matchAll(/name="key" value="(\d+)"/g)].map(([, id]) => Number(id))),
]
