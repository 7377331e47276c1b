import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  exactDecimal,
  isPerShare,
  powerOf,
  shownDecimal,
  unitKind,
} from '../../../src/features/pages/numbers.ts'
import { lengthText } from '../../../src/features/pages/presented/labels.ts'
import { isChanged } from '../../../src/features/statements/otherValues.ts'
import { lengthName } from '../../../src/features/statements/periodLength.ts'
import { roundingOf, withRounding } from '../../../src/wholeFilings/rounding.ts'

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

test('amounts per share are known by their tag, or by their cents', () => {
  // Tags of num.txt in the data set 2009q3, all with the unit USD.
  expect(isPerShare('us-gaap:EarningsPerShareBasic', ['4'])).toBeTrue()
  expect(isPerShare('us-gaap:IncomeLossFromContinuingOperationsPerDilutedShare', ['2.11'])).toBeTrue()
  expect(isPerShare('us-gaap:NetIncomeLossPerOutstandingLimitedPartnershipUnit', ['1'])).toBeTrue()
  expect(isPerShare('custom:DiscontinuedOperationsbasic', ['0.02', '0'])).toBeTrue()
  expect(isPerShare('us-gaap:StockIssuedDuringPeriodValueShareBasedCompensation', ['1446000000'])).toBeFalse()
  expect(isPerShare('us-gaap:NetIncomeLoss', ['1446000000.5', '0.5'])).toBeFalse()
  expect(isPerShare('us-gaap:PreferredStockValue', ['500'])).toBeFalse()
})

test('a period is as long as its days if they are stated, else as its quarters', () => {
  // Apple's quarter to 2025-03-29 (0000320193-25-000057), then quarters of 16 and of 12 weeks.
  expect(lengthText({ start: '2024-12-29', end: '2025-03-29', quarters: 1 })).toBe('3 months to')
  expect(lengthName({ start: '2009-05-11', end: '2009-08-30', quarters: 1 })).toBe('4 months')
  expect(lengthName({ start: '2008-09-01', end: '2008-11-23', quarters: 1 })).toBe('3 months')
  // Fiscal years of 52 and 53 weeks.
  expect(lengthName({ start: '2023-10-01', end: '2024-09-28', quarters: 4 })).toBe('12 months')
  expect(lengthName({ start: '2022-09-25', end: '2023-09-30', quarters: 4 })).toBe('12 months')
  // Data sets count less than half a quarter as none.
  expect(lengthText({ start: '2009-07-01', end: '2009-07-09', quarters: 0 })).toBe('9 days to')
  expect(lengthName({ start: '2009-07-01', end: '2009-07-31', quarters: 0 })).toBe('1 month')
  expect(lengthText({ start: null, end: '2009-07-31', quarters: 0 })).toBe('Balances on')
  expect(lengthText({ start: null, end: '2009-07-31', quarters: 3 })).toBe('9 months to')
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

test('a figure that a later filing only rounds is not restated, though data sets state no accuracy', () => {
  // Southern Company, num.txt of 2009q3 and 2010q1: AccruedVacationCurrent and
  // AccrualForTaxesOtherThanIncomeTaxesCurrent of 2008-12-31.
  const inThousands = roundingOf(['178519000', '396206000', '0'].map(value => ({ value, unit: 'USD' })))
  const inMillions = roundingOf(['179000000', '396000000', '1.25'].map(value => ({ value, unit: 'USD' })))
  expect([inThousands, inMillions, roundingOf([])]).toEqual([3, 6, 0])
  const figure = (value: string, power: number) =>
    withRounding({ value, unit: 'USD', decimals: null as number | null }, power)
  expect(isChanged(figure('179000000', inMillions), figure('178519000', inThousands))).toBeFalse()
  expect(isChanged(figure('180000000', inMillions), figure('178519000', inThousands))).toBeTrue()
  // In a filing in thousands a round amount is as accurate as any other.
  expect(isChanged(figure('179000000', inThousands), figure('178519000', inThousands))).toBeTrue()
  expect(isChanged(figure('1.25', inMillions), figure('1.2', inMillions))).toBeTrue()
  expect(isChanged(figure('0', inMillions), figure('300000', inThousands))).toBeTrue()
})
