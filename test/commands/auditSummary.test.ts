import { expect, test } from 'bun:test'
import { auditSummary } from '../../src/commands/auditSummary.ts'
import { counts, madeAudit, madeColumn, madePremium, worstCell } from '../features/audits/madeAudit.ts'

/** The report of an audit in a terminal. */

const columns = [
  madeColumn('sales', { counts: counts({ known: 1200, early: 30, no_match: 4 }), reasons: { sign: 3 } }),
  madeColumn('x', {
    counts: counts({ known: 1234 }),
    reading: {
      ...madeColumn('x').reading,
      recognised: 'values',
      fp: 'TTM',
      scale: 0.001,
      sign: -1,
      splits: 'adjusted',
      converted_from: ['EUR'],
      next_best: null,
    },
  }),
]

test('counts only states that cells have, says how each column was read, and what cells were misread', () => {
  const text = auditSummary(madeAudit({ columns }), 'panel.csv', 300)
  const lines = text.split('\n')
  expect(lines).toContain('COLUMN  KNOWN  EARLY  NO MATCH')
  expect(lines).toContain('all     2,434     30         4')
  const said = text.replaceAll(/\n +/g, ' ')
  expect(said).toContain(
    '- sales is read as revenue (from its name): fiscal years, in millions, USD. 98.0% of sampled cells match (next best: trailing twelve months, in millions: 31.0%). Cells that would match if read otherwise: 3 sign.',
  )
  expect(said).toContain(
    '- x is read as revenue (from its values): trailing twelve months, in units of 0.001, with the opposite sign, adjusted for splits, USD.',
  )
  expect(said).toContain('It seems to be converted from EUR')
  expect(text).toContain('No cell looks ahead.')
})

test('shows at most ten of the worst cells, and names columns and tickers that it does not know', () => {
  const worst = Array.from({ length: 30 }, (_, at) => worstCell({ row: at + 1, days: 90 - at }))
  const unknown = Array.from({ length: 40 }, (_, at) => `NOPE${at}`)
  const text = auditSummary(
    madeAudit({ columns, worst, unknown, unknown_count: 41, ignored: ['q'] }),
    'p',
    80,
  )
  const said = text.replaceAll(/\n +/g, ' ')
  expect(text).toContain('The 10 cells that look ahead the furthest:')
  expect(text.match(/0001193125-09-214859/g)).toHaveLength(10)
  expect(said).toContain('NOPE9, and 31 more.')
  expect(said).toContain('what they are: q.')
})

test('shows the premium with its interval, with and without announced values, or why there is none', () => {
  const premium = [
    { column: 'sales', result: madePremium(), reason: null },
    { column: 'x', result: null, reason: 'There are too few names.' },
  ]
  const said = auditSummary(madeAudit({ columns, premium }), 'p', 100).replaceAll(/\n +/g, ' ')
  expect(said).toContain(
    'Look-ahead premium of sales: 0.62 (95% interval 0.31 to 0.95); the Sharpe ratio is 1.31 on the values as sent and 0.69 as known, over 240 periods. Without announced values: 0.18 (95% interval -0.05 to 0.40).',
  )
  expect(said).toContain('Look-ahead premium of x: not computed. There are too few names.')
})
