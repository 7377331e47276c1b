import { expect, test } from 'bun:test'
import { parseJson } from '../../../../src/ingest/reading/json.ts'

const parse = (text: string) => parseJson(new TextEncoder().encode(text))

test('a key that is there twice is refused with its place, for the parser would take the later value', () => {
  expect(() => parse('{"é": 1,\n "val": 1, "val": 2}')).toThrow(
    'line 2, column 12 (byte 21): the key "val" is there twice.',
  )
  expect(parse('[{"val": 1}, {"val": 2}]')).toEqual([{ val: 1 }, { val: 2 }])
})

test('what is no JSON is refused with its place', () => {
  expect(() => parse('{"val": 1.234.567,89}')).toThrow(
    'line 1, column 14 (byte 13): `,` or `}` was expected.',
  )
})
