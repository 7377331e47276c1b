import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readBody } from '../../../src/backtest/codec/body.ts'
import { checkPanelSize } from '../../../src/backtest/codec/cells.ts'
import type { BodyQuery, TextFormat } from '../../../src/backtest/request.ts'
import { registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'

registerFormats()
const encode = (text: string) => new TextEncoder().encode(text)

function fault(bytes: Uint8Array, format: TextFormat, query: BodyQuery = {}) {
  try {
    readBody(bytes, format, query)
  } catch (error) {
    if (error instanceof Failure) return [error.code, error.details.param, error.message] as const
    throw error
  }
  throw new Error('the body was accepted')
}

const header = 'date,asset,market,score,forward_return'
const line = '2024-01-02,A,US,1,0.1'
const csv = (...lines: string[]) => [header, ...lines].join('\n')

/** body, code, param, a part of the message */
type Case = [string, string, string | undefined, string]

const csvFaults: Case[] = [
  [
    '',
    'body_invalid',
    undefined,
    'Start it with a header line such as date,asset,market,score,forward_return',
  ],
  ['date,asset,score', 'parameter_invalid', 'line 1.forward_return', 'does not have forward_return'],
  [
    'date,asset,score,score,forward_return',
    'parameter_repeated',
    'line 1.score',
    'has the column score twice',
  ],
  [
    'Date,asset,score,forward_return',
    'parameter_unknown',
    'line 1',
    'unknown column "Date". Allowed columns: date,',
  ],
  [',date,asset,score,forward_return', 'parameter_unknown', 'line 1', 'to_csv(index=False)'],
  [csv(line, '2024-01-02,B,US,1'), 'body_invalid', 'line 3', 'has 4 cells, but the header has 5 columns'],
  [csv(line, `${line},`), 'body_invalid', 'line 3', 'has 6 cells'],
  [csv(line, '', line), 'body_invalid', 'line 3', 'is empty'],
  [
    `${header},dollar_volume\n${line},5\n${line},-5`,
    'parameter_invalid',
    'line 3.dollar_volume',
    'is -5; it must be a number from 0 to 9007199254740991 or an empty cell',
  ],
  [csv('2024-1-2,A,US,1,0'), 'parameter_invalid', 'line 2.date', 'is "2024-1-2"; it must be a valid date'],
  [csv('2023-02-29,A,US,1,0'), 'parameter_invalid', 'line 2.date', 'a valid date'],
  [csv('2024-01-02 00:00:00,A,US,1,0'), 'parameter_invalid', 'line 2.date', 'as YYYY-MM-DD'],
  [csv(',A,US,1,0'), 'parameter_invalid', 'line 2.date', 'is ""'],
  [csv('2024-01-02,,US,1,0'), 'parameter_invalid', 'line 2.asset', 'a string of 1 to 64 characters'],
  [csv(`2024-01-02,${'x'.repeat(65)},US,1,0`), 'parameter_invalid', 'line 2.asset', '1 to 64'],
  [
    csv('2024-01-02,A,MARKETLONG,1,0'),
    'parameter_invalid',
    'line 2.market',
    '1 to 8 characters or an empty cell',
  ],
  [csv('2024-01-02,A,US,nan,0'), 'parameter_invalid', 'line 2.score', 'is "nan"; it must be a number from'],
  [csv('2024-01-02,A,US,inf,0'), 'parameter_invalid', 'line 2.score', 'or an empty cell'],
  [csv('2024-01-02,A,US,1e999,0'), 'parameter_invalid', 'line 2.score', '"1e999"'],
  [csv('2024-01-02,A,US,1e301,0'), 'parameter_invalid', 'line 2.score', 'from -1e+300 to 1e+300'],
  [csv('2024-01-02,A,US,.5,0'), 'parameter_invalid', 'line 2.score', '".5"'],
  [csv('2024-01-02,A,US,01,0'), 'parameter_invalid', 'line 2.score', '"01"'],
  [csv('2024-01-02,A,US, 1,0'), 'parameter_invalid', 'line 2.score', '" 1"'],
  [csv('2024-01-02,A,US,0x10,0'), 'parameter_invalid', 'line 2.score', '"0x10"'],
  [
    csv('2024-01-02,A,US,1,1e7'),
    'parameter_invalid',
    'line 2.forward_return',
    'from -1 to 1000000 (a fraction: 0.025 is +2.5%, and -1 loses everything) or an empty cell',
  ],
  [
    csv('2024-01-02,A,US,1,0.1', '2024-01-03,A,US,1,-1.5'),
    'parameter_invalid',
    'line 3.forward_return',
    'is -1.5',
  ],
  [csv('2024-01-02,"A,US,1,0', line), 'body_invalid', 'line 2', 'a quoted cell is not closed'],
  [csv('2024-01-02,A"B,US,1,0'), 'body_invalid', 'line 2', 'an unquoted cell contains a quote'],
  [csv('2024-01-02,"A"B,US,1,0'), 'body_invalid', 'line 2', 'text follows the closing quote'],
  [csv('2024-01-02,"a\nb",US,1,0', '2024-01-02,C,US,x,0'), 'parameter_invalid', 'line 4.score', '"x"'],
]

const row = '{"date":"2024-01-02","asset":"A","score":1,"forward_return":0.1}'
const ndjsonFaults: Case[] = [
  ['', 'body_invalid', undefined, 'per line'],
  [' \n ', 'body_invalid', undefined, 'is empty'],
  [`${row}\n${row} ${row}`, 'malformed_json', undefined, 'more than one value, at byte 130 (line 2'],
  [`${row}\n{"date":"2024-01-02"}`, 'parameter_invalid', 'line 2.asset', 'line 2.asset is missing'],
  [`${row}\n\n${row.replace('1,', '1e999,')}`, 'parameter_invalid', 'line 3.score', '1e999'],
  [`${row}\n${row.replace('1,', 'NaN,')}`, 'malformed_json', 'line 2.score', 'NaN is not JSON'],
  [`${row}\n{"config":{}}`, 'parameter_invalid', 'line 2.date', 'is missing'],
  [`{"config":{"quantil":1}}\n${row}`, 'parameter_unknown', 'config.quantil', 'Allowed here: direction'],
  [`{"config":{},"panel":[]}\n${row}`, 'parameter_unknown', 'panel', 'is unknown'],
  [`{"source":{}}\n${row}`, 'backtest_impossible', 'panel', 'source and panel are both given'],
  [`[1]\n${row}`, 'parameter_invalid', 'line 1', 'is an array of 1; it must be an object'],
  [`${row}\n{"date":`, 'malformed_json', 'line 2.date', 'it ends too early'],
]

const whole = { date: '["2024-01-02"]', asset: '["A"]', score: '[1]', forward_return: '[0.1]' }
function columns(change: Record<string, string | undefined>): string {
  const parts = Object.entries({ ...whole, ...change })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `"${key}":${value}`)
  return `{"panel":{${parts.join(',')}}}`
}
const columnFaults: Case[] = [
  [columns({ score: undefined }), 'parameter_invalid', 'panel.score', 'panel.score is missing'],
  [
    columns({ score: '[1,2]' }),
    'parameter_invalid',
    'panel.score',
    'panel.score has 2 values and panel.date 1',
  ],
  [columns({ market: '[]' }), 'parameter_invalid', 'panel.market', 'has 0 values'],
  [columns({ volume: '[1]' }), 'parameter_unknown', 'panel.volume', 'Allowed here: date, asset, market'],
  [columns({ score: '[1],"score":[1]' }), 'parameter_repeated', 'panel.score', 'given twice'],
  [columns({ score: '1' }), 'parameter_invalid', 'panel.score', 'must be an array'],
  [columns({ score: 'null' }), 'parameter_invalid', 'panel.score', 'must be an array'],
  [
    columns({ score: '[NaN]' }),
    'malformed_json',
    'panel.score[0]',
    'NaN is not JSON; a missing value is null',
  ],
  [columns({ score: '[1e999]' }), 'parameter_invalid', 'panel.score[0]', 'beyond the range'],
  [columns({ score: '["1"]' }), 'parameter_invalid', 'panel.score[0]', 'is "1"; it must be a number'],
  [columns({ score: '[1,]' }), 'malformed_json', 'panel.score[1]', 'expected a value'],
  [columns({ forward_return: '[1e7]' }), 'parameter_invalid', 'panel.forward_return[0]', 'from -1 to'],
  [columns({ forward_return: '[-1.01]' }), 'parameter_invalid', 'panel.forward_return[0]', 'is -1.01'],
  [columns({ date: '["2024-02-30"]' }), 'parameter_invalid', 'panel.date[0]', 'a valid date'],
  [columns({ date: '[20240102]' }), 'parameter_invalid', 'panel.date[0]', 'is 20240102'],
  [columns({ asset: '[""]' }), 'parameter_invalid', 'panel.asset[0]', '1 to 64'],
  [columns({ asset: '[null]' }), 'parameter_invalid', 'panel.asset[0]', 'is null'],
  [columns({ market: '["MARKETLONG"]' }), 'parameter_invalid', 'panel.market[0]', '1 to 8'],
]

for (const [format, cases] of [
  ['csv', csvFaults],
  ['ndjson', ndjsonFaults],
  ['json', columnFaults],
] as const) {
  for (const [body, code, param, message] of cases) {
    test(`${format} names the fault in ${JSON.stringify(body.slice(-70))}`, () => {
      const found = fault(encode(body), format)
      expect([found[0], found[1]]).toEqual([code, param])
      expect(found[2]).toContain(message)
      expect(found[2].length).toBeLessThan(400)
    })
  }
}

const queryFaults: [BodyQuery, string, string, string][] = [
  [{ config: '{' }, 'malformed_json', 'config', 'The query parameter config is not JSON'],
  [{ config: '{} x' }, 'malformed_json', 'config', 'text follows the value'],
  [{ config: '[]' }, 'parameter_invalid', 'config', 'it must be an object'],
  [{ config: '{"quantile":0.6}' }, 'parameter_invalid', 'config.quantile', 'from 0.01 to 0.5'],
  [{ config: '{"quantile":.1}' }, 'malformed_json', 'config.quantile', 'expected a value'],
  [{ include: 'ic,alpha' }, 'parameter_invalid', 'include[1]', '"alpha"'],
  [{ include: 'ic,ic' }, 'parameter_invalid', 'include', 'different'],
  [{ sweep: 'yes' }, 'malformed_json', 'sweep', 'The query parameter sweep is not JSON'],
]
for (const [query, code, param, message] of queryFaults) {
  test(`names the fault in the query ${JSON.stringify(query)}`, () => {
    const found = fault(encode(csv(line)), 'csv', query)
    expect([found[0], found[1]]).toEqual([code, param])
    expect(found[2]).toContain(message)
  })
}

test('CSV may have a byte order mark, CRLF, quotes around every cell and empty lines at its end', () => {
  const text = `\ufeff"date","asset","score","forward_return"\r\n"2024-01-02","é","1.5",""\r\n\r\n\n`
  const { panel } = readBody(encode(text), 'csv')
  expect(panel?.columns).toMatchObject({ count: 1, assetNames: ['é'] })
  expect([panel?.columns.score[0], panel?.columns.forwardReturn[0]]).toEqual([1.5, Number.NaN])
})

test('NDJSON may have empty lines, CRLF and no line end at its end', () => {
  const { panel } = readBody(encode(`\n${row}\r\n\n${row.replace('"A"', '"B"')}`), 'ndjson')
  expect(panel?.columns.assetNames).toEqual(['A', 'B'])
})

test('refuses bytes that are not UTF-8 in a name', () => {
  const broken = encode(csv(line))
  broken[broken.indexOf(0x41)] = 0xff
  expect(fault(broken, 'csv').slice(0, 2)).toEqual(['body_invalid', 'line 2'])
  const json = encode(columns({}))
  json[json.indexOf(0x41)] = 0xff
  expect(fault(json, 'json').slice(0, 2)).toEqual(['malformed_json', 'panel.asset[0]'])
})

test('refuses more rows and more markets than a panel may have', () => {
  expect(() => checkPanelSize(25_000_000, 65_535)).not.toThrow()
  expect(() => checkPanelSize(25_000_001, 1)).toThrow(
    'panel has more than 25,000,000 rows. Split it, or send fewer dates.',
  )
  expect(() => checkPanelSize(1, 65_536)).toThrow('panel has more than 65,535 markets.')
})

test('survives anything: a Failure or a request, never another error', () => {
  const pieces = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"',
      '""',
      'null',
      '1',
      '-',
      '.',
      'e9',
      '\n',
      '\r\n',
      '\r',
      '\u0000',
      'é',
    ],
    ...[header, line, row, 'date', '"panel"', '"date"', '"asset"', '2024-01-02', '{"panel":{'],
  )
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 30 }),
      fc.constantFrom<TextFormat>('csv', 'ndjson', 'json'),
      (parts, format) => {
        try {
          readBody(encode(parts.join('')), format)
        } catch (error) {
          expect(error).toBeInstanceOf(Failure)
        }
      },
    ),
    { numRuns: 6_000 },
  )
})

test('rows on the slow path cost no more further down in a body', () => {
  const count = 60_000
  const day = (i: number) => new Date(i * 86_400_000).toISOString().slice(0, 10)
  // As Python writes names that are not ASCII, and as CSV writes names that hold a quote.
  const escaped = (i: number) => `{"date":"${day(i)}","asset":"\\u65e5","score":1,"forward_return":0}`
  const quoted = (i: number) => `${day(i)},"say ""A""",US,1,0`
  // Work that grows with the square of the lines would outlast the test's time.
  for (const [format, body] of [
    ['ndjson', Array.from({ length: count }, (_, i) => escaped(i)).join('\n')],
    ['csv', csv(...Array.from({ length: count }, (_, i) => quoted(i)))],
  ] as const) {
    expect(readBody(encode(body), format).panel?.columns.count).toBe(count)
    const spoilt = `${body}\n${format === 'csv' ? '2024-01-02,A,US,x,0' : '{"date":"2024-01-02"}'}`
    expect(fault(encode(spoilt), format)[1]).toStartWith(`line ${count + (format === 'csv' ? 2 : 1)}.`)
  }
}, 180_000)

test('oversized values are refused before they become objects, whatever their number', () => {
  const many = `[${'{},'.repeat(20_000)}{}]`
  const long = 'a'.repeat(20_000)
  const cases: readonly (readonly [string, TextFormat, string | undefined, string])[] = [
    [`{"config":${many}}`, 'json', 'config', 'contains more than 10,000 values'],
    [`{"panel":[{"x":${many}}]}`, 'json', 'panel[0]', 'contains more than 10,000 values'],
    [`{"panel":{"date":[${many}]}}`, 'json', 'panel.date[0]', 'contains more than 10,000 values'],
    [`{"x":${many}}`, 'ndjson', 'line 1', 'contains more than 10,000 values'],
    [`{"config":"${long}"}`, 'json', 'config', 'a string longer than 10,000 bytes, starting with "aaaa'],
    [`{"${long}":1}`, 'json', undefined, 'a string longer than 10,000 bytes'],
    [`{"panel":"${long}"}`, 'json', 'panel', 'a string longer than 10,000 bytes'],
    [','.repeat(20_000), 'csv', 'line 1', 'the line has more than 1000 cells'],
    [long, 'csv', 'line 1', 'a cell is longer than 10000 bytes'],
    [csv(','.repeat(20_000)), 'csv', 'line 2', 'the line has more than 1000 cells'],
    [csv(`2024-01-02,"${long}",US,1,0`), 'csv', 'line 2', 'a cell is longer than 10000 bytes'],
  ]
  for (const [body, format, param, part] of cases) {
    const [code, at, message] = fault(encode(body), format)
    expect([code, at]).toEqual(['body_invalid', param])
    expect(message).toContain(part)
    expect(message.length).toBeLessThan(300)
  }
})

test('a byte order mark before JSON or NDJSON is skipped, as before CSV', () => {
  const json = '{"panel":[{"date":"2024-01-02","asset":"A","score":1,"forward_return":0}]}'
  const row = '{"date":"2024-01-02","asset":"A","score":1,"forward_return":0}'
  for (const [body, format] of [
    [json, 'json'],
    [row, 'ndjson'],
    [`{"config":{}}\n${row}`, 'ndjson'],
  ] as const) {
    expect(readBody(encode(`\ufeff${body}`), format).panel?.columns.count).toBe(1)
  }
})
