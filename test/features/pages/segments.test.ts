import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { breakdownChart } from '../../../src/features/pages/presented/breakdownChart.ts'
import { type BreakdownTable, divisionOf } from '../../../src/features/pages/presented/divide.ts'
import type { Breakdown, SegmentsAnswer } from '../../../src/features/statements/segmentsSchema.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { type Member, memberWith } from '../account/members.ts'
import { importWhole, realPackages } from '../statements/importWhole.ts'
import { askApi, seePage, signedOut } from './compare.ts'

setDefaultTimeout(120_000)

const decode = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')
const plain = (markup: string) => decode(markup.replaceAll(/<[^>]*>/g, ''))

interface ShownChart {
  readonly text: string
  /** `Q2 2025: iPhone: 46,841,000,000 USD, 49.1% of the total; ...` */
  readonly readings: readonly string[]
  /** The bars of each series, in order of the periods that have one. */
  readonly bars: readonly (readonly { x: number; y: number; height: number }[])[]
}

/** The sections of a page, with the charts as they are drawn for desktops. */
function chartsIn(html: string): ShownChart[] {
  return [...html.matchAll(/<h3 id="breakdown-[\s\S]*?<\/section>/g)].map(([section]) => {
    const [wide = ''] = /<svg class="bar-chart wide"[\s\S]*?<\/svg>/.exec(section) ?? []
    const numberIn = (tag: string, name: string) => Number(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1])
    return {
      text: plain(section.replaceAll(/<svg[\s\S]*?<\/svg>/g, '')),
      readings: [...wide.matchAll(/role="img" aria-label="([^"]*)"/g)].map(([, text = '']) => decode(text)),
      bars: [...wide.matchAll(/<g class="bar-\d">(.*?)<\/g>/g)].map(([, group = '']) =>
        [...group.matchAll(/<rect[^>]*>/g)].map(([tag]) => ({
          x: numberIn(tag, 'x'),
          y: numberIn(tag, 'y'),
          height: numberIn(tag, 'height'),
        })),
      ),
    }
  })
}

const grouped = (plainDecimal: string) => plainDecimal.replace(/\B(?=(\d{3})+$)/g, ',')

/** To one decimal, in whole thousandths, so that no rounding of the page is repeated here. */
const isShare = (text: string, value: string, total: string) =>
  Math.abs(Number(text) - (Number(value) / Number(total)) * 100) <= 0.05 + 1e-9

describe('the pages of a server', () => {
  let server: RealServer
  let member: Member
  let hasPackages = false
  beforeAll(async () => {
    server = await realServer()
    member = await memberWith(server, server.sql, { licence: 'personal' })
    const found = await realPackages()
    hasPackages = found !== null
    if (found !== null) {
      await importWhole(
        server.sql,
        found.filter(({ ticker }) => ticker !== 'AAPL'),
      )
      await Bun.sleep(300)
    }
  })
  afterAll(() => server.stop(), 60_000)

  const see = async (path: string) => chartsIn((await seePage(server.url, path, member)).html)

  // Note 2 of 0000320193-25-000057, in millions: iPhone 46,841, Mac 7,949, iPad 6,402, wearables 7,522 and services 26,645
  // of net sales of 95,359; a year before 45,963, 7,451, 5,559, 7,913 and 23,867 of 90,753.
  test('members that add up are stacked as shares of the total', async () => {
    const chart = (await see('/companies/AAPL/segments')).find(
      ({ text }) => text.includes('Disaggregated') && text.includes('3 months'),
    )
    expect(chart?.readings).toEqual([
      'Q2 2024: iPhone: 45,963,000,000 USD, 50.6% of the total; Mac: 7,451,000,000 USD, 8.2% of the total; iPad: 5,559,000,000 USD, 6.1% of the total; Wearables, Home and Accessories: 7,913,000,000 USD, 8.7% of the total; Services: 23,867,000,000 USD, 26.3% of the total',
      'Q2 2025: iPhone: 46,841,000,000 USD, 49.1% of the total; Mac: 7,949,000,000 USD, 8.3% of the total; iPad: 6,402,000,000 USD, 6.7% of the total; Wearables, Home and Accessories: 7,522,000,000 USD, 7.9% of the total; Services: 26,645,000,000 USD, 27.9% of the total',
    ])
    expect(chart?.text).toContain('In every period the members add up exactly to the total.')
    // The bars of a period are on top of each other, and as high as their shares.
    const stated = [46841, 7949, 6402, 7522, 26645]
    const latest = (chart?.bars ?? []).map(bars => bars[1])
    const whole = latest.reduce((sum, bar) => sum + (bar?.height ?? 0), 0)
    latest.forEach((bar, at) => {
      expect(Math.abs((bar?.height ?? 0) / whole - (stated[at] ?? 0) / 95359)).toBeLessThan(0.002)
      expect(bar?.x).toBe(latest[0]?.x)
      const below = latest[at - 1]
      if (below !== undefined)
        expect(Math.abs((bar?.y ?? 0) + (bar?.height ?? 0) - below.y)).toBeLessThan(0.25)
    })
  })

  test('the amounts of a year before are as high as their sum', async () => {
    const [first] = nonEmpty(await see('/companies/AAPL/segments?bars=amounts'))
    // Products 66,886 and services 23,867 in 2024; 68,714 and 26,645 in 2025.
    const height = (period: number) => first.bars.reduce((sum, bars) => sum + (bars[period]?.height ?? 0), 0)
    expect(Math.abs(height(0) / height(1) - 90753 / 95359)).toBeLessThan(0.003)
  })

  // The same 10-Q: operating income of the segments 16,774, 10,316, 6,626, 3,434 and 2,986, of the company 29,589 million.
  test('members that exceed the total stand side by side, and the page says by how much', async () => {
    const [first] = nonEmpty(await see('/companies/AAPL/segments?metric=operating_income&axis=segment'))
    expect(first.text).toContain(
      'In 3 months to 2025-03-29 the members add up to 40,136,000,000 USD and the total is 29,589,000,000 USD: the sum is 10,547,000,000 USD above the total.',
    )
    expect(first.readings.at(-1)).toBe(
      'Q2 2025: Americas: 16,774,000,000 USD; Europe: 10,316,000,000 USD; Greater China: 6,626,000,000 USD; Japan: 3,434,000,000 USD; Rest of Asia Pacific: 2,986,000,000 USD',
    )
    const latest = first.bars.map(bars => bars[1])
    expect(new Set(latest.map(bar => bar?.x)).size).toBe(5)
    expect(new Set(latest.map(bar => Math.round((bar?.y ?? 0) + (bar?.height ?? 0)))).size).toBe(1)
  })

  // 0001065280-24-000030: revenues of 33,723,297 thousand in 2023, of which 13.8 billion in the United States.
  test.skipIf(!hasPackages)('of one member, the rest is computed and called so', async () => {
    const [first] = nonEmpty(await see('/companies/NFLX/segments?axis=geography&as_of=2024-02-01'))
    expect(first.readings.at(-1)).toBe(
      'FY 2023: United States: 13,800,000,000 USD, 40.9% of the total; Rest of the total (computed): 19,923,297,000 USD, 59.1% of the total',
    )
    expect(first.text).toContain('computed, not stated')
  })

  test('every bar is a member of the answer of the API, with its exact value and share', async () => {
    const counts = { shares: 0, amounts: 0 }
    const metrics = ['revenue', 'operating_income', 'net_income', 'assets'] as const
    for (const ticker of hasPackages ? ['AAPL', 'MSFT', 'NFLX'] : ['AAPL'])
      for (const metric of metrics)
        for (const axis of ['product', 'geography', 'segment']) {
          const query = `metric=${metric}&axis=${axis}`
          const charts = await see(`/companies/${ticker}/segments?${query}`)
          const response = await askApi(server.url, `/api/v1/segments?ticker=${ticker}&${query}`, member)
          const { data }: SegmentsAnswer = await response.json()
          const stated = data.flatMap(({ members, total, unit }) =>
            members
              .filter(({ part_of }) => part_of === null)
              .map(({ value }) => ({ value: value ?? '', total, unit })),
          )
          const shown = charts.flatMap(({ readings }) =>
            readings.flatMap(reading => [
              ...reading.matchAll(/: (-?[\d,.]+) (\S+?)(?:, ([\d.]+)% of the total)?(?=;|$)/g),
            ]),
          )
          const values = shown.map(([, value, unit]) => `${value} ${unit}`)
          const about = [ticker, query]
          const all = stated.map(({ value, unit }) => `${grouped(value)} ${unit}`)
          const rests = data.flatMap(({ difference, unit, members }) =>
            members.length === 1 && Number(difference) !== 0 ? [`${grouped(difference ?? '')} ${unit}`] : [],
          )
          expect([...about, values.sort()]).toEqual([...about, [...all, ...rests].sort()])
          for (const [, value = '', , share] of shown) {
            if (share === undefined) {
              counts.amounts++
              continue
            }
            counts.shares++
            const wanted = value.replaceAll(',', '')
            const totals = data.flatMap(({ total }) => total ?? [])
            expect([...about, totals.some(total => isShare(share, wanted, total))]).toEqual([...about, true])
          }
        }
    expect(counts.shares).toBeGreaterThan(20)
    expect(counts.amounts).toBeGreaterThan(10)
  })

  test('axes that the filing does not have say so, and an empty page names the others', async () => {
    const { html } = await seePage(server.url, '/companies/AAPL/segments', signedOut)
    const nav = /<nav class="tabs" aria-label="Breakdowns">(.*?)<\/nav>/.exec(html)?.[1] ?? ''
    expect(plain(nav)).toBe('ProductGeography (not in this filing)Segment')
    const none = await seePage(server.url, '/companies/AAPL/segments?axis=geography', signedOut)
    expect(plain(none.html)).toContain('The latest report divides it by product and by segment.')
  })

  test('the file of a breakdown is the answer of the API for the day of the page', async () => {
    const before = await seePage(server.url, '/companies/AAPL/segments?as_of=2025-05-01', signedOut)
    expect(/data-v=|segments\/download/.test(before.html)).toBe(false)
    for (const day of ['2025-05-01', '2025-05-02'])
      for (const format of ['csv', 'json', 'parquet']) {
        const query = `metric=revenue&axis=segment&as_of=${day}&format=${format}`
        const file = await fetch(`${server.url}/companies/AAPL/segments/download?${query}`, {
          headers: { 'X-Forwarded-For': '10.79.0.2' },
        })
        const more = format === 'csv' ? '&comments=true' : ''
        const answer = await askApi(server.url, `/api/v1/segments?ticker=AAPL&${query}${more}`, signedOut)
        expect(file.headers.get('content-disposition')).toContain(
          `segments-revenue-segment-AAPL-${day}.${format}`,
        )
        const [own, ofApi] = [Buffer.from(await file.bytes()), Buffer.from(await answer.bytes())]
        expect([day, format, own.equals(ofApi)]).toEqual([day, format, true])
      }
    const { html } = await seePage(
      server.url,
      '/companies/AAPL/segments?axis=segment&as_of=2025-05-02',
      signedOut,
    )
    expect(decode(html)).toContain(
      '/companies/AAPL/segments/download?axis=segment&as_of=2025-05-02&format=csv',
    )
  })
})

describe('which members may be stacked', () => {
  type Given = readonly [member: string, value: string, partOf?: string]
  function made(total: string | null, difference: string | null, given: readonly Given[], decimals = 0) {
    return {
      axis: 'srt:ProductOrServiceAxis',
      title: 'Revenue (Details)',
      start: '2020-01-01',
      end: '2020-12-31',
      quarters: 4,
      fy: 2020,
      fp: 'FY',
      unit: 'USD',
      total,
      sum: '0',
      difference,
      members: given.map(([member, value, partOf]) => ({
        member,
        label: member,
        part_of: partOf ?? null,
        value,
        number: Number(value),
        decimals,
        unit: 'USD',
      })),
    } satisfies Breakdown
  }
  const table = (...periods: readonly [Breakdown, ...Breakdown[]]): BreakdownTable => periods
  const kindOf = (...periods: readonly [Breakdown, ...Breakdown[]]) => divisionOf(table(...periods)).kind

  test('eliminations that complete the sum are below zero, and no share is drawn', () => {
    const eliminated = made('1000', '0', [
      ['North', '640'],
      ['South', '400'],
      ['Eliminations', '-40'],
    ])
    expect(kindOf(eliminated)).toBe('signed')
    const { text } = breakdownChart(table(eliminated), 'Revenue', 'shares')
    expect(plain(text)).toContain('Negative ones, such as eliminations, are drawn below zero.')
    const [wide = ''] = /<svg class="bar-chart wide"[\s\S]*?<\/svg>/.exec(text) ?? []
    const zero = Number(/<line class="base"[^>]* y1="([^"]*)"/.exec(wide)?.[1])
    const [, , below = ''] = [...wide.matchAll(/<g class="bar-\d">(.*?)<\/g>/g)].map(([, group]) => group)
    expect(Number(/ y="([^"]*)"/.exec(below)?.[1])).toBe(zero)
  })

  test('a member that is part of another one is not counted twice', () => {
    const nested = made('1000', '0', [
      ['Products', '700'],
      ['Phones', '500', 'Products'],
      ['Services', '300'],
    ])
    expect(kindOf(nested)).toBe('shares')
    const { text } = breakdownChart(table(nested), 'Revenue', 'shares')
    expect(text).not.toContain('Phones')
    expect(plain(text)).toContain('Members that are part of another one are in the table alone.')
  })

  test('members that do not add up in one of the periods are stacked in none', () => {
    const whole = made('100', '0', [
      ['A', '40'],
      ['B', '60'],
    ])
    const part = made('100', '10', [
      ['A', '40'],
      ['B', '50'],
    ])
    const double = made('100', '-100', [
      ['A', '100'],
      ['Of which B', '100'],
    ])
    const untotalled = made(null, null, [
      ['A', '40'],
      ['B', '60'],
    ])
    expect([
      kindOf(whole),
      kindOf(part),
      kindOf(whole, part),
      kindOf(double),
      kindOf(whole, untotalled),
    ]).toEqual([
      'shares',
      // Whether two members overlap cannot be seen from a sum that is less than the total.
      'apart',
      'apart',
      'apart',
      'apart',
    ])
    expect(plain(breakdownChart(table(untotalled), 'Revenue', 'shares').text)).toContain(
      'The filing states no total for 12 months to 2020-12-31',
    )
  })

  test('rounding counts as far as the filing claims it', () => {
    // Three members rounded to thousands may be off by 1,500.
    const given: Given[] = [
      ['A', '4000'],
      ['B', '3000'],
      ['C', '2000'],
    ]
    expect(kindOf(made('10500', '1500', given, -3))).toBe('shares')
    expect(kindOf(made('10501', '1501', given, -3))).toBe('apart')
    expect(
      plain(breakdownChart(table(made('10500', '1500', given, -3)), 'Revenue', 'shares').text),
    ).toContain('to the accuracy that the filing claims for them')
  })

  test('one member alone leaves a rest, unless it exceeds the total', () => {
    expect(kindOf(made('10', '6', [['A', '4']]))).toBe('rest')
    expect(kindOf(made('10', '0', [['A', '10']]))).toBe('shares')
    expect(kindOf(made('10', '-2', [['A', '12']]))).toBe('apart')
    expect(kindOf(made('10', '12', [['A', '-2']]))).toBe('apart')
  })
})
