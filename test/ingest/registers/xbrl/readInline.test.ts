import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dayNumber } from '../../../../src/dates.ts'
import { plainNumber, plainText, readInline, shiftDecimal } from '../../../../src/ingest/xbrl/inline.ts'

const html = (body: string) => `<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"
  xmlns:x="http://www.xbrl.org/2003/instance" xmlns:f="http://example/tax" xmlns:iso="http://www.xbrl.org/2003/iso4217"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><body>${body}</body></html>`
const header = html(`<ix:header><ix:hidden>
  <ix:nonNumeric name="f:Code" contextRef="y">E1</ix:nonNumeric></ix:hidden><ix:resources>
  <x:context id="y"><x:entity><x:identifier scheme="s">42</x:identifier></x:entity>
  <x:period><x:startDate>2023-04-01</x:startDate><x:endDate>2024-03-31</x:endDate></x:period></x:context>
  <x:unit id="u"><x:measure>iso:JPY</x:measure></x:unit></ix:resources></ix:header>`)
const figure = (attributes: string, shown: string) =>
  `<td>(<ix:nonFraction name="f:Sales" contextRef="y" unitRef="u" ${attributes}>${shown}</ix:nonFraction>)</td>`
const valuesOf = (body: string) =>
  readInline([
    { name: 'header.htm', text: header },
    { name: 'body.htm', text: html(body) },
  ]).facts.slice(1)

describe('an inline report', () => {
  test('is one instance, whichever of its documents states what', () => {
    const { contexts, units, facts } = readInline([
      { name: 'body.htm', text: html(figure('scale="6" format="ixt:numdotdecimal"', '1,234.5')) },
      { name: 'header.htm', text: header },
    ])
    const [start, end] = [dayNumber('2023-04-01'), dayNumber('2024-03-31')]
    expect([...contexts]).toEqual([['y', { entity: '42', start, end, dimensions: new Map() }]])
    expect([...units]).toEqual([['u', 'JPY']])
    const namespace = 'http://example/tax'
    expect(facts).toEqual([
      { namespace, name: 'Sales', context: 'y', unit: 'u', value: '1234500000' },
      { namespace, name: 'Code', context: 'y', unit: null, value: 'E1' },
    ])
  })

  test('says what is shown: scale, sign, nil, marked text, facts in facts, what is excluded', () => {
    const shown = [
      figure('sign="-" format="ixt:numdotdecimal"', '<span>1,2</span><b>34</b>'),
      figure('sign="-" format="ixt:zerodash"', '－'),
      figure('scale="-2"', '38.4'),
      figure('xsi:nil="true"', ''),
      figure('', '7<ix:exclude> (note 3)</ix:exclude>'),
      figure('scale="3"', figure('', '5').slice(5, -6)),
    ].join('')
    expect(valuesOf(shown).map(({ value }) => value)).toEqual(['-1234', '0', '0.384', null, '7', '5', '5000'])
  })

  test('leaves blocks of text and documents for another target out', () => {
    const text = (attributes: string) =>
      `<ix:nonNumeric name="f:Name" contextRef="y" ${attributes}>text</ix:nonNumeric>`
    const body = text('escape="true"') + text('continuedAt="c"') + text('target="t"') + text('')
    expect(valuesOf(body)).toHaveLength(1)
  })

  const refused: [string, string, RegExp][] = [
    [
      'a format that is not known',
      figure('format="ixt:numroman"', 'IV'),
      /body.htm, line 4, column \d+: f:Sales has the format/,
    ],
    [
      'a number that could be two',
      figure('format="ixt:numdotdecimal"', '1.234.567,89'),
      /shows "1.234.567,89"/,
    ],
    ['a number with words', figure('', '△5'), /no number of the format/],
    ['a scale that is none', figure('scale="1.5"', '5'), /has the scale 1.5/],
    ['a scale beyond measure', figure('scale="400"', '5'), /has the scale 400/],
    ['a sign that is none', figure('sign="+"', '5'), /has the sign \+/],
    ['a fraction', '<ix:fraction/>', /ix:fraction is not read/],
    ['no end', '<p>', /body.htm, line \d+, column \d+: unexpected close tag|unclosed tag/],
    ['elements too deep', '<p>'.repeat(300), /deeper than 200/],
  ]
  test.each(refused)('is refused, with document and place, for %s', (_, body, reason) => {
    expect(() => valuesOf(body)).toThrow(reason)
  })

  test('is refused where it is none, or names entities', () => {
    expect(() => readInline([{ name: 'a.htm', text: '<html/>' }])).toThrow('No document of the set')
    expect(() => readInline([{ name: 'a.htm', text: '<!DOCTYPE html><html/>' }])).toThrow(
      'a.htm, line 1, column 15: a DOCTYPE is not read',
    )
  })
})

// Inline XBRL Transformation Registry, versions 2010-04-20 to 4.
test('formats are those of the transformation registry', () => {
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

test('a text without end is no number and no date, and is not searched for one', () => {
  const before = process.cpuUsage()
  expect(plainNumber(`1${','.repeat(300_000)}`, 'ixt:numunitdecimal')).toBeNull()
  const digits = '1'.repeat(300_000)
  expect(plainText(digits, 'ixt:dateyearmonthdaycjk')).toBe(digits)
  // They took two minutes.
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5)
  expect(plainNumber(`1,234${' \n'.repeat(300)}`, 'ixt:numdotdecimal')).toBe('1234')
}, 300_000)

test('a point moves without a digit lost', () => {
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
