import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { FundamentalsRow } from '../../../src/features/fundamentals/schema.ts'
import { blankReason } from '../../../src/features/pages/company/blanks.ts'
import { changeOf, shownCell } from '../../../src/features/pages/company/cell.ts'
import { scaleOf } from '../../../src/features/pages/figures.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { askApi } from './compare.ts'
import { readPage } from './readPage.ts'

setDefaultTimeout(120_000)

let server: RealServer
beforeAll(async () => {
  server = await realServer()
})
afterAll(() => server.stop(), 60_000)

const page = (query: string, ticker = 'AAPL') => readPage(`${server.url}/companies/${ticker}?${query}`)

interface Row {
  readonly m: string
  readonly fy: number
  readonly fp: string
  readonly end: string
  readonly filed: string
  readonly until: string | null
  readonly v: number
  readonly u: string
}

async function rowsOf(query: string): Promise<Row[]> {
  const response = await askApi(server.url, `/api/v1/fundamentals?${query}`, { key: 'demo' })
  expect(response.status).toBe(200)
  return ((await response.json()) as { data: Row[] }).data
}

/** The cells of a row without the hidden ones: each with its attributes, by the end of its period. */
function rowIn(html: string, metric: string): Map<string, string> {
  const table = [...html.matchAll(/<table class="figures">([\s\S]*?)<\/table>/g)]
    .map(([, text = '']) => text)
    .find(text => text.includes(`data-m="${metric}"`))
  const ends = [...(table ?? '').matchAll(/<small>([\d-]+)<\/small>/g)].map(([, end = '']) => end)
  const [, body = ''] = new RegExp(`<tr data-m="${metric}"[^>]*>(.*?)</tr>`).exec(table ?? '') ?? []
  const cells = [...body.matchAll(/<td([^>]*)>(.*?)<\/td>/g)].map(([cell]) => cell)
  return new Map(ends.map((end, at) => [end, cells[at] ?? '']))
}

// Apple, diluted, per 10-K: 2017 9.21, 2018 11.91; the 10-K of 2020-10-30 states 2020 3.28, 2019 2.97 and 2018 2.98 after 4:1.
const [fy2017, fy2018, fy2019, fy2020] = ['2017-09-30', '2018-09-29', '2019-09-28', '2020-09-26']

describe('splits', () => {
  test('are marks of their own, and not restatements of -75%', async () => {
    const { html } = await page('')
    const eps = rowIn(html, 'eps_diluted')
    expect(eps.get(fy2018)).toContain('class="split"')
    expect(eps.get(fy2018)).toContain(
      '2.98 USD/shares, filed 2020-10-30 (10-K); before the split 4:1: 11.91 USD/shares, filed 2018-11-05 (10-K)',
    )
    expect(eps.get(fy2018)).toContain('<i>split 4:1</i>')
    expect(eps.get(fy2018)).not.toContain('<s>')
    // The line is between what was filed before the split and what was filed after it.
    expect(eps.get(fy2017)).toMatch(/class="line" data-line="4:1"[^>]*><a [^>]*>9\.21<\/a>/)
    expect(eps.get(fy2019)).not.toContain('data-line')
    const figure = await page(`cell=eps_diluted.2018.FY.${fy2018}`)
    expect(figure.html).toContain('<td class="number">split 4:1</td>')
    expect(figure.html).not.toContain('-75.0%')
    expect(/<section id="figure"[\s\S]*?<\/section>/.exec(figure.html)?.[0]).not.toContain('<svg')
  })

  test('count from the day of the filing that first shows them', async () => {
    const before = await page('as_of=2020-10-29')
    expect(rowIn(before.html, 'eps_diluted').get(fy2018)).toMatch(/>11\.91<\/a><\/td>/)
    expect(before.html).toMatch(/<li data-from="\d+" hidden><span class="split-sample">4:1/)
    const adjusted = await page('as_of=2020-10-29&adjust=splits')
    expect(rowIn(adjusted.html, 'eps_diluted').get(fy2018)).toMatch(/>11\.91<\/a>/)
    const after = await page('as_of=2020-10-30')
    expect(rowIn(after.html, 'eps_diluted').get(fy2020)).toContain('>3.28</a>')
    expect(rowIn(after.html, 'eps_diluted').get(fy2018)).toContain('>2.98</a>')
    expect(after.html).toMatch(/<li data-from="\d+"><span class="split-sample">4:1/)
    expect(after.html).toContain('0000320193-20-000096')
  })

  test('adjust what was filed before them, as the API does, on many days', async () => {
    let adjusted = 0
    for (const [ticker, show, fp] of [
      ['AAPL', 'years', 'FY'],
      ['AAPL', 'quarters', 'Q1,Q2,Q3,Q4'],
      ['GOOGL', 'years', 'FY'],
    ] as const) {
      for (const day of [
        '2013-12-31',
        '2014-07-23',
        '2020-10-29',
        '2020-10-30',
        '2022-08-01',
        '2026-01-31',
      ]) {
        const { cells, html } = await page(`show=${show}&adjust=splits&as_of=${day}`, ticker)
        const rows = await rowsOf(`ticker=${ticker}&fp=${fp}&as_of=${day}&adjust=splits`)
        const allowed = new Set(rows.filter(({ until }) => until === null).map(({ m, v }) => `${m} ${v}`))
        expect(cells.length).toBeGreaterThan(ticker === 'AAPL' || day > '2016-03-01' ? 50 : -1)
        for (const { metric, value } of cells)
          expect([ticker, day, metric, value, allowed.has(`${metric} ${value}`)]).toEqual([
            ticker,
            day,
            metric,
            value,
            true,
          ])
        const computed = [...html.matchAll(/title="([^"]*)" class="(?:[a-z]+ )?adjusted/g)]
        for (const [, title] of computed)
          expect(title).toMatch(
            /, computed: .* (divided|multiplied) by \d+ for the split \d+:\d+, first shown by [\d-]+ of /,
          )
        adjusted += computed.length
        expect(html).not.toContain('data-line')
      }
    }
    expect(adjusted).toBeGreaterThan(100)
  })

  const row = (v: number, filed: string, u = 'USD/shares', m = 'eps'): FundamentalsRow => ({
    ...{ m, fy: 2018, fp: 'FY', end: fy2018, filed, v, u, kind: 'stated', until: null },
    ...{ ticker: 'X', issuer_id: '1', source: '', form: '10-K' },
  })
  const split = { numerator: 4, denominator: 1, filed: '2020-10-30', accession: 'a' }

  test('do not hide a restatement, and are never invented', () => {
    const change = (before: number, after: number, splits = [split], unit = 'USD/shares') =>
      changeOf(row(before, '2019-01-01', unit), row(after, '2020-10-30', unit), splits).isSplitAlone
    expect([change(11.91, 2.98), change(11.91, 2.97), change(11.91, 3.2)]).toEqual([true, false, false])
    expect([change(5_000_000_000, 20_000_000_000, [split], 'shares'), change(11.91, 2.98, [])]).toEqual([
      true,
      false,
    ])
    // An amount has no split, whatever its ratio.
    expect(change(4_000, 1_000, [split], 'USD')).toBe(false)
    const view = { currency: 'USD', scale: scaleOf([]), isAdjusted: false }
    const both = [{ ...row(12, '2019-01-01'), until: '2020-10-30' }, row(2.5, '2020-10-30')]
    expect(shownCell(both, [split], view)).toMatchObject({
      text: '2.50',
      former: '3.00',
      split: 'split 4:1',
      behind: 0,
    })
    expect(shownCell(both, [split], view)?.title).toContain('before the split 4:1: 12 USD/shares')
    expect(shownCell([row(12, '2019-01-01')], [split], { ...view, isAdjusted: true })).toMatchObject({
      text: '3.00',
      value: 3,
      isAdjusted: true,
    })
  })
})

describe('restated cells', () => {
  test('have their former value in the description of the link, and below it only with changes=shown', async () => {
    const { html } = await page('')
    const cell = rowIn(html, 'revenue').get('2009-09-26') ?? ''
    expect(cell).toMatch(
      /<a href="[^"]*" title="42,905,000,000 USD, [^"]*; before: 36,537,000,000 USD[^"]*">42,905<\/a><s>36,537<\/s>/,
    )
    expect(html).toContain('class="statements"')
    expect((await page('changes=shown')).html).toContain('class="statements changes"')
  })
})

describe('blank cells', () => {
  test('each have a reason that is true', async () => {
    let blanks = 0
    for (const [ticker, day] of [
      ['AAPL', ''],
      ['AAPL', '2012-01-31'],
      ['GOOGL', ''],
    ] as const) {
      const asOf = day === '' ? '' : `&as_of=${day}`
      const { html } = await page(asOf.slice(1), ticker)
      const known = await rowsOf(`ticker=${ticker}&fp=FY${asOf}`)
      const isKnown = (metric: string, end: string) =>
        known.some(row => row.m === metric && row.end === end && row.until === null)
      for (const [, metric = ''] of nonEmpty(html.matchAll(/<tr data-m="(\w+)"(?![^>]* hidden)[^>]*>/g))) {
        for (const [end, cell] of rowIn(html, metric)) {
          if (cell.includes('<td hidden') || cell.includes('data-v=')) continue
          const [, reason = ''] =
            /<td class="blank" title="([^"]+)"><span aria-hidden="true">–<\/span>/.exec(cell) ?? []
          const about = [ticker, day, metric, end, reason]
          expect([...about, reason === '']).toEqual([...about, false])
          blanks++
          if (metric === 'shares_outstanding' || metric === 'book_value_per_share') continue
          expect([...about, isKnown(metric, end)]).toEqual([...about, false])
          const wasKnown = known.some(row => row.m === metric && row.end === end)
          if (/^No filing|^Not reported/.test(reason)) expect([...about, wasKnown]).toEqual([...about, false])
          const [, missing] = /^Cannot be computed: no (.+) for this period\.$/.exec(reason) ?? []
          for (const name of missing?.split(' and no ') ?? [])
            expect([...about, isKnown(name.replaceAll(' ', '_'), end)]).toEqual([...about, false])
        }
      }
    }
    expect(blanks).toBeGreaterThan(100)
  })

  test('do not tell those that a later filing fills from those that none ever does', async () => {
    // The 10-K of 2009-10-27 fills one of the cells that were blank on this day.
    const { html } = await page('as_of=2009-08-01')
    const later = await rowsOf('ticker=AAPL&fp=FY')
    const reasons = new Map([true, false].map(isFilled => [isFilled, new Set<string>()]))
    for (const [, metric = ''] of nonEmpty(html.matchAll(/<tr data-m="(\w+)"(?![^>]* hidden)[^>]*>/g))) {
      for (const [end, cell] of rowIn(html, metric)) {
        const [, reason] = /^<td class="blank" title="(No[^"]+)">/.exec(cell.trim()) ?? []
        if (reason === undefined) continue
        const isFilled = later.some(row => row.m === metric && row.end === end)
        reasons.get(isFilled)?.add(reason.replace(/:.*/, ''))
      }
    }
    const [filled, never] = [true, false].map(isFilled => reasons.get(isFilled) ?? new Set())
    expect([filled.size > 0, [...filled].filter(reason => !never.has(reason))]).toEqual([true, []])
  })

  test('name the missing input of a computed figure', () => {
    const blank = { metric: 'free_cash_flow', fp: 'FY', isOfShares: false } as const
    const known = (metric: string) =>
      metric === 'operating_cash_flow' ? [{ until: null } as FundamentalsRow] : []
    expect(blankReason({ ...blank, known })).toBe(
      'Cannot be computed: no capital expenditure for this period.',
    )
    expect(blankReason({ ...blank, metric: 'cash', known: () => [] })).toBe(
      'No filing by this day states it for this period.',
    )
  })
})

describe('the day', () => {
  test('may have a time of its own field, for forms without script', async () => {
    // The 10-K/A was accepted at 16:27 in New York.
    const revenue = async (query: string) => rowIn((await page(query)).html, 'revenue').get('2009-09-26')
    expect(await revenue('as_of=2010-01-25&time=16:30')).toContain('>42,905</a>')
    expect(await revenue('as_of=2010-01-25&time=16:20')).toContain('>36,537</a>')
    expect(await revenue('as_of=2010-01-25&time=')).toContain('>42,905</a>')
    const alone = await page('time=16:20')
    expect([alone.status, alone.html.includes('Send the day as well')]).toEqual([400, true])
  })

  test('is spelled out, and has links to the filings before and after it', async () => {
    const { html } = await page('as_of=2010-01-25')
    expect(html).toContain('Only what had been filed by 2010-01-25 (25 January 2010)')
    const days = [...html.matchAll(/<option value="([\d-]+)"/g)].map(([, day = '']) => day).sort()
    expect(days).toContain('2010-01-25')
    const at = days.indexOf('2010-01-25')
    const link = (id: string) => new RegExp(`<a id="${id}"[^>]*?href="[^"]*as_of=([\\d-]+)"`).exec(html)?.[1]
    expect([link('previous-filing'), link('next-filing')]).toEqual([days[at - 1], days[at + 1]])
    const today = await page('')
    expect(today.html).toMatch(/<a id="next-filing" class="button" rel="next">/)
  })

  // The 10-Q was accepted at 16:25 in New York and the 10-K/A at 16:27.
  test('with a time never calls a filing the previous one that was still to come', async () => {
    const links = async (as_of: string) => {
      const { html } = await page(`as_of=${encodeURIComponent(as_of)}`)
      return ['previous-filing', 'next-filing'].map(
        id => new RegExp(`<a id="${id}"[^>]*?href="[^"]*as_of=([\\d-]+)"`).exec(html)?.[1],
      )
    }
    const [before, after] = await links('2010-01-25')
    expect(await links('2010-01-25T10:00')).toEqual([before, '2010-01-25'])
    expect(await links('2010-01-25T16:26')).toEqual([before, '2010-01-25'])
    expect(await links('2010-01-25T16:30')).toEqual([before, after])
    // In New York it is still the 24th.
    expect(await links('2010-01-25T02:00Z')).toEqual([before, '2010-01-25'])
    // The report filed on 3 November 2023 was accepted at 18:08 of the day before.
    expect((await links('2023-11-02T18:00'))[1]).toBe('2023-11-03')
    expect((await links('2023-11-02T20:00'))[1]).not.toBe('2023-11-03')
  })
})
