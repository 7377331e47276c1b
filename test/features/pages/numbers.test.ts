import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  exactDecimal,
  powerOf,
  shownDecimal,
  unitKind,
} from '../../../src/features/pages/presented/numbers.ts'
import { isChanged } from '../../../src/features/statements/otherValues.ts'

test('figures are shown as statements write them', () => {
  // Apple's quarter to 2025-03-29, 0000320193-25-000057: R2 and R7.
  expect(shownDecimal('95359000000', 'money', 6)).toBe('95,359')
  expect(shownDecimal('-7614000000', 'money', 6)).toBe('(7,614)')
  expect(shownDecimal('15056133000', 'shares', 3)).toBe('15,056,133')
  expect(shownDecimal('1.65', 'other', 0)).toBe('1.65')
  expect(shownDecimal('1.6', 'other', 0)).toBe('1.60')
  expect(shownDecimal('0', 'money', 6)).toBe('0')
  expect(shownDecimal('-5', 'money', 3)).toBe('(0.005)')
})

test('no figure is rounded, whatever its scale', () => {
  const decimal = fc
    .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: 0, max: 8 }))
    .map(([digits, places]) => {
      const text = String(digits < 0n ? -digits : digits).padStart(places + 1, '0')
      const fraction = text.slice(text.length - places).replace(/0+$/, '')
      const whole = text.slice(0, text.length - places)
      const plain = places === 0 || fraction === '' ? whole : `${whole}.${fraction}`
      return digits < 0n && plain !== '0' ? `-${plain}` : plain
    })
  fc.assert(
    fc.property(decimal, fc.constantFrom(0, 3, 6), (plain, power) => {
      const text = shownDecimal(plain, 'money', power as 0 | 3 | 6)
      const [, whole = '', fraction = ''] = /^\(?([\d,]+)(?:\.(\d+))?\)?$/.exec(text) ?? []
      // Both as integers of 10^-20 of the unit.
      const scaled = BigInt(whole.replaceAll(',', '') + fraction.padEnd(20 + power, '0').slice(0, 20 + power))
      const [, sign = '', ours = '', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plain) ?? []
      expect([text.startsWith('('), scaled]).toEqual([sign === '-', BigInt(ours + decimals.padEnd(20, '0'))])
      expect(exactDecimal(plain).replaceAll(',', '')).toBe(plain)
    }),
  )
})

test('the scale is the largest in which nearly all figures are whole', () => {
  expect(powerOf(['95359000000', '0', '-279000000'])).toBe(6)
  expect(powerOf(['1670269000', '33000000'])).toBe(3)
  expect(powerOf(['1670269001', '33000000'])).toBe(0)
  expect(powerOf([...Array(19).fill('1000000'), '1234567'])).toBe(6)
  expect(powerOf([])).toBe(0)
  expect(powerOf(['0.5'])).toBe(0)
})

test('units are money, shares or neither', () => {
  expect(['USD', 'iso4217:EUR', 'shares', 'USD/shares', 'pure'].map(unitKind)).toEqual([
    'money',
    'money',
    'shares',
    'other',
    'other',
  ])
})

test('a value is changed if it differs by more than the less accurate filing rounds', () => {
  const changed = (a: [string | null, number | null], b: [string | null, number | null]) =>
    isChanged({ value: a[0], decimals: a[1] }, { value: b[0], decimals: b[1] })
  // Apple's total assets of 2008-09-27: 0001193125-09-153165 and, with other rules, 0001193125-10-012091.
  expect(changed(['36171000000', null], ['39572000000', null])).toBeTrue()
  expect(changed(['36171000000', -6], ['36170999999', Number.POSITIVE_INFINITY])).toBeFalse()
  expect(changed(['36171000000', -6], ['36170400000', 0])).toBeTrue()
  expect(changed(['36171000000', -6], ['36172000000', -6])).toBeTrue()
  expect(changed([null, null], ['1', null])).toBeFalse()
})
