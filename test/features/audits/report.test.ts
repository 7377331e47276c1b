import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { auditStates } from '../../../src/backtest/audit/states.ts'
import { reportPage } from '../../../src/features/audits/report.ts'
import { reportPolicy } from '../../../src/features/audits/reportStyle.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { appleAudit, counts, lags, madeAudit, madeColumn, madePremium, worstCell } from './madeAudit.ts'

const withoutStyle = (page: string) => page.replace(/<style>[\s\S]*?<\/style>/, '')
const titleOf = (page: string) => /<h1>(.*?)<\/h1>/.exec(page)?.[1]
/** The text that a reader sees, in one line. */
const textOf = (page: string) =>
  withoutStyle(page)
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

describe('the report of Apple’s revenue of 2009', () => {
  const page = reportPage(appleAudit())
  const text = textOf(page)

  test('says in its first sentence how many cells could not have been known', () => {
    expect(titleOf(page)).toBe('2 of 4 cells could not have been known on their date')
    expect(text).toContain('1 shows a figure that was first filed later.')
    expect(text).toContain('1 shows a later restatement of a period that was already known.')
    expect(text).toContain('1 shows a figure that was known, but was no longer the latest.')
    expect(text).toContain('1 shows what was known then.')
  })

  test('links the worst cells to their filings', () => {
    expect(page).toContain(
      '<a href="https://www.sec.gov/Archives/edgar/data/320193/000119312510012091/0001193125-10-012091-index.htm" target="_blank" rel="noopener noreferrer">0001193125-10-012091</a>',
    )
    expect(text).toContain(
      '3 2009-10-28 AAPL revenue 42,905 36,537 Restated 89 2009-09-26 2010-01-25 0001193125-10-012091',
    )
    expect(text).toContain('1 2009-09-26 AAPL revenue 36,537 nothing Early 31 2009-09-26 2009-10-27')
  })

  test('draws the lags, and says the same in words', () => {
    expect(page).toContain('1 cell at 31–60 days, 1 cell at 61–90 days.')
    expect(page.match(/<svg class="chart bars (wide|narrow)"/g)).toHaveLength(2)
  })

  test('says how the column was read, and names the source of the figures', () => {
    expect(text).toContain('revenue: fiscal years, in millions of USD the request 100.0%')
    expect(text).toContain('U.S. Securities and Exchange Commission')
  })

  test('has the shares of a bar in proportion', () => {
    const [bar] = /<svg class="stack large"[\s\S]*?<\/svg>/.exec(page) ?? ['']
    const widths = [...bar.matchAll(/class="s-(\w+)" x="([\d.]+)" width="([\d.]+)"/g)].map(match =>
      match.slice(1),
    )
    expect(widths).toEqual([
      ['known', '0', '250'],
      ['stale', '250', '250'],
      ['restated', '500', '250'],
      ['early', '750', '250'],
    ])
  })
})

describe('what others wrote is text', () => {
  const hostile = `"><script>alert(1)</script><b title='x'>&amp;`
  const page = withoutStyle(
    reportPage(
      madeAudit({
        columns: [
          madeColumn(hostile, {
            counts: counts({ early: 1 }),
            lags: lags({ 31: { early: 1 } }),
            reasons: { scale: 2 },
            reading: {
              ...madeColumn('').reading,
              units: [hostile],
              converted_from: [hostile],
              matched_share: 0.1,
            },
          }),
        ],
        ignored: [hostile],
        unknown: [hostile, '\u0000\ud800'],
        unknown_count: 2,
        worst: [
          worstCell({ ticker: hostile, column: hostile, date: hostile, filing: hostile, url: hostile }),
        ],
        premium: [
          { column: hostile, result: null, reason: hostile },
          {
            column: hostile,
            result: madePremium({ notes: [{ code: 'few_periods', message: hostile }] }),
            reason: null,
          },
        ],
        licence: hostile,
        attribution: [hostile],
      }),
    ),
  )

  test('in every section', () => {
    expect(page).not.toContain('<script')
    expect(page).not.toContain("<b title='x'>")
    // Name of the column in eight tables and texts, and everything else once.
    expect(page.split('&lt;script&gt;').length).toBeGreaterThan(15)
    expect([page.isWellFormed(), page.includes('\u0000')]).toEqual([true, false])
  })
})

describe('an audit without findings', () => {
  test('without rows or without values has no empty tables', () => {
    for (const head of [
      madeAudit(),
      madeAudit({ columns: [madeColumn('a', { counts: counts({ empty: 3 }) })] }),
    ]) {
      const page = reportPage(head)
      expect(titleOf(page)).toBe('There is no value to audit')
      expect(page).not.toContain('NaN')
      expect(page).not.toContain('class="stack')
    }
  })

  test('in which everything was known says so', () => {
    const page = reportPage(madeAudit({ columns: [madeColumn('sales')] }))
    expect(titleOf(page)).toBe('No cell shows a figure that was filed later')
    expect(page).not.toContain('id="worst"')
    expect(page).not.toContain('id="lags"')
    expect(page).not.toContain('id="premium"')
    expect(page).not.toContain('id="left-out"')
  })

  test('of which nothing could be judged does not claim that nothing looks ahead', () => {
    const page = reportPage(
      madeAudit({ columns: [madeColumn('x', { counts: counts({ no_match: 3, not_covered: 2 }) })] }),
    )
    expect(titleOf(page)).toBe('None of 5 cells could be judged')
  })

  test('counts announced cells apart', () => {
    const page = reportPage(
      madeAudit({ columns: [madeColumn('x', { counts: counts({ announced: 2, known: 1 }) })] }),
    )
    expect(titleOf(page)).toBe('No cell shows a figure that was filed later')
    expect(textOf(page)).toContain('2 show figures that earnings releases had announced')
  })
})

test('a single cell among millions is visible, and the bar is full', () => {
  const page = reportPage(
    madeAudit({ columns: [madeColumn('x', { counts: counts({ known: 3_000_000, early: 1 }) })] }),
  )
  const [bar] = /<svg class="stack large"[\s\S]*?<\/svg>/.exec(page) ?? ['']
  const widths = nonEmpty([...bar.matchAll(/width="([\d.]+)"/g)].map(([, width]) => Number(width)))
  expect(widths[1]).toBeGreaterThan(5)
  expect(widths[0] + widths[1]).toBeCloseTo(1_000, 0)
})

describe('the premium of a column', () => {
  const text = (premium: Parameters<typeof madeAudit>[0]) =>
    textOf(reportPage(madeAudit({ columns: [madeColumn('sales')], ...premium })))

  test('is a sentence with its interval, and a table of the three backtests', () => {
    const shown = text({ premium: [{ column: 'sales', result: madePremium(), reason: null }] })
    expect(shown).toContain(
      'Look-ahead earned 0.62 of annual Sharpe ratio. The 95% interval of the difference, 0.31 to 0.95, does not contain 0.',
    )
    expect(shown).toContain(
      '0.18 of annual Sharpe ratio. The 95% interval of the difference, −0.05 to 0.40, contains 0',
    )
    expect(shown).toContain('As sent 1.31')
    expect(shown).toContain('As known 0.69')
    expect(shown).toContain('As known or announced 1.13')
  })

  test('says why there is none', () => {
    const none = text({ premium: [{ column: 'sales', result: null, reason: 'All values are alike.' }] })
    expect(none).toContain('No premium: All values are alike.')
    const undefinedRatio = madePremium({ premium: null, premium_without_announced: null, first_date: null })
    const unknown = text({ premium: [{ column: 'sales', result: undefinedRatio, reason: null }] })
    expect(unknown).toContain('earned an unknown amount')
    expect(unknown).toContain('There is no period in which all three hold names.')
  })

  test('without bounds does not pretend to have any', () => {
    const base = madePremium()
    if (base.premium === null) throw new Error('the fixture has a premium')
    const unbounded = { ...base, premium: { ...base.premium, sharpe: -0.2, low: null, high: null } }
    expect(text({ premium: [{ column: 'sales', result: unbounded, reason: null }] })).toContain(
      'Look-ahead cost 0.20 of annual Sharpe ratio. The records do not say how far chance reaches.',
    )
  })
})

test('a reading that hardly matches is called doubtful before anything else', () => {
  const { reading } = madeColumn('')
  const page = reportPage(
    madeAudit({ columns: [madeColumn('x', { reading: { ...reading, matched_share: 0.1 } })] }),
  )
  expect(page.indexOf('Read this first')).toBeLessThan(page.indexOf('<nav'))
  expect(textOf(page)).toContain('Only 10.0% of the sampled cells of x equal a figure of revenue.')
})

test('the policy allows the style by its hash, and nothing else', () => {
  const page = reportPage(appleAudit())
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? ''
  expect(reportPolicy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`)
  expect(withoutStyle(page)).not.toMatch(/\sstyle=|<script|<link|<img|src=/)
})

test('every state has a colour of its own', () => {
  const page = reportPage(appleAudit())
  for (const state of nonEmpty(auditStates)) expect(page).toContain(`.s-${state} {`)
})
