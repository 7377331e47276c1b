import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { casedName } from '../../../src/features/pages/names/casing.ts'
import { shownName } from '../../../src/features/pages/names/companyName.ts'
import { formInWords } from '../../../src/features/pages/names/forms.ts'
import { industryTitle } from '../../../src/markets/industryTitles.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { readPage } from './readPage.ts'

setDefaultTimeout(180_000)

test('names in capitals are written as people write them, and abbreviations keep their capitals', () => {
  // How the companies write their own names.
  const names = {
    'ABBOTT LABORATORIES': 'Abbott Laboratories',
    'AGNICO EAGLE MINES LTD': 'Agnico Eagle Mines Ltd',
    'AMERICAN ELECTRIC POWER CO INC': 'American Electric Power Co Inc',
    'AMERICAN INTERNATIONAL GROUP, INC.': 'American International Group, Inc.',
    'AT&T INC.': 'AT&T Inc.',
    'DEVON ENERGY CORP/DE': 'Devon Energy Corp/DE',
    'WEATHERFORD INTERNATIONAL LTD./SWITZERLAND': 'Weatherford International Ltd./SWITZERLAND',
    'BANK OF AMERICA CORP /DE/': 'Bank of America Corp /DE/',
    '3M CO': '3M Co',
    'CVS CAREMARK CORP': 'CVS Caremark Corp',
    'DTE ENERGY CO': 'DTE Energy Co',
    'THE BANK OF NEW YORK MELLON CORP': 'The Bank of New York Mellon Corp',
    'MCDONALDS CORP': 'McDonalds Corp',
    "O'REILLY AUTOMOTIVE INC": "O'Reilly Automotive Inc",
    "LOWE'S COMPANIES INC": "Lowe's Companies Inc",
    'COCA-COLA ENTERPRISES INC': 'Coca-Cola Enterprises Inc',
    'PG&E CORP': 'PG&E Corp',
    'NYSE EURONEXT': 'NYSE Euronext',
    'U.S. BANCORP': 'U.S. Bancorp',
    'CB RICHARD ELLIS GROUP INC': 'CB Richard Ellis Group Inc',
    'CBRE GROUP, INC.': 'CBRE Group, Inc.',
    'AMAZON COM INC': 'Amazon Com Inc',
    'PEPSICO INC': 'PepsiCo Inc',
    'MEMC ELECTRONIC MATERIALS INC': 'MEMC Electronic Materials Inc',
    'RIO TINTO PLC': 'Rio Tinto PLC',
    'Apple Inc.': 'Apple Inc.',
    'eBay Inc': 'eBay Inc',
    IBM: 'IBM',
    任天堂株式会社: '任天堂株式会社',
  }
  expect(Object.keys(names).map(name => casedName(name))).toEqual(Object.values(names))
  // A word that is a symbol of the company may be an abbreviation.
  expect([casedName('UNUM GROUP'), casedName('UNUM GROUP', ['UNUM'])]).toEqual(['Unum Group', 'UNUM Group'])
})

test('a name in two scripts has the Latin one first, without legal forms', () => {
  const ids = ['E02367.JP']
  const others = ['Nintendo Co., Ltd.', 'ニンテンドウカブシキガイシャ', '7974']
  expect(shownName({ registered: '任天堂株式会社', others, ids })).toBe('Nintendo (任天堂)')
  expect(shownName({ registered: '삼성전자', others: ['SAMSUNG ELECTRONICS CO,.LTD'], ids })).toBe(
    'Samsung Electronics (삼성전자)',
  )
  expect(shownName({ registered: '台積電', ids })).toBe('台積電')
  expect(shownName({ registered: '台積電', others: ['2330'], ids })).toBe('台積電')
  expect(shownName({ registered: null, others, ids })).toBeNull()
})

test('forms are in words, and an amendment says that it is one', () => {
  const forms = [
    ['US', '10-K', 'annual report'],
    ['US', '10-K/A', 'amended annual report'],
    ['US', '10-Q', 'quarterly report'],
    ['US', '8-K', 'current report'],
    ['JP', '130', 'amended annual securities report'],
    ['KR', '11012', 'half-year report'],
    ['NZ', 'annual return', null],
    ['KR', '10-K', null],
    ['US', 'toString', null],
    ['XX', '10-K', null],
  ] as const
  for (const [market, form, words] of forms) expect([form, formInWords(market, form)]).toEqual([form, words])
})

test('industries have the titles of the SEC', () => {
  // sicDescription of the lists of submissions, of Apple, Microsoft and Tesla, apart from capitals.
  expect(industryTitle('SIC', '3571')).toBe('Electronic computers')
  expect(industryTitle('SIC', '7372')).toBe('Services-prepackaged software')
  expect(industryTitle('SIC', '3711')).toBe('Motor vehicles & passenger car bodies')
  expect(industryTitle('SIC', '3577')).toBe('Computer peripheral equipment, NEC')
  expect(industryTitle('SIC', '0001')).toBeNull()
  expect(industryTitle('KSIC', '3571')).toBeNull()
})

describe('pages', () => {
  let server: RealServer
  beforeAll(async () => {
    server = await realServer()
  })
  afterAll(async () => {
    await server.stop()
  }, 180_000)
  const get = async (path: string) => (await readPage(server.url + path)).html

  test('every company of the sample keeps its name but for capitals, and the API has it as filed', async () => {
    const rows = await server.sql<{ name: string; tickers: string[] }[]>`
      select e.name, array_agg(t.ticker) as tickers from entity e join entity_ticker t using (entity_id)
      where e.name is not null group by e.entity_id, e.name`
    expect(rows.length).toBeGreaterThan(400)
    for (const { name, tickers } of rows) {
      expect(casedName(name, tickers).toLowerCase()).toBe(name.toLowerCase())
      if (/\p{Ll}/u.test(name)) expect(casedName(name, tickers)).toBe(name)
    }
    const answer = await fetch(`${server.url}/api/v1/fundamentals?ticker=ABT&metric=revenue`, {
      headers: { Authorization: 'Bearer demo' },
    })
    expect((await answer.json()).name).toBe('ABBOTT LABORATORIES')
  })

  test('a heading has the name of people, and the identity the registered one and the industry', async () => {
    const abbott = await get('/companies/ABT')
    expect(abbott).toContain('<h1>Abbott Laboratories</h1>')
    expect(abbott).toContain('<dt>Registered name</dt><dd>ABBOTT LABORATORIES</dd>')
    expect(abbott).toContain('<dt>Industry</dt><dd>Pharmaceutical preparations (SIC 2834)</dd>')
    const nintendo = await get('/companies/E02367.JP')
    expect(nintendo).toContain('<h1>Nintendo (任天堂)</h1>')
    expect(nintendo).toContain('<dt>Registered name</dt><dd>任天堂株式会社</dd>')
    const apple = await get('/companies/AAPL')
    expect(apple).toContain('<h1>Apple Inc.</h1>')
    expect(apple).not.toContain('Registered name')
    expect(apple).toContain('<td>10-Q <small>quarterly report</small></td>')
    expect(await get('/screen?market=US&c1=revenue&sort=-revenue')).toContain('>General Electric Co<')
  })

  test('a badge has the day of the last filing, in amber after a year and a half', async () => {
    const badge = (html: string) =>
      /<span class="(badge[^"]*)"[^>]*>(.*?)<\/span>/
        .exec(html)
        ?.slice(1)
        .join(': ')
        .replace(/<[^>]*>/g, '')
    // Apple's last filing of the sample is of 30 January 2026, and the server lives on 1 July 2026.
    expect(badge(await get('/companies/AAPL'))).toBe('badge: Last filing by 2026-07-01: 2026-01-30')
    expect(badge(await get('/companies/ABT'))).toBe(
      'badge old: Last filing by 2026-07-01: 2010-02-19, more than 18 months earlier',
    )
    expect(badge(await get('/companies/AAPL?as_of=2009-12-31'))).toBe(
      'badge: Last filing by 2009-12-31: 2009-10-27',
    )
  })

  test('a notice counts the companies that end with the sample, until other filings are loaded', async () => {
    const last = await server.sql<{ day: string | null }[]>`
      select max(filed)::text as day from entity e left join filing l using (entity_id) group by e.entity_id`
    const ended = last.filter(({ day }) => day !== null && day < '2010-04-01').length
    const words = `for ${ended} of its ${last.length} companies no filing after March 2010 is loaded`
    for (const path of ['/companies/ABT', '/screen', '/restatements', '/companies/65305216.DK'])
      expect(await get(path)).toContain(words)
    expect(await get('/companies/AAPL')).not.toContain('only the sample')
  })

  test('a company without figures says why, and shows neither empty tabs nor commands of operators', async () => {
    const html = await get('/companies/65305216.DK')
    expect(html).toContain('<h1>IBM Danmark ApS</h1>')
    expect(html).toContain('none of its filings is loaded here')
    expect(html).toContain('href="/markets/DK"')
    for (const absent of ['./asfiled', 'Trailing 12 months', 'id="use"', 'Click a figure'])
      expect(html).not.toContain(absent)
  })

  test('the list of revisions names its source once', async () => {
    const html = await get('/companies/AAPL?cell=revenue.2009.FY.2009-09-26')
    const [figure = ''] = /<section id="figure"[\s\S]*?<\/section>/.exec(html) ?? []
    expect(figure.match(/EDGAR/g)).toHaveLength(1)
    expect(figure).toContain('<small>amended annual report</small>')
  })

  test('changes of a company are sentences with the filing that stated each first', async () => {
    expect(await get('/companies/ABT')).toContain(
      '<dd>In <strong>Pharmaceutical preparations (SIC 2834)</strong> since 2009-08-07, first stated in 0001104659-09-048013.</dd>',
    )
  })
})
