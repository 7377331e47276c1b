import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { daysBefore } from '../../../../src/dates.ts'
import { type RealServer, realServer } from '../../../http/realServer.ts'
import { testToday } from '../../../http/testServer.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { evaluation, type Member, memberWith } from '../../account/members.ts'
import { askApi, type Reader, signedOut } from '../compare.ts'
import { readPage } from '../readPage.ts'

setDefaultTimeout(180_000)

let server: RealServer
let licensed: Member
beforeAll(async () => {
  server = await realServer()
  licensed = await memberWith(server, server.sql)
})
afterAll(async () => {
  await server.stop()
}, 180_000)

type Row = Readonly<Record<string, string | number | null>> & { readonly ticker: string }

/** All companies of a market as the key gets them, page by page, in the order of import: the page sorts them itself. */
async function companiesOf(query: string, reader: Reader = signedOut): Promise<Row[]> {
  const rows: Row[] = []
  let cursor = ''
  do {
    const response = await askApi(server.url, `/api/v1/cross-section?${query}&limit=100${cursor}`, reader)
    expect(response.status).toBe(200)
    const { data, next } = await response.json()
    rows.push(...data)
    cursor = next === null ? '' : `&cursor=${next}`
  } while (cursor !== '')
  return rows
}

const text = (markup: string) => markup.replaceAll('&amp;', '&').replaceAll('&#39;', "'")

interface Listed {
  readonly status: number
  readonly html: string
  /** `AAPL 416161000000`: the first column of each row. */
  readonly rows: readonly string[]
  readonly next: string | null
  readonly previous: string | null
}

async function list(path: string, { cookie }: Pick<Reader, 'cookie'> = signedOut): Promise<Listed> {
  const { status, html } = await readPage(server.url + path, cookie === '' ? {} : { Cookie: cookie })
  const rows = [
    ...html.matchAll(/name="pick_([^"]+)"[^>]*> <a href="[^"]*">[^<]*<\/a><\/th><td(?: data-v="([^"]*)")?/g),
  ].map(([, ticker, value = '']) => `${text(ticker ?? '')} ${value}`)
  const link = (rel: string) => {
    const found = new RegExp(`<a rel="${rel}" href="([^"]+)"`).exec(html)?.[1]
    return found === undefined ? null : text(found)
  }
  return { status, html, rows, next: link('next'), previous: link('prev') }
}

const amount = (value: string | number | null | undefined) => (typeof value === 'number' ? value : null)

/** The rows with the figure in the currency, the largest first, as a loop finds them. */
const ranked = (rows: readonly Row[], metric: string, currency: string | null) =>
  rows
    .filter(row => amount(row[metric]) !== null && (currency === null || row.currency === currency))
    .map((row, at) => ({ row, at, value: amount(row[metric]) ?? 0 }))
    .sort((a, b) => b.value - a.value || a.at - b.at)
    .map(({ row, value }) => `${row.ticker} ${value}`)

describe('the ranking of a screen', () => {
  test('is of the whole market and of one currency, page after page, and back again', async () => {
    const all = await companiesOf('metric=revenue&market=US')
    const dollars = ranked(
      all.map(row => ({ ...row, revenue: row.value ?? null, currency: row.unit ?? null })),
      'revenue',
      'USD',
    )
    const yen = all.filter(({ unit }) => unit === 'JPY')
    expect(yen.map(({ ticker }) => ticker)).toContain('CAJPY')
    const pages = [await list('/screen')]
    for (let next = pages[0]?.next ?? null; next !== null; next = pages.at(-1)?.next ?? null)
      pages.push(await list(next))
    expect(pages.flatMap(({ rows }) => rows)).toEqual(dollars)
    expect(dollars.length).toBeGreaterThan(350)
    expect(pages[0]?.html).toContain(`1 to 200 of ${dollars.length} companies.`)
    expect(pages[1]?.html).toContain(`201 to ${dollars.length} of ${dollars.length} companies.`)
    expect(pages[0]?.html).toContain(`>${yen.length} in JPY</a>`)
    expect(pages[0]?.previous).toBeNull()
    const back = await list(pages[1]?.previous ?? '')
    expect([back.rows, back.previous]).toEqual([pages[0]?.rows ?? [], null])
  })

  test('leads to the companies of another currency, and compares ratios of all', async () => {
    const { html } = await list('/screen?c1=revenue')
    const path = /<a href="([^"]+)">\d+ in JPY<\/a>/.exec(html)?.[1] ?? ''
    const { rows } = await list(text(path))
    const all = await companiesOf('metric=revenue,roe&market=US')
    expect(rows).toEqual(ranked(all, 'revenue', 'JPY'))
    const byRatio = await list('/screen?c1=roe&c2=revenue')
    expect(byRatio.rows).toEqual(ranked(all, 'roe', null).slice(0, 200))
    const others = all.filter(
      ({ roe, revenue, currency }) => roe !== null && revenue !== null && currency !== 'USD',
    )
    expect(byRatio.html).toContain(`${others.length} companies report revenue in another currency than USD`)
  })

  test('as of a past day has only what was known, recent years, and rows that lead to the company on that day', async () => {
    const asOf = '2010-03-31'
    const all = await companiesOf(`metric=revenue,roe&market=US&as_of=${asOf}`, licensed)
    const since = daysBefore(asOf, 550)
    const recent = all.filter(({ end }) => String(end) >= since)
    const { rows, html } = await list(`/screen?c1=revenue&c2=roe&as_of=${asOf}`, licensed)
    expect(rows).toEqual(ranked(recent, 'revenue', 'USD').slice(0, 200))
    expect(html).toContain('Ended within 550 days (by default)')
    expect(html).toContain(`href="/companies/WMT?as_of=${asOf}"`)
    expect(html).not.toContain('href="/companies/WMT"')
    expect(html).toContain(`<input id="as-of" name="as_of" size="12" value="${asOf}"`)
  })
})

describe('the age of periods', () => {
  test('is not limited by default where hardly a company reports any more, which the page says and marks', async () => {
    const counts = { all: 0, reporting: 0 }
    for (const state of ['reporting', 'delisted', 'deregistered', 'ceased', 'unknown'] as const) {
      const response = await askApi(
        server.url,
        `/api/v1/universe?market=US&limit=10000&state=${state}`,
        signedOut,
      )
      const { count } = await response.json()
      counts.all += count
      if (state === 'reporting') counts.reporting = count
    }
    expect(counts.reporting).toBeLessThan(counts.all / 10)
    const { html } = await list('/screen')
    expect(html).toContain(
      `Only ${counts.reporting} of the ${counts.all} companies of this market filed a report`,
    )
    const since = daysBefore(testToday, 550)
    const marked = [...html.matchAll(/<td( class="old"[^>]*)?>FY \d{4}<small>(?:old: )?([\d-]+)<\/small>/g)]
    for (const [, mark, end = ''] of nonEmpty(marked))
      expect([end, mark !== undefined]).toEqual([end, end < since])
    const recent = await list('/screen?max_age_days=550')
    const all = await companiesOf('metric=revenue,net_income,net_margin,roe&market=US')
    expect(recent.rows).toEqual(
      ranked(
        all.filter(({ end }) => String(end) >= since),
        'revenue',
        'USD',
      ),
    )
    expect(recent.rows.length).toBeGreaterThan(0)
    expect(recent.rows.length).toBeLessThan(20)
    const without = /<li>Ended within 550 days <a href="([^"]+)"/.exec(recent.html)?.[1] ?? ''
    expect((await list(text(without))).rows).toEqual((await list('/screen')).rows)
  })
})

describe('filters', () => {
  test('each chip removes its own filter and keeps the others', async () => {
    const { html } = await list(
      '/screen?c1=revenue&c2=roe&min_revenue=40bn&max_revenue=100bn&min_roe=10%25&checks=contradicted&currency=usd&fp=latest&max_age_days=9000',
    )
    const chips = [
      ...html.matchAll(/<li>([^<]+) <a href="([^"]+)" aria-label="Remove the filter: [^"]*">×<\/a><\/li>/g),
    ]
    expect(chips.map(([, label]) => label)).toEqual([
      'Ended within 9000 days',
      'Revenue from 40bn',
      'Revenue to 100bn',
      'Return on equity from 10%',
      'Period latest',
      'Amounts in USD',
      'Figures contradicted',
    ])
    const fields = (path: string) => [...new URL(text(path), server.url).searchParams.keys()].sort()
    const all = [
      'c1',
      'c2',
      'checks',
      'currency',
      'fp',
      'market',
      'max_age_days',
      'max_revenue',
      'min_revenue',
      'min_roe',
    ]
    const removed = ['max_age_days', 'min_revenue', 'max_revenue', 'min_roe', 'fp', 'currency', 'checks']
    chips.forEach(([, , path = ''], at) => {
      // Any age is a choice of its own: without the field, the default would apply again.
      const gone = removed[at] === 'max_age_days' ? [] : [removed[at]]
      expect(fields(path)).toEqual(all.filter(name => !gone.includes(name)))
    })
    expect(text(chips[0]?.[2] ?? '')).toContain('max_age_days=any')
  })

  test('companies may be pasted in any form, and only they are listed', async () => {
    const all = await companiesOf('metric=revenue&market=US')
    const chosen = ['AAPL', 'WMT', 'XOM', 'KO'].filter(id => all.some(({ ticker }) => ticker === id))
    expect(chosen.length).toBeGreaterThan(2)
    const expected = ranked(
      all
        .filter(({ ticker }) => chosen.includes(ticker))
        .map(row => ({ ...row, revenue: row.value ?? null, currency: row.unit ?? null })),
      'revenue',
      'USD',
    )
    for (const pasted of [
      chosen.join(','),
      chosen.join('\r\n').toLowerCase(),
      ` ${chosen.join(' ;\t')}, ${chosen[0]}`,
    ]) {
      const { rows } = await list(`/screen?c1=revenue&companies=${encodeURIComponent(pasted)}`)
      expect([pasted, rows]).toEqual([pasted, expected])
    }
    const { html } = await list('/screen?c1=revenue&companies=AAPL,2330.TW')
    expect(html).toContain('One of these companies is not of market US and left out: 2330.TW.')
  })
})

describe('a mistake in the form', () => {
  test('is shown beside its field, and everything typed is kept', async () => {
    const query =
      'market=US&c1=revenue&c2=roe&min_revenue=much&max_roe=30%25&min_roe=x&currency=dollars&companies=AAPL,NOSUCHCO&max_age_days=9'
    const { status, html, rows } = await list(`/screen?${query}`)
    expect([status, rows]).toEqual([400, []])
    for (const [name, value, message] of [
      ['min_revenue', 'much', 'min_revenue=much is not a number'],
      ['min_roe', 'x', 'min_roe=x is not a number'],
      ['currency', 'dollars', 'currency=dollars is not allowed: send a code of three letters'],
    ] as const) {
      expect(html).toMatch(
        new RegExp(
          `name="${name}"[^>]* value="${value}"[^>]* aria-invalid="true" aria-describedby="error-${name}"`,
        ),
      )
      expect(html).toMatch(new RegExp(`id="error-${name}" role="alert">${message}`))
    }
    expect(html).toMatch(/name="max_roe" value="30%"(?![^>]*aria-invalid)/)
    expect(html).toContain('<option value="9" selected>9 days</option>')
    expect(html).toContain('>AAPL,NOSUCHCO</textarea>')
    expect(html).toContain('<details class="settings" open>')
  })

  test('of other kinds, too: unknown companies, metrics and groups, bounds that cross, a day without a licence', async () => {
    for (const [query, expected, message] of [
      ['c1=revenue&companies=AAPL,NOSUCHCO', 404, 'NOSUCHCO is not a company that is loaded here.'],
      [
        'c1=revenue&companies=NOSUCHCO,NOSUCHER',
        404,
        'NOSUCHCO, NOSUCHER are not companies that are loaded here.',
      ],
      ['c1=revenu', 400, 'revenu is no metric.'],
      ['c1=revenue&group=letters', 400, 'group=letters must be one of sicDivision'],
      ['c1=roe&min_roe=2&max_roe=1', 400, 'min_roe=2 is more than max_roe=1'],
      ['c1=roe&as_of=2010-03-31', 403, 'requires an evaluation key'],
      ['c1=roe&min_nothing=1', 400, 'min_nothing names no metric'],
      ['c1=roe&cursor=abc', 400, 'cursor'],
      ['c1=roe&no=1', 400, 'no is not a parameter of this route'],
      ['market=ZZ', 400, 'market=ZZ is unknown'],
      ['c1=roe&c1=roa', 400, 'c1 is sent more than once'],
    ] as const) {
      const { status, html, rows } = await list(`/screen?${query}`)
      expect([query, status, rows]).toEqual([query, expected, []])
      expect(html).toContain(message)
      expect(html).toContain('<form method="get" action="/screen"')
    }
  })

  test('is an error as JSON for programs', async () => {
    const response = await fetch(`${server.url}/screen?c1=revenue&min_revenue=much`)
    expect(response.status).toBe(400)
    expect((await response.json()).error).toMatchObject({ code: 'parameter_invalid', param: 'min_revenue' })
  })
})

/** The middle figure, or the mean of the two middle ones. */
function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? undefined : low === high ? low : (low + high) / 2
}

test('groups have the counts and medians of all companies that fit, and lead to their companies', async () => {
  for (const scheme of ['sicDivision', 'ff49', 'sic2'] as const) {
    const all = await companiesOf(`metric=roe,revenue&market=US&group=${scheme}&min_roe=-1`)
    const groups = new Map<string, Row[]>()
    for (const row of all.filter(({ roe }) => roe !== null)) {
      const code = String(row.group ?? '')
      groups.set(code, [...(groups.get(code) ?? []), row])
    }
    const { html } = await list(`/screen?c1=roe&c2=revenue&group=${scheme}&min_roe=-1`)
    const shown = [
      ...html.matchAll(
        /<tr data-group="([^"]*)"><th scope="row">.*?<\/th><td>([\d,]+)<\/td><td(?: data-v="([^"]*)")?[^>]*>.*?<\/td><td(?: data-v="([^"]*)")?/g,
      ),
    ].map(([, code, count, roe, revenue]) => [
      code,
      Number(count?.replace(',', '')),
      roe === undefined ? undefined : Number(roe),
      revenue === undefined ? undefined : Number(revenue),
    ])
    const figures = (rows: readonly Row[], metric: string) => rows.flatMap(row => amount(row[metric]) ?? [])
    const expected = [...groups].map(([code, rows]) => [
      code,
      rows.length,
      median(figures(rows, 'roe')),
      median(
        figures(
          rows.filter(({ currency }) => currency === 'USD'),
          'revenue',
        ),
      ),
    ])
    const byCode = (a: readonly unknown[], b: readonly unknown[]) => (String(a[0]) < String(b[0]) ? -1 : 1)
    expect([scheme, shown.toSorted(byCode)]).toEqual([scheme, expected.toSorted(byCode)])
    expect(shown.length).toBeGreaterThan(5)
    const [largest] = shown
    const members = await list(`/screen?c1=roe&group=${scheme}:${largest?.[0]}&min_roe=-1`)
    expect(members.rows).toEqual(ranked(groups.get(String(largest?.[0])) ?? [], 'roe', null).slice(0, 200))
  }
})

test('a histogram counts every company that fits in ranges that it states, and the rest in words', async () => {
  const all = await companiesOf('metric=revenue,net_margin,net_income,eps&market=US')
  const screened = all.filter(({ revenue, currency }) => revenue !== null && currency === 'USD')
  const { html } = await list('/screen?c1=revenue&c2=net_margin&c3=net_income')
  const whole = (digits: string | undefined) => Number((digits ?? '0').replaceAll(',', ''))
  for (const [metric, label] of [
    ['revenue', 'Revenue'],
    ['net_margin', 'Net margin'],
    ['net_income', 'Net income'],
  ] as const) {
    const values = screened.flatMap(row => amount(row[metric]) ?? [])
    const section = html.split(`<h3>${label}</h3>`)[1]?.split('<h3>')[0] ?? ''
    const [wide = ''] = section.split('bar-chart narrow')
    const bars = [
      ...wide.matchAll(
        /aria-label="[^"]*: Companies: ([\d,]+), from (-?[\d,.]+)(%| USD) to below (-?[\d,.]+)(?:%| USD)"/g,
      ),
    ]
    let inside = 0
    let upTo: number | null = null
    for (const [, count, low, unit, high] of nonEmpty(bars)) {
      const scale = unit === '%' ? 100 : 1
      const [from, to] = [whole(low) / scale, whole(high) / scale]
      if (upTo !== null) expect(from).toBe(upTo)
      upTo = to
      let found = 0
      for (const value of values) if (value >= from && value < to) found++
      expect([label, from, whole(count)]).toEqual([label, from, found])
      inside += found
    }
    const below = /chart: ([\d,]+) below/.exec(section)?.[1]
    const above = /([\d,]+) from [^ ]+ up/.exec(section)?.[1]
    expect([label, inside + whole(below) + whole(above)]).toEqual([label, values.length])
    expect(section).toContain(`of ${values.length} companies.`)
  }
})

describe('files of a screen', () => {
  const bytesOf = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(server.url + path, { headers })
    return { status: response.status, bytes: await response.bytes(), headers: response.headers }
  }

  for (const format of ['csv', 'parquet'] as const) {
    test(`${format}: the whole screened table, as the API answers the visitor's key`, async () => {
      const filters = 'min_revenue=1000000000&checks=proved,consistent,unchecked&group=ff49'
      for (const [{ cookie, key }, day] of [
        [signedOut, ''],
        [licensed, '&as_of=2010-03-31'],
      ] as const) {
        const own = await list(`/screen?c1=revenue&c2=roe&${filters}&max_age_days=7000${day}`, { cookie })
        const path = new RegExp(`<a class="button" href="(/screen/download[^"]*format=${format})"`).exec(
          own.html,
        )?.[1]
        const file = await bytesOf(text(path ?? ''), cookie === '' ? {} : { Cookie: cookie })
        const limit = cookie === '' ? 1_000 : 10_000
        const comments = format === 'csv' ? '&comments=true' : ''
        const answer = await bytesOf(
          `/api/v1/cross-section?metric=revenue,roe&market=US&sort=-revenue&${filters}&max_age_days=7000${day}&limit=${limit}&format=${format}${comments}`,
          { Authorization: `Bearer ${key}` },
        )
        expect([file.status, answer.status]).toEqual([200, 200])
        expect(Buffer.compare(file.bytes, answer.bytes)).toBe(0)
        expect(file.headers.get('content-disposition')).toMatch(
          new RegExp(`^attachment; filename="asfiled-screen-US-revenue_roe-[\\d-]+\\.${format}"$`),
        )
        if (format === 'csv') {
          const lines = new TextDecoder().decode(file.bytes).split('\n')
          const tickers = lines
            .filter(line => /^[A-Z0-9]/.test(line) && !line.startsWith('#'))
            .map(line => line.split(',')[0])
          expect(tickers.slice(0, 200)).toEqual(own.rows.map(row => row.split(' ')[0]))
        }
      }
    })
  }

  test('there are none of registers whose terms are unread', async () => {
    const { html } = await list('/screen?market=KR&c1=revenue&max_age_days=any')
    expect(html).toContain('There are no files for')
    expect((await list('/screen/download?market=KR&c1=revenue')).status).toBe(403)
  })
})

test('ticked companies go to the comparison, on the day of the screen', async () => {
  for (const [query, location] of [
    ['pick_AAPL=1&pick_WMT=1', '/compare?companies=AAPL,WMT'],
    ['as_of=2010-03-31&pick_BRK.B=1&pick_AAPL=1', '/compare?companies=BRK.B,AAPL&as_of=2010-03-31'],
    ['', '/screen'],
  ] as const) {
    const response = await fetch(`${server.url}/screen/compare?${query}`, { redirect: 'manual' })
    expect([query, response.status, response.headers.get('location')]).toEqual([query, 303, location])
  }
  for (const query of ['pick_AAPL=2', 'pick_=1', 'pick_//x=1', 'other=1'])
    expect((await fetch(`${server.url}/screen/compare?${query}`, { redirect: 'manual' })).status).toBe(400)
})

describe('an evaluation', () => {
  const seen = async ({ keyId }: Pick<Member, 'keyId'>) =>
    (await server.sql`select 1 from key_entity where key_id = ${keyId}`).length

  test('opens with what every visitor sees, which uses no company', async () => {
    const member = await memberWith(server, server.sql, evaluation)
    const { rows, html } = await list('/screen', member)
    expect(rows).toEqual((await list('/screen')).rows)
    expect(html).toContain('uses none of the 1,000 companies of your evaluation licence')
    expect((await list('/screen?market=US', member)).rows).toEqual(rows)
    for (const query of ['', '?market=US', '?format=csv&market=US']) {
      const file = await list(`/screen/download${query}`, member)
      expect([query, file.status]).toEqual([query, 200])
      expect(file.html).toBe((await list(`/screen/download${query}`)).html)
    }
    expect(await seen(member)).toBe(0)
  })

  test('ranks the whole market, 100 companies a page, and tells nothing of the others', async () => {
    const member = await memberWith(server, server.sql, evaluation)
    const all = await companiesOf('metric=revenue,roe&market=US', licensed)
    const order = ranked(all, 'revenue', 'USD')
    const first = await list('/screen?c1=revenue&c2=roe&group=sicDivision', member)
    expect(first.rows).toEqual(order.slice(0, 100))
    expect(await seen(member)).toBe(100)
    const second = await list(first.next ?? '', member)
    expect(second.rows).toEqual(order.slice(100, 200))
    expect(await seen(member)).toBe(200)
    const back = await list(second.previous ?? '', member)
    expect([back.rows, await seen(member)]).toEqual([first.rows, 200])
    const third = await list(second.next ?? '', member)
    expect((await list(third.previous ?? '', member)).rows).toEqual(second.rows)
    for (const { html } of [first, second, third]) {
      expect(html).not.toMatch(new RegExp(`\\b${order.length} (compan|in )`))
      expect(html).toContain('among the companies on this page')
      const counts = [...html.matchAll(/<tr data-group="[^"]*"><th scope="row">.*?<\/th><td>(\d+)<\/td>/g)]
      expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(100)
    }
    const file = await list('/screen/download?c1=revenue&c2=roe&format=csv', member)
    expect(file.html.split('\n').filter(line => /,USD,/.test(line))).toHaveLength(100)
  })

  test('may name its companies, which alone count, and is refused as a whole beyond its cap', async () => {
    const member = await memberWith(server, server.sql, evaluation)
    const { rows } = await list('/screen?c1=revenue&companies=AAPL,WMT', member)
    expect([rows.length, await seen(member)]).toEqual([2, 2])
    await server.sql`update key_grant set entity_cap = 3 where key_id = ${member.keyId}`
    await Bun.sleep(100)
    const refused = await list('/screen?c1=revenue&companies=AAPL,KO,CVX', member)
    expect([refused.status, refused.rows, await seen(member)]).toEqual([403, [], 2])
    expect(refused.html).toContain('this list would exceed that')
    expect(refused.html).toContain('>AAPL,KO,CVX</textarea>')
    expect((await list('/screen?c1=revenue&companies=AAPL,WMT', member)).rows).toEqual(rows)
  })
})
