import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { plainNumber, plainText, shiftDecimal } from '../../../src/ingest/xbrl/transformations.ts'

// Inline XBRL Transformation Registry, versions 2010-04-20 to 4.
test('converts the formats of the transformation registry', () => {
  const cases: [string, string, string | null | undefined][] = [
    ['1,234,567.89', 'ixt:numdotdecimal', '1234567.89'],
    ['1,234,567.89', 'ixt4:num-dot-decimal', '1234567.89'],
    ['1.234.567,89', 'ixt:numcommadecimal', '1234567.89'],
    ['1 234 567,89', 'ixt:numspacecomma', '1234567.89'],
    ['1,234円50銭', 'ixt:numunitdecimal', '1234.50'],
    ['1,234円5銭', 'ixt:numunitdecimal', '1234.05'],
    ['-', 'ixt:zerodash', '0'],
    ['―', 'ixt:numdash', '0'],
    ['none', 'ixt:fixedzero', '0'],
    // EDGAR's own transformations: numbers in words.
    ['no', 'ixt-sec:numwordsen', '0'],
    ['None', 'ixt-sec:numwordsen', '0'],
    ['one hundred and twenty-five thousand', 'ixt-sec:numwordsen', '125000'],
    ['Two million, three hundred four', 'ixt-sec:numwordsen', '2000304'],
    ['hundreds', 'ixt-sec:numwordsen', null],
    ['1,234', '', null],
    ['x', 'ixt:zerodash', null],
    ['1', 'ixt:unheardof', undefined],
  ]
  for (const [text, format, value] of cases) expect([text, plainNumber(text, format)]).toEqual([text, value])
  expect(plainText('2025年6月18日', 'ixt:dateyearmonthdaycjk')).toBe('2025-06-18')
  expect(plainText('令和７年６月１８日', 'ixt:dateerayearmonthdayjp')).toBe('2025-06-18')
  expect(plainText('平成元年12月1日', 'ixt:dateerayearmonthdayjp')).toBe('1989-12-01')
  expect(plainText('whatever', 'ixt:booleantrue')).toBe('true')
  expect(plainText('as it stands', '')).toBe('as it stands')
})

test('a very long text is neither number nor date, and takes no time', () => {
  const before = process.cpuUsage()
  expect(plainNumber(`1${','.repeat(300_000)}`, 'ixt:numunitdecimal')).toBeNull()
  const digits = '1'.repeat(300_000)
  expect(plainText(digits, 'ixt:dateyearmonthdaycjk')).toBe(digits)
  // Without a limit they took two minutes.
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5)
  expect(plainNumber(`1,234${' \n'.repeat(300)}`, 'ixt:numdotdecimal')).toBe('1234')
}, 300_000)

test('moves the decimal point without losing a digit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.nat(30), fc.nat(30), (digits, up, down) => {
      expect(BigInt(shiftDecimal(String(digits), up))).toBe(digits * 10n ** BigInt(up))
      expect(BigInt(shiftDecimal(shiftDecimal(String(digits), -down), down).replace(/\.0+$/, ''))).toBe(
        digits,
      )
    }),
  )
  expect(shiftDecimal('9007199254740993', 6)).toBe('9007199254740993000000')
  expect(shiftDecimal('0.1', 1)).toBe('1')
  expect(shiftDecimal('1.005', 2)).toBe('100.5')
  expect(shiftDecimal('.5', 0)).toBe('0.5')
  expect(shiftDecimal('5', -3)).toBe('0.005')
  expect(shiftDecimal('31.0', -2)).toBe('0.310')
  expect(shiftDecimal('0', 6)).toBe('0')
})
