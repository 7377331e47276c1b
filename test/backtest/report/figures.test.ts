import { expect, test } from 'bun:test'
import {
  basisPoints,
  chance,
  count,
  counted,
  dash,
  gain,
  percent,
  ratio,
} from '../../../src/backtest/report/figures.ts'

test('a value that does not exist is a dash in every unit, never 0', () => {
  for (const write of [basisPoints, chance, count, gain, percent, ratio]) {
    for (const missing of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY])
      expect(write(missing)).toBe(dash)
  }
})

test('units, signs and groups are those people expect', () => {
  expect(percent(0.15934)).toBe('15.9%')
  expect(gain(0.1234, 2)).toBe('+12.34%')
  expect(gain(-0.0303, 2)).toBe('−3.03%')
  expect(ratio(-0.5172)).toBe('−0.52')
  expect(basisPoints(5.2)).toBe('5.2 bps')
  expect(basisPoints(20)).toBe('20 bps')
  expect(count(104_998)).toBe('104,998')
  expect([counted(1, 'period'), counted(1250, 'period')]).toEqual(['1 period', '1,250 periods'])
})

test('what rounds to nothing has no sign, and what is vast is short', () => {
  expect(gain(-0.000001)).toBe('0.0%')
  expect(gain(0)).toBe('0.0%')
  expect(ratio(-0.0001)).toBe('0.00')
  expect(gain(1e12)).toBe('1.00e+14%')
})

test('a chance is never written as impossible or certain', () => {
  expect(chance(0)).toBe('less than 0.1%')
  expect(chance(1)).toBe('more than 99.9%')
  expect(chance(0.0996)).toBe('10.0%')
})
