import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { repeatedKey } from '../../../../src/ingest/reading/json.ts'

test('what was written by JSON.stringify names no key twice', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      expect(repeatedKey(JSON.stringify(value, null, indent))).toBeNull()
    }),
  )
})

test('a key that is there twice in one object is found, however it is written', () => {
  expect(repeatedKey('{"a": 1, "b": {"a": 2}, "a" : 3}')).toEqual({ key: 'a', at: 24 })
  expect(repeatedKey('[{"a\\"": 1, "x": "a", "\\u0061\\"": 2}]')).toMatchObject({ key: 'a"' })
  expect(repeatedKey('[{"a": 1}, {"a": "a"}, ["a", "a"]]')).toBeNull()
})
