import { describe, expect, test } from 'bun:test'
import { createReader } from '../../../../src/ingest/registers/be/readDocument.ts'
import { accounts, instance, json, microReference, reference } from './documents.ts'

const read = (name: string, content: string | Uint8Array) =>
  createReader()({ name, bytes: typeof content === 'string' ? Buffer.from(content) : content })

describe('is refused, with the place, where', () => {
  const faults: [string, string, string, RegExp][] = [
    [
      'JSON is cut off',
      'a.json',
      '[{"ReferenceNumber": "2017',
      /^line 1, column 22 \(byte 21\): the string has no closing/,
    ],
    [
      'a key is there twice',
      'a.json',
      '[{"ReferenceNumber": "2017-00000001",\n "DepositDate": "2017-06-28", "DepositDate": "2017-06-01"}]',
      /^line 2, column 31 \(byte 68\): the key "DepositDate" appears twice/,
    ],
    ['JSON is of another kind', 'a.json', '{"a": 1}', /neither a list of references/],
    [
      'a list mixes both kinds',
      'a.json',
      '[{"Rubrics": []}, {"DepositDate": ""}]',
      /neither a list of references/,
    ],
    [
      'XBRL is cut off',
      '2017-00000001.xbrl',
      '<xbrl xmlns="http://www.xbrl.org/2003/instance"><context',
      /^line 1, column \d+/,
    ],
    [
      'entities could be a bomb',
      '2017-00000001.xbrl',
      '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><xbrl/>',
      /^line 1, column \d+: a DOCTYPE is not allowed/,
    ],
    [
      'an entity names a file',
      '2017-00000001.xml',
      '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><xbrl>&a;</xbrl>',
      /^line 1, column \d+: a DOCTYPE is not allowed/,
    ],
    ['a table is of another kind', 'a.csv', 'a,b\n1,2\n', /^line 1: the table has no column/],
    [
      'a quote is never closed',
      'a.csv',
      'enterprisenumber,denomination\n0410682657,"X',
      /Quote Not Closed: .* at line 2/,
    ],
  ]
  test.each(faults)('%s', (_, name, text, reason) => {
    expect(() => read(name, text)).toThrow(reason)
  })

  test('its encoding is not UTF-8', () => {
    const latin = Buffer.from(JSON.stringify([reference({ EnterpriseName: 'Société' })]), 'latin1')
    expect(() => read('a.json', latin)).toThrow('The document is not UTF-8.')
  })
})

describe('a reference is left out and counted where', () => {
  const cases: [string, object, string][] = [
    ['its number is malformed', { ReferenceNumber: '17-1' }, 'a reference without its number'],
    [
      'it names no enterprise',
      { EnterpriseNumber: '0410682658' },
      'a reference without an enterprise number in it or in its file name',
    ],
    ['it does not state its deposit date', { DepositDate: null }, 'a reference without a deposit date'],
    [
      'its year ends before it begins',
      { ExerciseDates: { startDate: '2017-01-01', endDate: '2016-12-31' } },
      'a reference without the first and last day of its fiscal year',
    ],
    [
      'its year has no days',
      { ExerciseDates: null },
      'a reference without the first and last day of its fiscal year',
    ],
    [
      'it was deposited before its year ended',
      { DepositDate: '2016-06-30' },
      'a reference deposited before its fiscal year ended',
    ],
    ['its currency is malformed', { Currency: 'euro' }, 'a reference without a model or a currency'],
    [
      'the register edited the data later',
      { DataVersion: 'Improved' },
      'a reference to data that the register edited later',
    ],
  ]
  test.each(cases)('%s', (_, change, reason) => {
    const { parsed, leftOut } = createReader()(json('r.json', [reference(change)]))
    expect([parsed, leftOut]).toEqual([[], { [reason]: 1 }])
  })
})

describe('accounts are left out and counted where', () => {
  const leftOut = async (change: object, number = '2023-00000002') => {
    const read = createReader()
    read(json('r.json', [{ ...microReference, ...change }]))
    const content = read(await instance('micro-0925590628-2022.xbrl', number))
    return [content.parsed, content.leftOut]
  }
  const cases: [string, object, string][] = [
    [
      'they are of another enterprise',
      { EnterpriseNumber: '0410682657' },
      'accounts whose enterprise differs from that of their reference',
    ],
    [
      'they are of another year',
      { ExerciseDates: { startDate: '2021-01-01', endDate: '2021-12-31' } },
      'accounts whose year differs from that of their reference',
    ],
    [
      'they are in another currency',
      { Currency: 'USD' },
      'accounts whose currency differs from that of their reference',
    ],
    [
      'their model is a bank’s',
      { ModelType: 'm20-f' },
      'accounts in a model for neither companies nor associations',
    ],
  ]
  test.each(cases)('%s', async (_, change, reason) => {
    expect(await leftOut(change)).toEqual([[], { [reason]: 1 }])
  })

  test('two enterprises claim their reference', () => {
    const read = createReader()
    read(json('a.json', [reference()]))
    read(json('b.json', [reference({ EnterpriseNumber: '0925590628' })]))
    read(json('c.json', [reference()]))
    expect(read(json('d.json', accounts([['20/58', 'N', '1']]))).parsed).toEqual([])
  })

  test('JSON has no valid reference number', () => {
    const nameless = read('accounts.json', JSON.stringify(accounts([['20/58', 'N', '1']], 'x')))
    expect(nameless.leftOut).toEqual({ 'accounts without a reference number': 1 })
  })
})

describe('values', () => {
  const stated = (...rubrics: Parameters<typeof accounts>[0]) => {
    const read = createReader()
    read(json('r.json', [reference()]))
    const { parsed, malformed } = read(json('a.json', accounts(rubrics)))
    return [parsed[0].reportedFacts.map(({ value }) => value), malformed]
  }

  test('a zero has no sign, and an empty text states nothing', () => {
    const [[value]] = stated(['20/58', 'N', '-0.00']) as [number[], number]
    expect(Object.is(value, 0)).toBe(true)
    expect(stated(['20/58', 'N', ''], ['10/15', 'N', null])).toEqual([[], 0])
  })

  for (const text of [
    '1.234.567,89',
    '1,5',
    '1e9',
    '123456789012345678',
    '0x10',
    'NaN',
    '١٢',
    '1 000',
    true,
    {},
  ]) {
    test(`${JSON.stringify(text)} is malformed`, () => expect(stated(['20/58', 'N', text])).toEqual([[], 1]))
  }

  test('a rubric that is stated twice counts once if the values agree, and not at all if they differ', () => {
    expect(stated(['20/58', 'N', '1'], ['20/58', 'N', '2'])).toEqual([[], 1])
    expect(stated(['20/58', 'N', '1'], ['20/58', 'N', '1.00'])).toEqual([[1], 0])
  })

  test('a sum with a malformed part is not taken', () => {
    expect(stated(['16', 'N', '1.234,5'], ['17/49', 'N', '7'])).toEqual([[], 1])
  })

  test('a rubric without a known year is counted as malformed', () => {
    const read = createReader()
    read(json('r.json', [reference()]))
    const document = { ...accounts([]), Rubrics: [{ Code: '20/58', Value: '1', Period: 'N2' }, 3, null] }
    expect(read(json('a.json', document)).malformed).toBe(3)
  })

  test('what is malformed is named with its place and what is there', () => {
    const read = createReader()
    read(json('r.json', [reference()]))
    const rubrics = accounts([
      ['20/58', 'N', '1e400'],
      ['10/15', 'N', 'nil'],
      ['10/15', 'NM1', '1'],
      ['10/15', 'NM1', '2'],
    ])
    const { faults } = read(json('a.json', { ...rubrics, Rubrics: [...rubrics.Rubrics, null] }))
    const number = rubrics.ReferenceNumber
    expect(faults?.named).toEqual([
      `${number}, rubric 5: null needs a Code, and a Period of N or NM1`,
      `${number}, rubric 20/58 of N: "1e400" is not a number`,
      `${number}, rubric 10/15 of N: "nil" is not a number`,
      `${number}, rubric 10/15 of NM1: stated twice, as 1 and 2`,
    ])
  })
})
