import { expect, test } from 'bun:test'
import {
  basisPoints,
  count,
  dash,
  duration,
  percent,
  plural,
  probability,
  pValue,
  ratio,
  signedPercent,
} from '../../../src/backtest/report/numberFormat.ts'

test('a value that does not exist is a dash in every unit, never 0', () => {
  for (const format of [basisPoints, count, percent, probability, ratio, signedPercent]) {
    for (const missing of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY])
      expect(format(missing)).toBe(dash)
  }
})

test('numbers carry units, signs and thousands separators', () => {
  expect(percent(0.15934)).toBe('15.9%')
  expect(signedPercent(0.1234, 2)).toBe('+12.34%')
  expect(signedPercent(-0.0303, 2)).toBe('−3.03%')
  expect(ratio(-0.5172)).toBe('−0.52')
  expect(basisPoints(5.2)).toBe('5.2 bps')
  expect(basisPoints(20)).toBe('20 bps')
  expect(count(104_998)).toBe('104,998')
  expect([plural(1, 'period'), plural(1250, 'period')]).toEqual(['1 period', '1,250 periods'])
})

test('what rounds to 0 has no sign, and a huge value is short', () => {
  expect(signedPercent(-0.000001)).toBe('0.0%')
  expect(signedPercent(0)).toBe('0.0%')
  expect(ratio(-0.0001)).toBe('0.00')
  expect(signedPercent(1e12)).toBe('1.00e+14%')
})

test('a probability is never rounded to impossible or certain', () => {
  expect(probability(0)).toBe('less than 0.1%')
  expect(probability(1)).toBe('more than 99.9%')
  expect(probability(0.0996)).toBe('10.0%')
})

test('a p value that no resample reached is below one resample, not 0', () => {
  expect(pValue(0, 1_000)).toBe('< 1/1,000')
  expect(pValue(0, 150)).toBe('< 1/150')
  expect(pValue(0.031, 1_000)).toBe('3.1%')
  expect(pValue(0.0004, 10_000)).toBe('0.00040')
  expect(pValue(null, 1_000)).toBe(dash)
})

test('a record of less than a year is measured in months or days, never in 0.0 years', () => {
  expect(duration(252, 252)).toBe('1.0 years')
  expect(duration(640, 252)).toBe('2.5 years')
  expect(duration(126, 252)).toBe('6 months')
  expect(duration(3, 12)).toBe('3 months')
  expect(duration(5, 252)).toBe('7 days')
  expect(duration(1, 252)).toBe('1 day')
})
