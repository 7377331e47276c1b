import { describe, expect, test } from 'bun:test'
import { resultPage } from '../../../../src/backtest/report/tearSheet/page.ts'
import { publicPage } from '../../../../src/backtest/report/tearSheet/publicPage.ts'
import { madeResult } from '../fixtures.ts'

const net = Array.from({ length: 300 }, (_, i) => Math.sin(i * 12.9898) * 0.03 + 0.001)
const result = madeResult(net, {
  positions: [
    { asset: 'SECRETA', market: 'US', weight: 0.05 },
    { asset: 'SECRETB', market: 'US', weight: -0.05 },
  ],
  benchmark: 'series',
  request: {
    panel: '5d0a3a44-6f0b-4a55-9d7e-2f1c80c1a9d3',
    benchmark: { date: ['2024-01-01'], return: [0.0123456789] },
  },
})
const open = { since: '2026-07-01 10:00', until: '2026-07-31 10:00' }
const page = publicPage(result, open)

describe('the public page of a result', () => {
  test('says since when it is public and until when, and asks not to be indexed', () => {
    expect(page).toContain('made this report public on 2026-07-01 10:00 UTC')
    expect(page).toContain('works until 2026-07-31 10:00 UTC')
    expect(page).toContain('<meta name="robots" content="noindex, nofollow">')
    expect(resultPage(result)).not.toContain('robots')
  })

  test('has neither the names that were held, nor the request, nor how to send it', () => {
    const own = resultPage(result)
    for (const text of ['SECRETA', 'SECRETB', 'YOUR BENCHMARK', 'YOUR ROWS', 'Run it again'])
      expect([text, own.includes(text), page.includes(text)]).toEqual([text, true, false])
    for (const text of ['5d0a3a44', '0123456789', 'Your rows', '#again'])
      expect([text, page.includes(text)]).toEqual([text, false])
  })

  test('has all other sections of the page of its owner', () => {
    const ids = (text: string) => [...text.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id)
    const own = ids(resultPage(result))
    expect(own.length).toBeGreaterThan(5)
    // Without performance figures the legs are the names that were held.
    expect(ids(page)).toEqual(own.filter(id => id !== 'again' && id !== 'legs'))
  })
})
