import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseJson, repeatedKey } from '../../../src/ingest/reading/json.ts'

const parse = (text: string) => parseJson(new TextEncoder().encode(text))

test('a repeated key is refused with its place, because the parser would take the later value', () => {
  expect(() => parse('{"é": 1,\n "val": 1, "val": 2}')).toThrow(
    'line 2, column 12 (byte 21): the key "val" appears twice.',
  )
  expect(parse('[{"val": 1}, {"val": 2}]')).toEqual([{ val: 1 }, { val: 2 }])
})

test('a text that is not JSON is refused with the place of the error', () => {
  expect(() => parse('{"val": 1.234.567,89}')).toThrow('line 1, column 14 (byte 13): expected `,` or `}`.')
})

test('finds no repeated key in the output of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      expect(repeatedKey(JSON.stringify(value, null, indent))).toBeNull()
    }),
  )
})

test('finds a repeated key of one object, also with spaces and escapes', () => {
  expect(repeatedKey('{"a": 1, "b": {"a": 2}, "a" : 3}')).toEqual({ key: 'a', at: 24 })
  expect(repeatedKey('[{"a\\"": 1, "x": "a", "\\u0061\\"": 2}]')).toMatchObject({ key: 'a"' })
  expect(repeatedKey('[{"a": 1}, {"a": "a"}, ["a", "a"]]')).toBeNull()
})
