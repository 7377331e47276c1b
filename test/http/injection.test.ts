import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type TestDatabase, testDatabase } from '../database.ts'
import { codeFor, TestBrowser } from '../features/account/browser.ts'
import { giveKey, memberWith } from '../features/account/members.ts'
import { appleVintages, insertEntity, insertVintages } from '../features/companies/fixtures.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { rawRequest } from './rawRequest.ts'
import { type TestServer, testServer } from './testServer.ts'

setDefaultTimeout(180_000)

/** Names as a person who founds a company for this would have them registered. */
const names = [
  `</script><script>alert(1)</script>`,
  `</title></textarea><img src=x onerror=alert(1)>`,
  `" autofocus onfocus="alert(1)`,
  `' onmouseover='alert(1)`,
  `<!--<script>--><svg/onload=alert(1)>`,
  `\u202egro.live\u202c \u2066x\u2069 \u200f\u2028\u2029`,
  `]]><x xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"/>`,
  `{{constructor.constructor('alert(1)')()}} \${alert(1)} javascript:alert(1)`,
  `&lt;script&gt;alert(1)&lt;/script&gt;`,
  `=HYPERLINK("https://evil.example")`,
]
const tickerOf = (place: number) => `EVIL${place}`

let database: TestDatabase
let server: TestServer
beforeAll(async () => {
  database = await testDatabase()
  const { sql } = database
  for (const [place, name] of names.entries()) {
    const issuerId = String(9_000 + place).padStart(10, '0')
    const entity = await insertEntity(sql, { market: 'US', issuerId, ticker: tickerOf(place), name })
    await insertVintages(
      sql,
      entity,
      appleVintages.map(([m, fp, fy, start, end, filed, v, accession]) => [
        ...([m, fp, fy, start, end, filed, v] as const),
        `${accession}-${place}`,
      ]),
    )
  }
  // A register's ID is not ours to choose either.
  await insertEntity(sql, { market: 'US', issuerId: '0000009999', ticker: `A&<'">.X`, name: 'Odd' })
  server = await testServer(sql)
})
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

/** What would run or load if a name was more than text: what a parser sees and no template of ours has. */
function strangers(html: string): string[] {
  const found: string[] = []
  const ours =
    /^(html|head|body|meta|title|link|script|a|header|footer|main|nav|section|div|p|span|small|strong|code|s|ul|li|dl|dt|dd|h[1-3]|cite|table|thead|tbody|tr|th|td|form|label|input|select|option|button|output|details|summary|svg|g|path|rect|line|text|circle|polyline|tspan|optgroup|dialog|pre|b|i|foreignobject|textarea|datalist)$/
  new HTMLRewriter()
    .on('*', {
      element({ tagName, attributes }) {
        const named = new Map([...attributes].map(([name, value]) => [name.toLowerCase(), value]))
        const isStrange =
          !ours.test(tagName) ||
          [...named.keys()].some(name => name.startsWith('on') || name === 'style' || name === 'srcdoc') ||
          (named.has('autofocus') && tagName !== 'input') ||
          /^\s*(javascript|data|vbscript):/i.test(named.get('href') ?? '') ||
          (tagName === 'script' && !/^(application\/(ld\+)?json)$/.test(named.get('type') ?? '')
            ? !/^\/(docs\/|account\/)?assets\/[\w.-]+$/.test(named.get('src') ?? '')
            : false) ||
          (named.has('xmlns') && tagName !== 'svg')
        if (isStrange) found.push(`<${tagName} ${[...named].map(pair => pair.join('=')).join(' ')}>`)
      },
      comments: ({ text }) => void found.push(`<!--${text}`),
    })
    .transform(html)
  return found
}

test('the search for strangers finds each of the names where it is not escaped', () => {
  const markup = names.filter(name => /<(?:script|img|svg|x)\b|<!--/.test(name))
  expect(markup.length).toBeGreaterThanOrEqual(4)
  for (const name of markup) expect([name, strangers(`<p>${name}</p>`).length > 0]).toEqual([name, true])
  expect(strangers(`<input value="${names[2]}">`)).not.toEqual([])
  expect(strangers(`<input value='${names[3]}'>`)).not.toEqual([])
})

describe('a company by a hostile name', () => {
  const paths = [
    ...names.flatMap((_, place) => [
      `/companies/${tickerOf(place)}`,
      `/companies/${tickerOf(place)}?cell=revenue.2009.FY.2009-09-26`,
      `/search?q=${tickerOf(place)}`,
    ]),
    '/screen?c1=revenue',
    '/restatements?metric=revenue',
    '/markets/US',
    '/compare?companies=EVIL0,EVIL1,EVIL3',
    '/universe?market=US',
    '/strategies/return_on_equity?as_of=2010-04-01',
  ]

  test('is text on every page, for who is signed in, too', async () => {
    const { cookie } = await memberWith(server, database.sql)
    for (const [place, path] of [...paths, ...paths].entries()) {
      const response = await fetch(server.url + path, {
        headers: {
          Accept: 'text/html',
          'X-Forwarded-For': `10.14.0.${place}`,
          ...(place < paths.length ? {} : { Cookie: cookie }),
        },
      })
      const html = await response.text()
      expect([path, response.status]).toEqual([path, 200])
      expect([path, strangers(html)]).toEqual([path, []])
      for (const [, text = ''] of html.matchAll(
        /<script type="application\/(?:ld\+)?json"[^>]*>([^<]*)<\/script>/g,
      ))
        JSON.parse(text)
    }
  })

  test('is whole in the data for search engines, in JSON and in a map, and nothing else there', async () => {
    for (const [place, name] of names.entries()) {
      const html = await (await fetch(`${server.url}/companies/${tickerOf(place)}`)).text()
      const text = /<script type="application\/ld\+json">([^<]*)<\/script>/.exec(html)?.[1] ?? '{}'
      expect(JSON.parse(text).about.name).toBe(name)
    }
    const map = await (await fetch(`${server.url}/sitemaps/US-1.xml`)).text()
    expect(map).toContain('/companies/A%26%3C')
    expect(map.replaceAll(/<\/?(?:urlset|url|loc)(?: xmlns="[^"]*")?>|<\?xml[^>]*\?>/g, '')).not.toMatch(
      /[<>"]/,
    )
  })

  test('is a name in the file of a download, and nothing in its headers', async () => {
    for (const place of names.keys()) {
      const { headers, status } = await fetch(`${server.url}/companies/${tickerOf(place)}/download`)
      expect([place, status, headers.get('content-disposition')]).toEqual([
        place,
        200,
        `attachment; filename="asfiled-EVIL${place}.csv"`,
      ])
    }
  })

  test('and a key by a hostile name is text in the account', async () => {
    const { email, browser } = await memberWith(server, database.sql)
    for (const name of names.filter(text => !/[\u2028-\u202e\u2066-\u2069]/.test(text))) {
      const { keyId } = await giveKey(database.sql, email)
      await database.sql`update account.held_key set name = ${name} where key_id = ${keyId}`
    }
    for (const path of ['/account', '/account/api-keys', '/account/usage']) {
      const html = await browser.page(path)
      expect([path, strangers(html)]).toEqual([path, []])
    }
  })
})

describe('what a request says of itself', () => {
  test('changes no address, cookie or redirection of a page', async () => {
    const paths = ['/', '/companies/EVIL0', '/markets', '/sitemap.xml', '/robots.txt', '/sign-in', '/account']
    const lies = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Port': '666',
      Forwarded: 'host=evil.example;proto=https',
      'X-Original-URL': '/account',
      'X-Rewrite-URL': '/account',
      Referer: 'https://evil.example/',
    }
    const head = Object.entries(lies)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    for (const path of paths) {
      const plain = await fetch(server.url + path, { redirect: 'manual', headers: { Accept: 'text/html' } })
      const { text } = await rawRequest(
        server.port,
        `GET ${path} HTTP/1.1\r\n${head}Accept: text/html\r\nConnection: close\r\n\r\n`,
      )
      expect([path, text.includes('evil.example'), text.includes(':666')]).toEqual([path, false, false])
      expect([path, text.startsWith(`HTTP/1.1 ${plain.status} `)]).toEqual([path, true])
      const location = /^location: (.*)\r$/im.exec(text)?.[1] ?? null
      expect([path, location]).toEqual([path, plain.headers.get('location')])
    }
    // No header makes a cookie of http one of https, nor the other way round: BASE_URL decides.
    const browser = new TestBrowser(server.url)
    const sent = await browser.post(
      '/sign-in',
      { email: 'ana@lies.example' },
      { 'X-Forwarded-Proto': 'https' },
    )
    expect(sent.headers.getSetCookie()[0]).toMatch(/^asfiled_signin=[\w-]{43}; .*SameSite=Lax$/)
  })

  test('puts no line into a header', async () => {
    const line = '%0d%0aSet-Cookie:%20asfiled_session=stolen%0d%0a%0d%0a<script>'
    const browser = new TestBrowser(server.url)
    for (const path of [
      `/sign-in?next=${line}`,
      `/sign-in?next=/account${line}`,
      `/sign-in?next=/companies/A${line}`,
      `/companies/EVIL0${line}`,
      `/companies/EVIL0${line}/download`,
      `/companies/EVIL0/download?format=${line}`,
      `/search?q=${line}`,
      `/screen?market=${line}`,
      `/restatements?cursor=${line}`,
      `/account/${line}`,
      `/assets/${line}`,
      `/sample/${line}`,
    ]) {
      const { headers } = await browser.get(path, { 'X-Request-Id': 'a b' })
      expect([path, headers.getSetCookie()]).toEqual([path, []])
      for (const [name, value] of nonEmpty(headers))
        expect([path, name, /stolen/.test(value)]).toEqual([path, name, false])
    }
    const posted = await browser.post('/sign-in', { email: 'a@b.example\r\nBcc: all@evil.example' })
    expect(posted.status).toBe(400)
    const next = await browser.post('/sign-in', { email: 'ana@line.example', next: '/account\r\nX: y' })
    expect([next.status, next.headers.get('x')]).toEqual([400, null])
  })
})

describe('where a page sends', () => {
  const elsewhere = [
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example',
    ...[
      '/%2fevil.example',
      '/%5cevil.example',
      '%2f%2fevil.example',
      'javascript:alert(1)',
      '/account//evil',
    ],
    '/account@evil.example',
    '/account/..//evil.example',
    '/companies//evil.example',
    '/companies/..//x',
    ...[
      '/companies/../..',
      '/companies/%2e%2e',
      '/companies/A?x=//evil.example',
      '/companies/A#@evil.example',
    ],
    '/\t/evil.example',
    '/account\u0000',
    ' /account',
    '/sign-out',
    '/companies/',
    '.evil.example',
  ]

  test('is a page of ours, whatever `next` says, before and after sign-in', async () => {
    for (const [place, next] of elsewhere.entries()) {
      const email = `next${place}@site${place}.example`
      const browser = new TestBrowser(server.url)
      const page = await browser.get(`/sign-in?next=${encodeURIComponent(next)}`)
      if (page.status === 200)
        expect([next, /name="next" value="([^"]*)"/.exec(await page.text())?.[1]]).toEqual([next, '/account'])
      else expect([next, page.status]).toEqual([next, 400])
      await browser.post('/sign-in', { email })
      const done = await browser.post('/sign-in/code', { code: codeFor(server.terminal, email), next })
      if (done.status === 303) expect([next, done.headers.get('location')]).toEqual([next, '/account'])
      else expect([next, done.status]).toEqual([next, 400])
      const again = await browser.get(`/sign-in?next=${encodeURIComponent(next)}`)
      if (again.status === 303 && next.trim() !== '/account')
        expect([next, again.headers.get('location')]).toEqual([next, '/account'])
    }
  })

  test('is the company that one came from', async () => {
    const { browser } = await memberWith(server, database.sql)
    const { headers } = await browser.get('/sign-in?next=/companies/2330.TW')
    expect(headers.get('location')).toBe('/companies/2330.TW')
  })

  test('is nowhere else for a path of two slashes', async () => {
    for (const path of [
      '//evil.example/',
      '//evil.example/account',
      '/\\evil.example/',
      '/account//',
      '/./account',
    ]) {
      const { text } = await rawRequest(
        server.port,
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
      )
      expect([path, /^location:.*evil/im.test(text)]).toEqual([path, false])
    }
  })
})

describe('over https', () => {
  test('only the cookie that no subdomain can set opens anything', async () => {
    const secure = await testServer(database.sql, {}, { BASE_URL: 'https://data.example' })
    const { cookie } = await memberWith(server, database.sql)
    const see = async (sent: string) => {
      const response = await fetch(`${secure.url}/companies/EVIL0?as_of=2010-01-01`, {
        headers: { Cookie: sent },
      })
      return response.status
    }
    expect([await see(cookie), await see(`__Host-${cookie}`), await see(`__Secure-${cookie}`)]).toEqual([
      403, 200, 403,
    ])
    await secure.stop()
    const plain = (sent: string) =>
      fetch(`${server.url}/companies/EVIL0?as_of=2010-01-01`, { headers: { Cookie: sent } })
    expect([(await plain(cookie)).status, (await plain(`__Host-${cookie}`)).status]).toEqual([200, 403])
  })
})
