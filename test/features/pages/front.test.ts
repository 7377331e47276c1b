import { afterAll, describe, expect, test } from 'bun:test'
import { realServer } from '../../http/realServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'

const server = await realServer()
afterAll(() => server.stop(), 180_000)

const get = (path: string) =>
  fetch(server.url + path, { redirect: 'manual', headers: { Accept: 'text/html' } })
const text = async (path: string) => (await get(path)).text()

/** The links of a navigation: target, name and whether it is the current one. */
const linksOf = (page: string, label: string): [string, string, boolean][] => {
  const [, nav = ''] = new RegExp(`<nav aria-label="${label}">(.*?)</nav>`).exec(page) ?? []
  return [...nav.matchAll(/<a href="([^"]+)"( aria-current="page")?>([^<]+)</g)].map(
    ([, target = '', current, name = '']) => [target, name, current !== undefined],
  )
}

describe('the header', () => {
  const site = [
    ['/markets', 'Companies'],
    ['/screen', 'Screen'],
    ['/compare', 'Compare'],
    ['/restatements', 'Restatements'],
    ['/strategies', 'Strategies'],
    ['/backtest', 'Backtest'],
    ['/audit', 'Audit'],
    ['/docs/guides', 'Docs'],
  ]

  test.each([
    ['/', null],
    ['/companies/AAPL', null],
    ['/markets', 'Companies'],
    ['/universe', null],
    ['/catalogue', 'Companies'],
    ['/screen', 'Screen'],
    ['/restatements', 'Restatements'],
    ['/strategies', 'Strategies'],
    ['/strategies/accruals', 'Strategies'],
    ['/backtest', 'Backtest'],
    ['/audit', 'Audit'],
    ['/start', 'Docs'],
    ['/docs', 'Docs'],
    ['/docs/guides', 'Docs'],
    ['/docs/guides/clients', 'Docs'],
    ['/docs/metrics', 'Docs'],
    ['/docs/errors', 'Docs'],
    ['/sign-in', 'Sign in'],
    ['/nothing', null],
  ])('of %s has the links of every page, and a search', async (path, current) => {
    const page = await text(path)
    const links = linksOf(page, 'Site')
    expect(links.slice(0, site.length).map(([target, name]) => [target, name])).toEqual(site)
    expect(links).toHaveLength(site.length + 1)
    if (current !== null)
      expect(links.filter(([, , isCurrent]) => isCurrent)).toEqual([expect.arrayContaining([current])])
    const [, header = ''] = page.split(/<header class="site">|<\/header>/)
    expect(header).toContain('<form class="site-search" action="/search" method="get" role="search"')
    expect(page.match(/src="\/assets\/search\.js"/g)).toHaveLength(1)
  })

  test('leads nowhere that does not exist', async () => {
    const page = await text('/markets')
    const links = [...linksOf(page, 'Site'), ...linksOf(page, 'Companies')]
    for (const [target] of nonEmpty(links))
      expect([target, [200, 303].includes((await get(target)).status)]).toEqual([target, true])
  })
})

describe('/search', () => {
  // Symbols and numbers of the shipped sample, from the registers.
  test.each([
    ['AAPL', '/companies/AAPL'],
    [' aapl ', '/companies/AAPL'],
    ['BRK.B', '/companies/BRK-B'],
    ['2330.TW', '/companies/2330.TW'],
    ['0000320193', '/companies/AAPL'],
    ['0410682657', '/companies/0410682657.BE'],
    ['7974', '/companies/E02367.JP'],
  ])('%p is one company, and leads there', async (q, path) => {
    const answer = await get(`/search?q=${encodeURIComponent(q)}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, path])
    expect((await get(path)).status).toBe(200)
  })

  test.each(['apple', 'Apple Inc.', 'A A', 'int'])('%p is a name or a part, and shows a list', async q => {
    const answer = await get(`/search?q=${encodeURIComponent(q)}`)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('<ul class="found">')
  })

  test('that finds nothing says so, what to try, and where to browse', async () => {
    const page = await text(`/search?q=${encodeURIComponent('<b>nothing</b>')}`)
    expect(page).toContain('like “&lt;b&gt;nothing&lt;/b&gt;”.')
    expect(page).toContain('<h2 id="nothing">Nothing found</h2>')
    for (const code of ['US', 'JP', 'FR'])
      expect(page).toContain(`<a href="/universe?market=${code}">companies</a>`)
  })

  test('that finds nothing suggests the symbol without its exchange, or the first word', async () => {
    expect(await text('/search?q=NASDAQ:AAPL')).toContain('<a href="/search?q=AAPL">AAPL</a>')
    expect(await text('/search?q=nintendo+company+of+kyoto')).toContain(
      '<a href="/search?q=nintendo">nintendo</a>',
    )
  })

  test('without a question is the field and the markets', async () => {
    const page = await text('/search')
    expect(page).not.toContain('Nothing found')
    expect(page).toContain('<h2 id="browse">Browse a market</h2>')
  })
})

test('/start shows the answer of this server to its own command', async () => {
  const page = (await text('/start'))
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
  const [, address = ''] = /curl -s -H 'Authorization: Bearer demo' '(http[^']+)'/.exec(page) ?? []
  const { pathname, search } = new URL(address)
  const answer = await fetch(server.url + pathname + search, { headers: { Authorization: 'Bearer demo' } })
  const [, shown = ''] = /<pre><code>(\{[\s\S]*?\n\})<\/code><\/pre>/.exec(page) ?? []
  expect(JSON.parse(shown)).toEqual(await answer.json())
  // Form 10-K of 2009-10-27: net sales of 36,537 million dollars.
  expect(JSON.parse(shown).data).toMatchObject([{ filed: '2009-10-27', v: 36_537_000_000 }])
})
