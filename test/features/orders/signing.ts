import { expect } from 'bun:test'
import type { TestServer } from '../../http/testServer.ts'
import { signedIn, type TestBrowser } from '../account/browser.ts'

/** Settings of a server that offers evaluations. */
export const operator = {
  OPERATOR: '任天堂 Data & Söhne "GmbH", 1 <b>Example</b> Street; the law of Example',
}

export const evaluationPath = '/account/evaluation'

/** The fields of the form on a page, filled in. */
export function filledForm(page: string, change: Record<string, string> = {}): Record<string, string> {
  const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
  return {
    version: hidden('version'),
    sha256: hidden('sha256'),
    name: 'Ana Álvarez',
    title: 'Head of Research',
    company: 'Fund <任天堂> Ltd',
    consent: 'yes',
    ...change,
  }
}

export async function sign(browser: TestBrowser, change: Record<string, string> = {}): Promise<Response> {
  return browser.post(evaluationPath, filledForm(await browser.page(evaluationPath), change))
}

/** A browser of a person who has signed. */
export async function signedBrowser(server: TestServer, email: string): Promise<TestBrowser> {
  const browser = await signedIn(server, email)
  const response = await sign(browser)
  expect([response.status, response.headers.get('location')]).toEqual([303, '/account/api-keys'])
  return browser
}
