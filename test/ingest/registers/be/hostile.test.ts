import { describe, expect, test } from 'bun:test'
import { readTogether } from '../../../../src/ingest/registers/be/readDocument.ts'
import { accounts, instance, json, microReference, reference } from './documents.ts'

const read = (name: string, content: string | Uint8Array) =>
  readTogether()({ name, bytes: typeof content === 'string' ? Buffer.from(content) : content })

describe('is refused, with the place, where', () => {
  const faults: [string, string, string, RegExp][] = [
    ['JSON is cut off', 'a.json', '[{"ReferenceNumber": "2017', /^line 1, column 27 \(byte 26\)/],
    [
      'a key is there twice',
      'a.json',
      '[{"ReferenceNumber": "2017-00000001",\n "DepositDate": "2017-06-28", "DepositDate": "2017-06-01"}]',
      /^line 2, column 31 \(byte 68\): the key "DepositDate" is there twice/,
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
      /^line 1, column \d+: a DOCTYPE is not read/,
    ],
    [
      'an entity names a file',
      '2017-00000001.xml',
      '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><xbrl>&a;</xbrl>',
      /^line 1, column \d+: a DOCTYPE is not read/,
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
    ['its number is none', { ReferenceNumber: '17-1' }, 'a reference without its number'],
    [
      'nobody is named',
      { EnterpriseNumber: '0410682658' },
      'a reference without an enterprise number in it or in its file name',
    ],
    ['it came in on no day', { DepositDate: '2017-02-30' }, 'a reference without the day of its deposit'],
    [
      'its year ends before it begins',
      { ExerciseDates: { startDate: '2017-01-01', endDate: '2016-12-31' } },
      'a reference without the days of its year',
    ],
    ['its year has no days', { ExerciseDates: null }, 'a reference without the days of its year'],
    [
      'it came in before its year was over',
      { DepositDate: '2016-06-30' },
      'a reference that is dated before its year was over',
    ],
    ['its currency is none', { Currency: 'euro' }, 'a reference without a model or a currency'],
    [
      'the register edited the data later',
      { DataVersion: 'Improved' },
      'a reference to data that the register edited later',
    ],
  ]
  test.each(cases)('%s', (_, change, reason) => {
    const { contributions, leftOut } = readTogether()(json('r.json', [reference(change)]))
    expect([contributions, leftOut]).toEqual([[], { [reason]: 1 }])
  })
})

describe('accounts are left out and counted where', () => {
  const leftOut = async (change: object, number = '2023-00000002') => {
    const read = readTogether()
    read(json('r.json', [{ ...microReference, ...change }]))
    const content = read(await instance('micro-0925590628-2022.xbrl', number))
    return [content.contributions, content.leftOut]
  }
  const cases: [string, object, string][] = [
    [
      'they are another enterprise’s',
      { EnterpriseNumber: '0410682657' },
      "accounts of another enterprise than their reference's",
    ],
    [
      'they are of another year',
      { ExerciseDates: { startDate: '2021-01-01', endDate: '2021-12-31' } },
      "accounts of another year than their reference's",
    ],
    [
      'they are in another currency',
      { Currency: 'USD' },
      "accounts in another currency than their reference's",
    ],
    [
      'their model is a bank’s',
      { ModelType: 'm20-f' },
      'accounts in another model than those of companies and associations',
    ],
  ]
  test.each(cases)('%s', async (_, change, reason) => {
    expect(await leftOut(change)).toEqual([[], { [reason]: 1 }])
  })

  test('two enterprises claim their reference', () => {
    const read = readTogether()
    read(json('a.json', [reference()]))
    read(json('b.json', [reference({ EnterpriseNumber: '0925590628' })]))
    read(json('c.json', [reference()]))
    expect(read(json('d.json', accounts([['20/58', 'N', '1']]))).contributions).toEqual([])
  })

  test('an instance bears no reference number, or JSON none that is one', () => {
    const nameless = read('accounts.json', JSON.stringify(accounts([['20/58', 'N', '1']], 'x')))
    expect(nameless.leftOut).toEqual({ 'accounts without a reference number': 1 })
  })
})

describe('values', () => {
  const stated = (...rubrics: Parameters<typeof accounts>[0]) => {
    const read = readTogether()
    read(json('r.json', [reference()]))
    const { contributions, malformed } = read(json('a.json', accounts(rubrics)))
    return [contributions[0].statements.map(({ value }) => value), malformed]
  }

  test('a zero has no sign, and an empty text is no value', () => {
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
    test(`${JSON.stringify(text)} is none`, () => expect(stated(['20/58', 'N', text])).toEqual([[], 1]))
  }

  test('a rubric that is stated twice with two values says nothing; with one value, that', () => {
    expect(stated(['20/58', 'N', '1'], ['20/58', 'N', '2'])).toEqual([[], 1])
    expect(stated(['20/58', 'N', '1'], ['20/58', 'N', '1.00'])).toEqual([[1], 0])
  })

  test('a sum of which a part cannot be read is none', () => {
    expect(stated(['16', 'N', '1.234,5'], ['17/49', 'N', '7'])).toEqual([[], 1])
  })

  test('a rubric of no year is counted', () => {
    const read = readTogether()
    read(json('r.json', [reference()]))
    const document = { ...accounts([]), Rubrics: [{ Code: '20/58', Value: '1', Period: 'N2' }, 3, null] }
    expect(read(json('a.json', document)).malformed).toBe(3)
  })
})
