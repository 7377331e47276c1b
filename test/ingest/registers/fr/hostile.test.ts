import { describe, expect, test } from 'bun:test'
import { readFrenchReport } from '../../../../src/ingest/registers/fr/readDocument.ts'
import { accounts } from './accounts.ts'

const read = (name: string, content: string | Uint8Array) =>
  readFrenchReport({ name, bytes: typeof content === 'string' ? Buffer.from(content) : content })
const page = '<page numero="01"><liasse code="CO" m3="000000000000050"/></page>'
const good = accounts({}, page)

describe('XML is refused, with the place, where', () => {
  const faults: [string, string, RegExp][] = [
    ['it is cut off', good.slice(0, good.indexOf('<detail>') + 30), /^line \d+, column \d+: unclosed tag/],
    [
      'entities could be a bomb',
      good.replace('<bilans', '<!DOCTYPE b [<!ENTITY a "x"><!ENTITY c "&a;&a;&a;">]><bilans'),
      /^line 2, column \d+: a DOCTYPE is not allowed/,
    ],
    [
      'an entity names a file',
      good.replace('<bilans', '<!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]><bilans'),
      /^line 2, column \d+: a DOCTYPE is not allowed/,
    ],
    ['an entity is unknown', good.replace('999999999', '&a;'), /^line 3, column \d+: undefined entity/],
    [
      'an attribute is there twice',
      good.replace('m3="', 'm3="1" m3="'),
      /^line \d+, column \d+: duplicate attribute/,
    ],
    [
      'the identity states a number twice',
      good.replace('</identite>', '<siren>111111111</siren></identite>'),
      /^line \d+, column \d+: identite states siren twice/,
    ],
    [
      'a line has no code',
      good.replace('code="CO"', ''),
      /^line \d+, column \d+: a line \(liasse\) without a code/,
    ],
    [
      'a page has no number',
      good.replace('numero="01"', ''),
      /^line \d+, column \d+: a page without a number/,
    ],
    ['it is something else', '<html/>', /^line 1, column \d+: the document is not a list of accounts/],
    ['it is not XML', '{"a": 1}', /^line 1, column/],
    [
      'it is nested too deep',
      `<bilans xmlns="fr:inpi:odrncs:bilansSaisisXML">${'<a>'.repeat(100)}`,
      /nested deeper than 20/,
    ],
  ]
  test.each(faults)('%s', (_, text, reason) => {
    expect(() => read('a.xml', text)).toThrow(reason)
  })

  test('its encoding is not UTF-8', () => {
    const latin = Buffer.from(good.replace('MADE UP', 'SOCIÉTÉ'), 'latin1')
    expect(() => read('a.xml', latin)).toThrow('The document is not UTF-8.')
  })
})

describe('JSON is refused where', () => {
  const faults: [string, string, RegExp][] = [
    ['it is cut off', '{"bilanSaisi": {"bilan"', /^line 1, column 24 \(byte 23\)/],
    [
      'a key is there twice',
      '{"bilanSaisi": {}, "dateDepot": "2023-01-02",\n "dateDepot": "2022-01-02"}',
      /^line 2, column 2 \(byte \d+\): the key "dateDepot" appears twice/,
    ],
    ['it is of another kind', '{"a": 1}', /neither a record of accounts/],
    ['it is a list of other things', '{"data": []}', /neither a record of accounts/],
    ['it is an empty list', '[]', /neither a record of accounts/],
  ]
  test.each(faults)('%s', (_, text, reason) => {
    expect(() => read('a.json', text)).toThrow(reason)
  })

  test('but malformed records in a list are counted, and the rest is read', () => {
    const { parsed, leftOut } = read('a.json', '[{"bilanSaisi": {}}, {"bilanSaisi": {"bilan": []}}, 3]')
    expect(parsed).toEqual([])
    expect(leftOut?.['a record of accounts in an unknown shape']).toBe(3)
  })
})

describe('a deposit is left out and counted where', () => {
  const cases: [string, Parameters<typeof accounts>[0], string][] = [
    ['its company number is malformed', { siren: '12345678' }, 'a deposit without a company number'],
    [
      'it does not state the end of its year',
      { date_cloture_exercice: '' },
      'a deposit without the last day of its fiscal year',
    ],
    ['it does not state its deposit date', { date_depot: '' }, 'a deposit without its date'],
    [
      'it was deposited before its year ended',
      { date_depot: '20200630' },
      'a deposit dated before its fiscal year ended',
    ],
    ['it has no number', { num_depot: '' }, 'a deposit without its number at the court'],
    ['its currency is malformed', { code_devise: 'euro' }, 'a deposit without a currency'],
    ['it is in the form of banks', { code_type_bilan: 'B' }, "a deposit in the banks' form"],
    ['it is in the form of insurers', { code_type_bilan: 'A' }, "a deposit in the insurers' form"],
    ['its form is unknown', { code_type_bilan: 'Z' }, 'a deposit in an unknown form'],
  ]
  test.each(cases)('%s', (_, change, reason) => {
    const { parsed, leftOut } = read('a.xml', accounts(change, page))
    expect([parsed, leftOut]).toEqual([[], { [reason]: 1 }])
  })
})

describe('amounts', () => {
  const stated = (m3: string) => {
    const { parsed, malformed } = read('a.xml', accounts({}, page.replace('000000000000050', m3)))
    return [parsed[0].reportedFacts.map(({ value }) => value), malformed]
  }

  test('a zero has no sign', () => {
    const [[value]] = stated('-00000000000000') as [number[], number]
    expect(Object.is(value, 0)).toBe(true)
  })

  for (const text of ['1.234.567,89', '1e9', '12.5', '0x10', '１２', '9999999999999999', 'NaN', '--5']) {
    test(`${text} is malformed`, () => expect(stated(text)).toEqual([[], 1]))
  }

  test('what is malformed is named with its deposit, page, line and column', () => {
    const { faults } = read('a.xml', accounts({}, page.replace('000000000000050', '1e400')))
    expect(faults?.named).toEqual([
      expect.stringMatching(/^FR:\S+, page 1, line CO, column 3: "1e400" is not a whole number$/),
    ])
  })

  test('two lines of one code count once if they agree, and not at all if they differ', () => {
    const twice = (second: string) =>
      read('a.xml', accounts({}, page.replace('</page>', `<liasse code="CO" m3="${second}"/></page>`)))
    expect(twice('000000000000051')).toMatchObject({ parsed: [{ reportedFacts: [] }] })
    expect(twice('000000000000051').malformed).toBeGreaterThan(0)
    expect(twice('000000000000050').parsed[0].reportedFacts).toHaveLength(1)
  })
})

describe('tables', () => {
  test('that are not of the directory are refused, and so is one that is cut off in a quote', () => {
    expect(() => read('a.csv', 'a,b\n1,2\n')).toThrow(/^line 1: the table has neither/)
    expect(() => read('a.csv', 'siren,denominationUniteLegale\n016750697,"ETS')).toThrow(
      /Quote Not Closed: .* at line 2/,
    )
    expect(() => read('a.csv', 'siren,siren\n1,2\n')).toThrow(/^line 1: the column siren appears twice/)
  })

  test('give no names of people or of units that opted out, and register no entity', () => {
    const { parsed, leftOut } = read(
      'StockUniteLegale.csv',
      `siren,statutDiffusionUniteLegale,sigleUniteLegale,denominationUniteLegale
016750697,O,,ETS J VIRLY S A
054501754,O,SET,SET - HUILLIER - SOCIETE D'ENTREPOSAGE ET DE TRANSPORTS
111111111,P,,[ND]
222222222,O,,
`,
    )
    // SIRENE, StockUniteLegale of December 2025: 016750697 and 054501754.
    expect(parsed.map(({ profile }) => profile)).toEqual([
      { market: 'FR', issuerId: '016750697', name: 'ETS J VIRLY S A', registers: false },
      {
        market: 'FR',
        issuerId: '054501754',
        name: "SET - HUILLIER - SOCIETE D'ENTREPOSAGE ET DE TRANSPORTS",
        otherNames: ['SET'],
        registers: false,
      },
    ])
    expect(leftOut).toEqual({
      'a legal unit whose name may not be published': 1,
      'a legal unit without a company name': 1,
    })
  })
})
