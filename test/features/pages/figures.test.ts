import { expect, test } from 'bun:test'
import {
  changeInPercent,
  exactFigure,
  formOf,
  scaleOf,
  shownChange,
  shownFigure,
} from '../../../src/features/pages/figures.ts'

const millions = scaleOf([36_537e6])

test('amounts stand in millions with thousands separated, of less than ten millions with a digit more', () => {
  expect(millions.name).toBe('millions')
  const shown = [36_537e6, -4_834e6, 3_400_000, 49_999, -20_000, 0, 9_960_000].map(value =>
    shownFigure(value, 'amount', millions),
  )
  expect(shown).toEqual(['36,537', '-4,834', '3.4', '0.0', '0.0', '0', '10'])
})

test('a small company stands in thousands or as it is', () => {
  // SELARL UCI VISTA, deposit 1048 of 2017-02-18: assets of EUR 4,102,554.
  expect(shownFigure(4_102_554, 'amount', scaleOf([4_102_554, -3]))).toBe('4,103')
  expect(shownFigure(41_025, 'amount', scaleOf([41_025]))).toBe('41,025')
  expect(scaleOf([]).name).toBe('millions')
})

test('margins are read in percent, other ratios and figures per share with two digits', () => {
  expect(shownFigure(5_704 / 36_537, formOf('net_margin', 'pure'), millions)).toBe('15.6%')
  expect(shownFigure(1.0412, formOf('current_ratio', 'pure'), millions)).toBe('1.04')
  expect(shownFigure(-0.001, formOf('eps', 'USD/shares'), millions)).toBe('0.00')
  expect(shownFigure(899_805_500, formOf('shares_outstanding', 'shares'), millions)).toBe('900')
})

test('the exact value has every digit, and a change of sign has no percent', () => {
  expect(exactFigure(42_905_000_000)).toBe('42,905,000,000')
  expect([exactFigure(0.1), exactFigure(1.29), exactFigure(-6.78)]).toEqual(['0.1', '1.29', '-6.78'])
  expect(shownChange(changeInPercent(36_537e6, 42_905e6))).toBe('+17.4%')
  expect(shownChange(changeInPercent(-2, -1))).toBe('+50.0%')
  expect([changeInPercent(0, 5), changeInPercent(-1, 1)]).toEqual([null, null])
})
