import { describe, expect, test } from 'bun:test'
import { dayNumber } from '../../../src/dates.ts'
import { figuresOf, PrefixedNames } from '../../../src/ingest/xbrl/figures.ts'
import { readXbrl } from '../../../src/ingest/xbrl/instance.ts'

const open = `<?xml version="1.0" encoding="UTF-8"?>
<x:xbrl xmlns:x="http://www.xbrl.org/2003/instance" xmlns:d="http://xbrl.org/2006/xbrldi"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:iso="http://www.xbrl.org/2003/iso4217"
  xmlns:f="http://example/tax">`
const close = '</x:xbrl>'
const context = (id: string, period: string, dimensions = '') => `
  <x:context id="${id}"><x:entity><x:identifier scheme="s">42</x:identifier>
  ${dimensions === '' ? '' : `<x:segment>${dimensions}</x:segment>`}</x:entity><x:period>${period}</x:period></x:context>`
const year = '<x:startDate>2023-04-01</x:startDate><x:endDate>2024-03-31</x:endDate>'

describe('an instance', () => {
  test('keeps the text of a typed member that looks like a name', () => {
    const typed = ['{6F9619FF-8B86-D011}', '{http://example/tax}Group', '{}', '7']
    const instance = readXbrl(`${open}
      ${typed.map((text, at) => context(`t${at}`, year, `<d:typedMember dimension="f:Id"><f:id>${text}</f:id></d:typedMember>`)).join('')}
      <x:unit id="u"><x:measure>iso:JPY</x:measure></x:unit>
      ${typed.map((_, at) => `<f:Sales contextRef="t${at}" unitRef="u" decimals="0">${at}</f:Sales>`).join('')}
      ${close}`)
    const names = new PrefixedNames(() => 'f')
    const figures = figuresOf(instance, { spell: name => names.spell(name), fault: () => {} })
    expect(figures.map(({ context: { dimensions } }) => dimensions)).toEqual(
      typed.map(member => [{ axis: 'f:Id', member }]),
    )
    expect([...names.taxonomies]).toEqual([['f', 'http://example/tax']])
  })

  test('gives its contexts, units and facts with any prefixes', () => {
    const { contexts, units, facts } = readXbrl(`${open}
      ${context('y', year)}
      ${context('i', '<x:instant>2024-03-31</x:instant>', '<d:explicitMember dimension="f:Axis"> f:Group </d:explicitMember>')}
      ${context('t', year, '<d:typedMember dimension="f:Id"><f:id>7</f:id></d:typedMember>')}
      <x:unit id="u"><x:measure>iso:JPY</x:measure></x:unit>
      <x:unit id="p"><x:divide><x:unitNumerator><x:measure>iso:JPY</x:measure></x:unitNumerator>
        <x:unitDenominator><x:measure>x:shares</x:measure></x:unitDenominator></x:divide></x:unit>
      <f:Sales contextRef="y" unitRef="u" decimals="0"> 12 </f:Sales>
      <f:Eps contextRef="y" unitRef="p" xsi:nil="true"/>
      <f:Name contextRef="i"><![CDATA[A & B]]></f:Name>
      ${close}`)
    const [start, end] = [dayNumber('2023-04-01'), dayNumber('2024-03-31')]
    expect(contexts.get('y')).toEqual({ entity: '42', start, end, dimensions: new Map() })
    expect(contexts.get('i')).toMatchObject({ start: null, end })
    expect([...(contexts.get('i')?.dimensions ?? [])]).toEqual([
      ['{http://example/tax}Axis', '{http://example/tax}Group'],
    ])
    expect([...(contexts.get('t')?.dimensions ?? [])]).toEqual([['{http://example/tax}Id', '7']])
    expect([...units]).toEqual([
      ['u', 'JPY'],
      ['p', 'JPY/shares'],
    ])
    const namespace = 'http://example/tax'
    expect(facts).toEqual([
      { namespace, name: 'Sales', context: 'y', unit: 'u', value: '12', decimals: '0', line: 17 },
      { namespace, name: 'Eps', context: 'y', unit: 'p', value: null, decimals: null, line: 18 },
      { namespace, name: 'Name', context: 'i', unit: null, value: 'A & B', decimals: null, line: 19 },
    ])
  })
})

test('midnight is the end of the day before, except where a period starts', () => {
  const midnight = year.replaceAll('</', 'T00:00:00</')
  const { contexts } = readXbrl(`${open}${context('y', midnight)}
    ${context('i', '<x:instant>2024-04-01T00:00:00</x:instant>')}${close}`)
  const duration = contexts.get('y')
  expect([duration?.start, duration?.end, contexts.get('i')?.end]).toEqual(
    ['2023-04-01', '2024-03-30', '2024-03-31'].map(day => dayNumber(day)),
  )
})

describe('is refused with the place of the error if', () => {
  const faults: [string, string, RegExp][] = [
    [
      'entities could expand without limit',
      `<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]>${open}${close}`,
      /^line 1, column \d+: a DOCTYPE is not allowed/,
    ],
    [
      'an entity names a file',
      `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${open}&b;${close}`,
      /a DOCTYPE is not allowed/,
    ],
    ['an entity is unknown', `${open}&b;${close}`, /^line 4, column \d+: undefined entity/],
    ['it is truncated', `${open}<f:Sales contextRef="y">1`, /line \d+, column \d+: unclosed tag/],
    ['it is not an instance', '<a/>', /not an XBRL instance/],
    ['it is not XML', '{"a": 1}', /line 1, column/],
    [
      'a period ends before it starts',
      `${open}${context('y', '<x:startDate>2024-01-01</x:startDate><x:endDate>2023-01-01</x:endDate>')}${close}`,
      /context y ends before it starts/,
    ],
    ['it is nested too deeply', `${open}${'<f:a>'.repeat(300)}`, /deeper than 200/],
  ]
  test.each(faults)('%s', (_, text, reason) => {
    expect(() => readXbrl(text)).toThrow(reason)
  })
})

test('reads many prefixes with many elements in time linear in the length', () => {
  const count = 40_000
  const prefixes = Array.from({ length: count }, (_, at) => `xmlns:p${at}="urn:${at}"`).join(' ')
  const children = '<child xmlns:own="urn:own"/>'.repeat(count)
  const before = process.cpuUsage()
  const { facts } = readXbrl(`<xbrl xmlns="http://www.xbrl.org/2003/instance" ${prefixes}>${children}</xbrl>`)
  expect(facts).toEqual([])
  // Measured: half a second. Copying the prefixes for each element took more than a minute.
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(15)
}, 120_000)
