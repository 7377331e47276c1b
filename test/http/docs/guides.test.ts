import { afterAll, describe, expect, test } from 'bun:test'
import { guides } from '../../../src/http/docs/guideList.ts'
import { testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { testServer } from '../testServer.ts'

const database = await testDatabase()
const server = await testServer(database.sql)
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

const names = Object.keys(guides)

interface ReadPage {
  readonly status: number
  readonly ids: ReadonlySet<string>
  readonly targets: readonly string[]
  readonly html: string
}

async function read(path: string): Promise<ReadPage> {
  const response = await fetch(server.url + path)
  const html = await response.text()
  const ids = new Set<string>()
  const targets: string[] = []
  new HTMLRewriter()
    .on('[id]', { element: element => void ids.add(element.getAttribute('id') ?? '') })
    .on('[href]', { element: element => void targets.push(element.getAttribute('href') ?? '') })
    .on('[src]', { element: element => void targets.push(element.getAttribute('src') ?? '') })
    .transform(html)
  return { status: response.status, ids, targets, html }
}

/** The text of a guide, as a reader sees it. */
async function textOf(name: string): Promise<string> {
  const { html } = await read(`/docs/guides/${name}`)
  return html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

describe('/docs/guides', () => {
  test('lists every guide once, with its title and first paragraph', async () => {
    const { html } = await read('/docs/guides')
    for (const name of nonEmpty(names))
      expect([name, html.split(`<li><a href="/docs/guides/${name}">`).length]).toEqual([name, 2])
    expect(html).toContain('<a href="/docs/guides/backtests">Backtests</a><p>')
    expect(html.match(/<p><\/p>/g)).toBeNull()
  })

  test('shows tables, code and headings of the Markdown, with a list of its sections', async () => {
    const { html } = await read('/docs/guides/start')
    expect(html).toContain('<code class="language-sh">npx -y bun@1.4.4 start')
    expect(html).toContain('<a href="#limits">Limits</a>')
    expect(html).toContain('<h2 id="limits">Limits</h2>')
    expect(html).toContain('<th>licence</th>')
  })

  test('shows the address of this server in examples, and keeps that of a new server in guides for operators', async () => {
    // BASE_URL of the test server. The repository has http://localhost:3000 and https://data.example.com.
    const address = 'http://127.0.0.1:3000'
    for (const [name, line] of [
      ['figures-and-vintages', `'${address}/api/v1/fundamentals?ticker=AAPL`],
      ['clients', `baseUrl: '${address}'`],
      ['spreadsheets', `Web.Contents("${address}", [`],
      ['assistants', `asfiled ${address}/mcp --header`],
      ['assistants', `"ASFILED_URL": "${address}"`],
      ['start', `'${address}/api/v1/fundamentals?ticker=AAPL`],
    ] as const) {
      const text = await textOf(name)
      expect([name, text]).toEqual([name, expect.stringContaining(line)])
      if (name !== 'start')
        expect([name, text]).toEqual([name, expect.not.stringContaining('localhost:3000')])
    }
    const start = await textOf('start')
    expect(start).toContain('serves on http://localhost:3000')
    expect(start).toContain('Run your own server in five minutes')
    const site = await textOf('site-and-accounts')
    expect(site).toContain('BASE_URL=https://data.example.com')
  })

  test('no link leads nowhere: each is a page, an asset or an anchor of this server', async () => {
    const pages = new Map<string, Promise<ReadPage>>()
    const page = (path: string) => {
      const known = pages.get(path) ?? read(path)
      pages.set(path, known)
      return known
    }
    let links = 0
    for (const from of ['/docs/guides', ...names.map(name => `/docs/guides/${name}`)]) {
      const { status, targets, html } = await page(from)
      expect([from, status]).toEqual([from, 200])
      expect(html).not.toContain('href="http://localhost')
      for (const target of targets.filter(text => !/^https?:/.test(text))) {
        links++
        const [path, anchor] = target.split('#')
        const to = await page(path === '' ? from : path)
        expect([from, target, to.status]).toEqual([from, target, 200])
        if (anchor !== undefined)
          expect({ from, target, found: to.ids.has(anchor) }).toMatchObject({ found: true })
      }
    }
    expect(links).toBeGreaterThan(100)
  })

  test('is also Markdown, in which every link leads somewhere', async () => {
    let links = 0
    const served = new Map<string, Promise<number>>()
    const statusOf = (path: string) => {
      const known = served.get(path) ?? fetch(server.url + path).then(({ status }) => status)
      served.set(path, known)
      return known
    }
    for (const name of nonEmpty(names)) {
      const response = await fetch(`${server.url}/docs/guides/${name}.md`)
      expect([name, response.headers.get('content-type')]).toEqual([name, 'text/markdown; charset=utf-8'])
      const markdown = await response.text()
      expect(markdown).toMatch(/^# /m)
      const prose = markdown.replace(/^```[^\n]*\n[\s\S]*?^```$/gm, '')
      for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
        links++
        const path = target.replace('http://127.0.0.1:3000', '')
        if (path.startsWith('#') || /^https?:/.test(path)) continue
        expect([name, target, await statusOf(path.split('#')[0])]).toEqual([name, target, 200])
      }
      const page = await read(`/docs/guides/${name}`)
      expect(page.targets).toContain(`/docs/guides/${name}.md`)
    }
    expect(links).toBeGreaterThan(100)
  })

  test('/llms.txt lists the Markdown of every guide with what it is about', async () => {
    const response = await fetch(`${server.url}/llms.txt`)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const text = await response.text()
    // The form of llmstxt.org: a title, a quotation that sums up, and lists of links under second headings.
    expect(text).toMatch(/^# asfiled\n\n> .+\n\n/)
    for (const name of nonEmpty(names))
      expect(text).toMatch(
        new RegExp(`^- \\[.+\\]\\(http://127\\.0\\.0\\.1:3000/docs/guides/${name}\\.md\\): .{20,}$`, 'm'),
      )
    expect(text).not.toContain('localhost')
    for (const [, path] of text.matchAll(/\]\(http:\/\/127\.0\.0\.1:3000([^)]+)\)/g))
      expect([path, (await fetch(server.url + path)).status]).toEqual([path, 200])
  })

  test('an unknown guide is 404 and named', async () => {
    const response = await fetch(`${server.url}/docs/guides/..%2Fpackage`)
    expect(response.status).toBe(404)
    expect((await response.json()).error.message).toContain('/docs/guides lists them')
  })

  test('an unknown guide in a browser is a page with a link to the list', async () => {
    const headers = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
    const response = await fetch(`${server.url}/docs/guides/nothing`, { headers })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    const page = await response.text()
    expect(page).toContain('<p>There is no guide at this address. See <a href="/docs/guides">')
    expect(page).toContain('<a class="brand" href="/">')
  })
})
