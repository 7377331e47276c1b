import { expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import fc from 'fast-check'
import { readBody } from '../../../src/backtest/codec/body.ts'
import { BacktestPanelRow } from '../../../src/backtest/request.ts'
import { dayNumber, registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { nonEmpty } from '../../nonEmpty.ts'

registerFormats()
const encode = (text: string) => new TextEncoder().encode(text)
const row = '{"date":"2024-01-02","asset":"A","score":1,"forward_return":0.1}'
const panel = (rows: string) => `{"panel":[${rows}]}`

function fault(body: string | Uint8Array): { code: string; message: string; param: string | undefined } {
  try {
    readBody(typeof body === 'string' ? encode(body) : body)
  } catch (error) {
    if (error instanceof Failure)
      return { code: error.code, message: error.message, param: error.details.param }
    throw error
  }
  throw new Error('the body was accepted')
}

/** body, code, param, a part of the message */
const faults: [string, string, string | undefined, string][] = [
  ['', 'malformed_json', undefined, 'The body is empty. Send {} to use'],
  ['[]', 'body_invalid', undefined, 'must be a JSON object'],
  ['"x"', 'body_invalid', undefined, 'must be a JSON object'],
  ['{', 'malformed_json', undefined, 'expected a key in double quotes, at byte 1 (line 1, column 2)'],
  ['{"config":{}', 'malformed_json', undefined, 'expected }'],
  ['{"config":{}}x', 'malformed_json', undefined, 'text follows the object'],
  ['{\n  "config": {,}}', 'malformed_json', 'config', 'at byte 15 (line 2, column 14)'],
  ['{"sweeps":true}', 'parameter_unknown', 'sweeps', 'Allowed here: config, sweep, source, panel, include'],
  ['{"config":{},"config":{}}', 'parameter_repeated', 'config', 'given twice'],
  [
    '{"config":{"quantile":0.1,"quant\\u0069le":0.2}}',
    'parameter_repeated',
    'config.quantile',
    'given twice',
  ],
  ['{"config":{"quantil":0.1}}', 'parameter_unknown', 'config.quantil', 'Allowed here: direction, quantile'],
  ['{"config":{"__proto__":{}}}', 'parameter_unknown', 'config.__proto__', 'is unknown'],
  [
    '{"config":{"quantile":0.6}}',
    'parameter_invalid',
    'config.quantile',
    'is 0.6; it must be a number from 0.01 to 0.5',
  ],
  ['{"config":{"quantile":"0.1"}}', 'parameter_invalid', 'config.quantile', 'is "0.1"; it must be a number'],
  [
    '{"config":{"quantile":NaN}}',
    'malformed_json',
    'config.quantile',
    'NaN is not JSON; a missing value is null',
  ],
  [
    '{"config":{"costBps":1e999}}',
    'parameter_invalid',
    'config.costBps',
    'is 1e999, which is beyond the range',
  ],
  ['{"config":{"costBps":-1}}', 'parameter_invalid', 'config.costBps', 'from 0 to 10000'],
  ['{"config":{"holdDays":0}}', 'parameter_invalid', 'config.holdDays', 'a whole number from 1 to 252'],
  ['{"config":{"holdDays":1.5}}', 'parameter_invalid', 'config.holdDays', 'a whole number'],
  [
    '{"config":{"direction":"short"}}',
    'parameter_invalid',
    'config.direction',
    '"long_short" or "long_only"',
  ],
  ['{"config":{"gross":0}}', 'parameter_invalid', 'config.gross', 'above 0 and at most 10'],
  ['{"config":{"drift":1}}', 'parameter_invalid', 'config.drift', 'true or false'],
  ['{"config":[]}', 'parameter_invalid', 'config', 'is an empty array; it must be an object'],
  ['{"source":{"from":"2024-02-30"}}', 'parameter_invalid', 'source.from', 'a valid date as YYYY-MM-DD'],
  [
    '{"source":{"from":"2024-02-03","to":"2024-02-01"}}',
    'parameter_invalid',
    'source.from',
    'is after source.to',
  ],
  [
    '{"source":{"market":"usa"}}',
    'parameter_invalid',
    'source.market',
    'a market code of two letters, like US',
  ],
  ['{"source":{"horizon":"2d"}}', 'parameter_invalid', 'source.horizon', '"1d" or "3d" or "7d"'],
  ['{"source":{"limit":-1}}', 'parameter_invalid', 'source.limit', 'from 1 to 2000000'],
  [
    '{"sweep":{"quantile":[]}}',
    'parameter_invalid',
    'sweep.quantile',
    'is an empty array; it must be an array of 1 to 50 different items.',
  ],
  ['{"include":["ic","ic"]}', 'parameter_invalid', 'include', 'different items'],
  ['{"include":["alpha"]}', 'parameter_invalid', 'include[0]', '"ic" or'],
  [`{"source":{},"panel":[${row}]}`, 'backtest_impossible', 'panel', 'source and panel are both given'],
  [
    '{"panel":{}}',
    'parameter_invalid',
    'panel.date',
    'is missing; it must be an array with one value per row',
  ],
  ['{"panel":null}', 'parameter_invalid', 'panel', 'must be an array'],
  [`{"panel":[${row}],"panel":[]}`, 'parameter_repeated', 'panel', 'given twice'],
  [panel(`${row},`), 'malformed_json', 'panel[1]', 'expected a value'],
  [panel(`${row} ${row}`), 'malformed_json', 'panel', 'expected ]'],
  [
    panel('{"date":"2024-01-02","asset":"A","score":1}'),
    'parameter_invalid',
    'panel[0].forward_return',
    'is missing; it must be a number from',
  ],
  [
    panel(`${row},{"date":"2024-1-2","asset":"A","score":1,"forward_return":0}`),
    'parameter_invalid',
    'panel[1].date',
    'is "2024-1-2"',
  ],
  [
    panel('{"date":"2023-02-29","asset":"A","score":1,"forward_return":0}'),
    'parameter_invalid',
    'panel[0].date',
    'a valid date',
  ],
  [
    panel('{"date":"2024-01-02","asset":"","score":1,"forward_return":0}'),
    'parameter_invalid',
    'panel[0].asset',
    '1 to 64 characters',
  ],
  [
    panel(`{"date":"2024-01-02","asset":"${'x'.repeat(65)}","score":1,"forward_return":0}`),
    'parameter_invalid',
    'panel[0].asset',
    '...',
  ],
  [
    panel('{"date":"2024-01-02","asset":7,"score":1,"forward_return":0}'),
    'parameter_invalid',
    'panel[0].asset',
    'is 7',
  ],
  [
    panel('{"date":"2024-01-02","asset":"A","score":"1","forward_return":0}'),
    'parameter_invalid',
    'panel[0].score',
    'or null',
  ],
  [
    panel('{"date":"2024-01-02","asset":"A","score":1e999,"forward_return":0}'),
    'parameter_invalid',
    'panel[0].score',
    '1e999',
  ],
  [
    panel('{"date":"2024-01-02","asset":"A","score":-Infinity,"forward_return":0}'),
    'malformed_json',
    'panel[0].score',
    'digits',
  ],
  [
    panel('{"date":"2024-01-02","asset":"A","score":01,"forward_return":0}'),
    'malformed_json',
    'panel[0].score',
    'no leading 0',
  ],
  [
    panel('{"date":"2024-01-02","asset":"A","score":1,"forward_return":1e7}'),
    'parameter_invalid',
    'panel[0].forward_return',
    'from -1 to 1000000 (a fraction',
  ],
  [
    panel('{"date":"2024-01-02","asset":"A","score":1,"forward_return":0,"dollar_volume":-1}'),
    'parameter_invalid',
    'panel[0].dollar_volume',
    'is -1; it must be a number from 0 to 9007199254740991 or null',
  ],
  [
    panel('{"date":"2024-01-02","asset":"A","score":1,"forward_return":0,"x":1}'),
    'parameter_unknown',
    'panel[0].x',
    'Allowed here: date, asset, market, score, forward_return, dollar_volume',
  ],
  [
    panel('{"date":"2024-01-02","asset":"A","score":1,"score":2,"forward_return":0}'),
    'parameter_repeated',
    'panel[0].score',
    'given twice',
  ],
  [
    panel('{"date":"2024-01-02","asset":"\\ud800","score":1,"forward_return":0}'),
    'malformed_json',
    'panel[0].asset',
    'lone surrogate',
  ],
  [
    panel('{"date":"2024-01-02","asset":"A\\x","score":1,"forward_return":0}'),
    'malformed_json',
    'panel[0].asset',
    'invalid escape',
  ],
  [
    panel('{"date":"2024-01-02","asset":"A\nB","score":1,"forward_return":0}'),
    'malformed_json',
    'panel[0].asset',
    'control character',
  ],
  [panel('1'), 'parameter_invalid', 'panel[0]', 'is 1; it must be an object'],
  [`{"config":${'['.repeat(50)}`, 'body_invalid', undefined, 'nested deeper than 32 levels'],
  [panel(`{"date":${'{"a":'.repeat(100_000)}`), 'body_invalid', undefined, 'nested deeper than 32 levels'],
]

for (const [body, code, param, message] of faults) {
  test(`names the fault in ${body.length > 90 ? `${body.slice(0, 87)}...` : body || 'an empty body'}`, () => {
    const found = fault(body)
    expect(found.code).toBe(code)
    if (param !== undefined) expect(found.param).toBe(param)
    expect(found.message).toContain(message)
    expect(found.message.length).toBeLessThan(400)
  })
}

test('refuses bytes that are not UTF-8', () => {
  const body = encode(panel(row.replace('"A"', '"A?"')))
  body[body.indexOf(0x3f)] = 0xff
  expect(fault(body)).toMatchObject({ code: 'malformed_json', param: 'panel[0].asset' })
})

test('an empty object asks for the archive with defaults', () => {
  expect(readBody(encode('{}'))).toEqual({
    config: {},
    source: {},
    include: [],
    sweep: undefined,
    panel: null,
    panelId: null,
  })
})

const anyScore = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(null, 0, -0, 1e300, -1e301, 'x', true, 5e-324),
)
const anyRow = fc.record(
  {
    date: fc.oneof(
      fc.constantFrom('2024-02-29', '2024-02-28', '0001-01-01', '9999-12-31'),
      fc.constantFrom('2023-02-29', '20240101', '2024-01-02T00', 5),
    ),
    asset: fc.oneof(
      fc.string({ maxLength: 70, unit: 'grapheme' }),
      fc.constantFrom('A', 'B', '', 'quote"d', 'back\\slash', 'é', 'tab\t', null),
    ),
    market: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('US', 'TW') },
      fc.constantFrom('', 'MARKETLONG', 'é', null),
    ),
    score: anyScore,
    forward_return: fc.oneof(fc.double({ min: -2, max: 2, noNaN: true }), fc.constantFrom(null, 1e7)),
    close: fc.oneof(fc.double({ min: -1, max: 2e12, noNaN: true }), fc.constantFrom(null, 0, 1e13)),
    borrow_bps: fc.constantFrom(null, 0, 250.5, -1, 1e9),
    group: fc.constantFrom(null, 'tech', '', 5),
    extra: fc.constant(1),
  },
  { requiredKeys: [] },
)
const goodCells = {
  date: fc.constantFrom('2024-02-29', '2024-02-28', '2019-12-31'),
  asset: fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter(s => s.length <= 64),
  market: fc.constantFrom('US', 'TW', 'x'),
  score: fc.oneof(fc.double({ min: -1e300, max: 1e300, noNaN: true }), fc.constant(null)),
  borrow_bps: fc.constantFrom(null, 0, 250.5),
  group: fc.constantFrom(null, 'tech', 'énergie'),
}
const goodRow = fc.oneof(
  fc.record(
    {
      ...goodCells,
      forward_return: fc.oneof(fc.double({ min: -2, max: 2, noNaN: true }), fc.constant(null)),
    },
    { requiredKeys: ['date', 'asset', 'score', 'forward_return'] },
  ),
  fc.record(
    { ...goodCells, close: fc.oneof(fc.double({ min: 1e-9, max: 1e12, noNaN: true }), fc.constant(null)) },
    { requiredKeys: ['date', 'asset', 'score', 'close'] },
  ),
)
const rowSchema = TypeCompiler.Compile(BacktestPanelRow)
/** A row has a close or a return, which the schema cannot say. */
const isRow = (value: unknown): value is BacktestPanelRow =>
  rowSchema.Check(value) && ('close' in value ? !('forward_return' in value) : 'forward_return' in value)

test('accepts exactly the rows that the schema accepts, with the values that JSON.parse gives', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 12, arbitrary: goodRow }, anyRow), { minLength: 1, maxLength: 8 }),
      fc.constantFrom(0, 1),
      (rows, indent) => {
        const text = JSON.stringify({ panel: rows }, null, indent)
        const parsed: { panel: unknown[] } = JSON.parse(text)
        const firstBad = parsed.panel.findIndex(value => !isRow(value))
        if (firstBad !== -1) {
          expect(fault(text).param).toStartWith(`panel[${firstBad}]`)
          return
        }
        const panel = readBody(encode(text)).panel?.columns
        if (!panel) throw new Error('the request has no panel')
        expect(panel.count).toBe(rows.length)
        nonEmpty(parsed.panel).forEach((value, i) => {
          if (!isRow(value)) throw new Error('checked above')
          expect(panel.day[i]).toBe(dayNumber(value.date))
          expect(panel.assetNames[panel.asset[i]]).toBe(value.asset)
          expect(panel.marketNames[panel.market[i]]).toBe(value.market ?? '')
          expect(panel.score[i]).toBe(value.score ?? Number.NaN)
          expect(panel.forwardReturn[i]).toBe(value.forward_return ?? Number.NaN)
          expect(panel.close?.[i] ?? Number.NaN).toBe(value.close ?? Number.NaN)
          expect(panel.borrowBps?.[i] ?? Number.NaN).toBe(value.borrow_bps ?? Number.NaN)
          expect(panel.groupNames?.[panel.group?.[i] ?? 0] ?? '').toBe(value.group ?? '')
        })
      },
    ),
    { numRuns: 1_500 },
  )
})

test('two spellings of a name are one asset', () => {
  const spelled = '{"date":"2024-01-03","\\u0061sset":"\\u0041","score":1,"forward_return":0.1}'
  const { panel } = readBody(encode(panel2(row, spelled)))
  expect(panel?.columns.assetNames).toEqual(['A'])
})
const panel2 = (...rows: string[]) => panel(rows.join(' , '))

test('survives anything: a Failure or a request, never another error', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\',
    'null',
    'true',
    '1',
    '-',
    '.',
    'e9',
    '"panel"',
    '"config"',
    row,
    ' ',
    '\n',
    '\u0000',
    'é',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), parts => {
      const text = parts.join('')
      try {
        readBody(encode(text))
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
      }
    }),
    { numRuns: 3_000 },
  )
})
