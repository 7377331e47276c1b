import { describe, expect, test } from 'bun:test'
import { dayNumber } from '../../../src/dates.ts'
import { readInline } from '../../../src/ingest/xbrl/inline.ts'

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
  test('is read as one instance, whatever document contains which part', () => {
    const { contexts, units, facts } = readInline([
      { name: 'body.htm', text: html(figure('scale="6" format="ixt:numdotdecimal"', '1,234.5')) },
      { name: 'header.htm', text: header },
    ])
    const [start, end] = [dayNumber('2023-04-01'), dayNumber('2024-03-31')]
    expect([...contexts]).toEqual([['y', { entity: '42', start, end, dimensions: new Map() }]])
    expect([...units]).toEqual([['u', 'JPY']])
    const namespace = 'http://example/tax'
    expect(facts).toEqual([
      { namespace, name: 'Sales', context: 'y', unit: 'u', value: '1234500000', decimals: null, line: 4 },
      { namespace, name: 'Code', context: 'y', unit: null, value: 'E1', decimals: null, line: 5 },
    ])
  })

  test('applies scale and sign, and handles nil, markup, nested facts and excluded text', () => {
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

  test('skips text blocks and facts of another target', () => {
    const text = (attributes: string) =>
      `<ix:nonNumeric name="f:Name" contextRef="y" ${attributes}>text</ix:nonNumeric>`
    const body = text('escape="true"') + text('continuedAt="c"') + text('target="t"') + text('')
    expect(valuesOf(body)).toHaveLength(1)
  })

  const refused: [string, string, RegExp][] = [
    [
      'an unknown format',
      figure('format="ixt:numroman"', 'IV'),
      /body.htm, line 4, column \d+: f:Sales has the unknown format/,
    ],
    [
      'a number with two readings',
      figure('format="ixt:numdotdecimal"', '1.234.567,89'),
      /shows "1.234.567,89"/,
    ],
    ['a number with words', figure('', '△5'), /not a number of the format/],
    ['a scale that is not an integer', figure('scale="1.5"', '5'), /has the scale 1.5/],
    ['a scale that is too large', figure('scale="400"', '5'), /has the scale 400/],
    ['an invalid sign', figure('sign="+"', '5'), /has the sign \+/],
    ['a fraction', '<ix:fraction/>', /ix:fraction is not supported/],
    ['a missing end tag', '<p>', /body.htm, line \d+, column \d+: unexpected close tag|unclosed tag/],
    ['too deeply nested elements', '<p>'.repeat(300), /deeper than 200/],
  ]
  test.each(refused)('is refused with document and place: %s', (_, body, reason) => {
    expect(() => valuesOf(body)).toThrow(reason)
  })

  test('is refused if it is not inline XBRL, or has a DOCTYPE', () => {
    expect(() => readInline([{ name: 'a.htm', text: '<html/>' }])).toThrow(
      'None of the documents is inline XBRL',
    )
    expect(() => readInline([{ name: 'a.htm', text: '<!DOCTYPE html><html/>' }])).toThrow(
      'a.htm, line 1, column 15: a DOCTYPE is not allowed',
    )
  })
})
