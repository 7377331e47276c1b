import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { askApi, seePage, signedOut, type Tab, tabs } from './compare.ts'

setDefaultTimeout(120_000)

let server: RealServer
beforeAll(async () => {
  server = await realServer()
})
afterAll(() => server.stop(), 60_000)

const periods: Record<Tab, string> = { years: 'FY', quarters: 'Q1,Q2,Q3,Q4', ttm: 'TTM' }
const days = [null, '2009-10-27', '2010-01-25', '2013-01-15', '2018-11-05'] as const

interface Row {
  readonly fp: string
  readonly fy: number
  readonly end: string
  readonly [metric: string]: string | number | null
}

async function answer(
  query: string,
): Promise<{ readonly metrics: readonly string[]; readonly data: readonly Row[] }> {
  const response = await askApi(server.url, `/api/v1/fundamentals?layout=wide&${query}`, signedOut)
  expect([query, response.status]).toEqual([query, 200])
  return response.json()
}

const page = (path: string) => seePage(server.url, path, signedOut)
const labelOf = ({ fp, fy, end }: Row) => (fp === 'TTM' ? `TTM to ${end}` : `${fp} ${fy}`)
const dayText = (day: string | null) => (day === null ? '' : `&as_of=${day}`)

interface ReadBar {
  readonly category: string
  readonly series: number
  readonly value: number
}

/** The bars and the outlines of the picture for desktops, with the values that their heights have on its axis. */
function barsIn(html: string): { bars: ReadBar[]; ghosts: number[]; said: string[]; perPixel: number } {
  const [, svg = ''] = /<svg class="bar-chart wide"([\s\S]*?)<\/svg>/.exec(html) ?? []
  const ticks = [...svg.matchAll(/<text class="y"[^>]* y="([\d.]+)"[^>]*>(-?[\d.,]+)<\/text>/g)].map(
    ([, y, text]) => ({
      y: Number(y),
      value: Number(text.replaceAll(',', '')) * 1e6,
    }),
  )
  const [low, high] = [ticks[0], ticks[ticks.length - 1]]
  const perPixel = (high.value - low.value) / (low.y - high.y)
  const slots = [...svg.matchAll(/aria-label="([^"]*)"><rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)].map(
    ([, said, x, width]) => ({ said, x: Number(x), width: Number(width) }),
  )
  const rects = (group: string) =>
    [...group.matchAll(/<rect[^>]* x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g)].map(
      ([, x, y, width, height]) => {
        const [top, bottom] = [Number(y), Number(y) + Number(height)]
        const [above, below] = [top, bottom].map(at => low.value + (low.y - at) * perPixel)
        const middle = Number(x) + Number(width) / 2
        const slot = slots.find(slot => middle >= slot.x && middle <= slot.x + slot.width + 0.2)
        // A bar begins at zero, so its value is at the end further from it.
        const value = Math.abs(above) > Math.abs(below) ? above : below
        return { category: slot?.said.split(': ')[0] ?? '', value }
      },
    )
  const bars = [...svg.matchAll(/<g class="bar-(\d)">(.*?)<\/g>/gs)].flatMap(([, series, group]) =>
    rects(group).map(bar => ({ ...bar, series: Number(series) })),
  )
  const ghosts = rects(/<g class="ghosts">(.*?)<\/g>/s.exec(svg)?.[1] ?? '').map(({ value }) => value)
  return { bars, ghosts, said: slots.map(({ said }) => said), perPixel }
}

const lines = ['revenue', 'net_income', 'free_cash_flow']
const names = ['Revenue', 'Net income', 'Free cash flow']

describe('the chart of Apple draws what the API answers as of the day', () => {
  for (const show of tabs) {
    for (const day of days) {
      test(`${show}, ${day ?? 'today'}`, async () => {
        const query = `ticker=AAPL&metric=${lines.join(',')}&fp=${periods[show]}${dayText(day)}`
        const [{ html }, { data }, first] = await Promise.all([
          page(`/companies/AAPL?show=${show}${dayText(day)}`),
          answer(query),
          answer(`${query}&vintage=first`),
        ])
        const { bars, ghosts, said, perPixel } = barsIn(html)
        const rows = data.filter(row => lines.some(line => row[line] !== null)).slice(-28)
        // Oldest at the left.
        expect(said.map(text => text.split(': ')[0])).toEqual(rows.map(labelOf))
        const expected = rows.flatMap(row =>
          lines.flatMap((line, series) => {
            const value = row[line]
            return typeof value === 'number' ? [{ category: labelOf(row), series, value }] : []
          }),
        )
        expect(bars).toHaveLength(expected.length)
        for (const { category, series, value } of expected) {
          const drawn = bars.find(bar => bar.category === category && bar.series === series)
          expect([category, series, Math.abs((drawn?.value ?? Number.NaN) - value) < perPixel * 0.3]).toEqual(
            [category, series, true],
          )
          const text = said.find(one => one.startsWith(`${category}: `)) ?? ''
          expect(text).toContain(`${names[series]}: ${value.toLocaleString('en-US')} USD, `)
        }
        const firstOf = (row: Row, line: string) =>
          first.data.find(({ fp, end }) => fp === row.fp && end === row.end)?.[line]
        const differing = rows.flatMap(row =>
          lines.flatMap(line => {
            const filed = firstOf(row, line)
            return typeof filed === 'number' && row[line] !== null && filed !== row[line] ? [filed] : []
          }),
        )
        const ascending = (values: readonly number[]) => [...values].sort((a, b) => a - b)
        expect(ghosts).toHaveLength(differing.length)
        for (const [at, value] of ascending(ghosts).entries())
          expect(Math.abs(value - ascending(differing)[at])).toBeLessThan(perPixel * 0.3)
      })
    }
  }

  test('and any line that is chosen, with the day kept', async () => {
    const { html } = await page('/companies/AAPL?as_of=2010-01-25&plot=cash')
    const { data } = await answer('ticker=AAPL&metric=cash&fp=FY&as_of=2010-01-25')
    const { bars, perPixel } = barsIn(html)
    expect(bars.length).toBe(data.length)
    for (const [at, { value }] of bars.entries())
      expect(Math.abs(value - Number(data[at].cash))).toBeLessThan(perPixel * 0.3)
    expect(html).toContain('<option value="cash" selected>Cash</option>')
    expect(html).toContain('<input type="hidden" name="as_of" value="2010-01-25">')
  })

  test('a line that the page does not have shows the usual ones', async () => {
    const { status, html } = await page('/companies/AAPL?plot=no_such_line')
    expect([status, html.includes('Revenue, Net income, Free cash flow by period')]).toEqual([200, true])
  })
})

describe('the growth in each row', () => {
  for (const [show, day] of [
    ['years', null],
    ['years', '2010-01-25'],
    ['quarters', null],
    ['quarters', '2012-02-01'],
    ['ttm', '2014-02-01'],
  ] as const) {
    test(`is that of a plain loop over the API's answer: ${show}, ${day ?? 'today'}`, async () => {
      const [{ html, cells }, { metrics, data }] = await Promise.all([
        page(`/companies/AAPL?show=${show}${dayText(day)}&adjust=splits`),
        answer(`ticker=AAPL&adjust=splits&fp=${periods[show]}${dayText(day)}`),
      ])
      const ends = cells.map(({ end }) => end).sort()
      const latest = data.find(({ end }) => end === ends[ends.length - 1])
      if (latest === undefined) throw new Error('no latest period')
      // A year of 52 or 53 weeks ends within a week of the day one year later.
      const yearBefore = data.find(
        ({ fp, fy, end }) =>
          fp === latest.fp &&
          fy === latest.fy - 1 &&
          Math.abs(Date.parse(latest.end) - Date.parse(end) - 365 * 86_400_000) < 10 * 86_400_000,
      )
      const growth = new Map(
        [...html.matchAll(/<tr data-m="(\w+)"[^>]*>.*?<a class="trend"[^>]*>.*?<span>([^<]*)<\/span>/g)].map(
          ([, metric, text]) => [metric, text],
        ),
      )
      let compared = 0
      for (const metric of metrics) {
        if (metric.endsWith('_ytd') || metric === 'shares_outstanding') continue
        const [now, before] = [latest[metric], yearBefore?.[metric]]
        let expected = 'n/a'
        if (typeof now === 'number' && typeof before === 'number') {
          const isPoints = /_margin$|^roe$|^roa$/.test(metric)
          const change = isPoints ? (now - before) * 100 : ((now - before) / Math.abs(before)) * 100
          const sign = change > 0 ? '+' : ''
          if (isPoints) expected = `${sign}${change.toFixed(1)} pp`
          else if (now * before > 0) {
            const text = change.toLocaleString('en-US', {
              minimumFractionDigits: 1,
              maximumFractionDigits: 1,
            })
            expected = `${sign}${text}%`
          }
          if (/^-0\.0/.test(expected)) expected = expected.slice(1)
          compared++
        }
        expect([metric, growth.get(metric) ?? 'n/a']).toEqual([metric, expected])
      }
      expect(compared).toBeGreaterThan(15)
    })
  }
})

describe('which vintage is shown', () => {
  const shown = (cells: readonly { metric: string; period: string; end: string; value: number }[]) =>
    cells.map(({ metric, period, end, value }) => `${metric} ${period} ${end} ${value}`).sort()
  const figures = ({ metrics, data }: Awaited<ReturnType<typeof answer>>) =>
    data
      .flatMap(row =>
        metrics
          .filter(metric => !metric.endsWith('_ytd') && row[metric] !== null)
          .map(metric => `${metric} ${row.fp} ${row.fy} ${row.end} ${row[metric]}`),
      )
      .sort()

  for (const day of [null, '2010-01-25', '2018-11-05'] as const) {
    test(`first filed is vintage=first of the API, of filings by ${day ?? 'today'}`, async () => {
      const { cells, html } = await page(`/companies/AAPL?figures=first_filed${dayText(day)}`)
      expect(shown(cells)).toEqual(figures(await answer(`ticker=AAPL&fp=FY&vintage=first${dayText(day)}`)))
      expect(html).not.toContain('class="restated"')
      const { ghosts } = barsIn(html)
      expect(ghosts).toEqual([])
    })
  }

  test('latest is the answer of today, and says on a past day that it knows later filings', async () => {
    const { cells, html } = await page('/companies/AAPL?figures=latest&as_of=2010-01-24')
    expect(shown(cells)).toEqual(figures(await answer('ticker=AAPL&fp=FY')))
    expect(html).toContain('<strong>Includes filings after 2010-01-24.</strong>')
    // No slider may move a day that these figures do not have.
    expect(html).not.toContain('id="as-of-slider"')
  })

  test('the usual view knows nothing of later filings, in its chart and trends neither', async () => {
    const { html } = await page('/companies/AAPL?as_of=2010-01-24')
    const visible = html.replace(/<script[\s\S]*?<\/script>/g, '')
    const chart = /<section id="chart"[\s\S]*?<\/section>/.exec(visible)?.[0] ?? ''
    expect(chart).toContain('36,537,000,000 USD')
    expect(chart).not.toContain('42,905,000,000')
    expect(chart).not.toMatch(/filed (2010-0[2-9]|201[1-9]|202\d)/)
    expect(html).not.toContain('Includes filings after')
  })

  test('the links keep day and tab, and name the view', async () => {
    const { html } = await page('/companies/AAPL?show=quarters&as_of=2012-02-01&figures=latest&plot=cash')
    const [, nav = ''] = /<nav class="tabs figure-views"[^>]*>(.*?)<\/nav>/s.exec(html) ?? []
    const links = nonEmpty(nav.matchAll(/<a href="([^"]*)"( aria-current="page")?>([^<]*)</g))
    expect(
      links.map(([, href, current, name]) => [name, href.replaceAll('&amp;', '&'), current !== undefined]),
    ).toEqual([
      ['First filed', '/companies/AAPL?show=quarters&as_of=2012-02-01&figures=first_filed&plot=cash', false],
      ['Known then', '/companies/AAPL?show=quarters&as_of=2012-02-01&plot=cash', false],
      ['Latest', '/companies/AAPL?show=quarters&as_of=2012-02-01&figures=latest&plot=cash', true],
    ])
  })

  test('a visitor without a licence sees no more of a closed company in any view, and no past day', async () => {
    const known = await page('/companies/SNOW')
    const allowed = figures(await answer('ticker=SNOW&fp=FY'))
    expect(shown(known.cells)).toEqual(allowed)
    for (const view of ['latest', 'first_filed']) {
      const { cells, html } = await page(`/companies/SNOW?figures=${view}`)
      const expected = view === 'latest' ? allowed : figures(await answer('ticker=SNOW&fp=FY&vintage=first'))
      expect(shown(cells)).toEqual(expected)
      expect(html).not.toContain('id="trends"')
      const refused = await page(`/companies/SNOW?figures=${view}&as_of=2023-12-31`)
      const asked = await page('/companies/SNOW?as_of=2023-12-31')
      expect([refused.status, refused.cells]).toEqual([asked.status, []])
      expect(refused.html).not.toContain('bar-chart')
    }
  })

  test('an unknown view is refused', async () => {
    expect((await page('/companies/AAPL?figures=all')).status).toBe(400)
  })
})

describe('on a past day', () => {
  /** The choices that a reader of the page can see, without those that wait for a later day. */
  const choices = (html: string) => {
    const [, select = ''] = /<select id="plot"[^>]*>([\s\S]*?)<\/select>/.exec(html) ?? []
    return [...select.matchAll(/<option value="([a-z_]+)"([^>]*)>/g)].flatMap(([, name, rest]) =>
      rest?.includes(' hidden disabled') ? [] : [name ?? ''],
    )
  }

  test('the lines to plot are those that the API has for that day, and no later ones', async () => {
    for (const day of ['2009-10-27', '2010-01-25', '2013-01-15', null]) {
      const { metrics, data } = await answer(`ticker=AAPL&fp=FY${dayText(day)}`)
      const known = metrics.filter(metric => data.some(row => typeof row[metric] === 'number'))
      const { html } = await page(`/companies/AAPL${day === null ? '' : `?as_of=${day}`}`)
      expect([day, choices(html).sort()]).toEqual([day, [...known].sort()])
    }
  })

  test('tabs of statements and segments wait for the first filing in full', async () => {
    const [{ first }] = await server.sql<{ first: string }[]>`
      select min(f.filed)::text as first from whole_filing w join filing f using (filing_id)
      join entity e on e.entity_id = w.entity_id where e.ticker = 'AAPL' and e.market = 'US'`
    const hiddenTabs = async (day: string) => {
      const { html } = await page(`/companies/AAPL?as_of=${day}`)
      return [...html.matchAll(/<a href="[^"]*\/(statements|segments)[^"]*"[^>]* hidden>/g)].map(
        ([, name]) => name,
      )
    }
    expect(await hiddenTabs(first)).toEqual([])
    const before = new Date(Date.parse(first) - 86_400_000).toISOString().slice(0, 10)
    expect(await hiddenTabs(before)).toEqual(['statements', 'segments'])
  })
})
