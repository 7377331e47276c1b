import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseJson } from '../../../src/ingest/reading/json.ts'
import { locateJsonFault } from '../../../src/ingest/reading/jsonFault.ts'

test('finds an error exactly in the texts that the built-in parser refuses', () => {
  const texts = fc.oneof(
    fc.json(),
    fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', '\\', 'x', '0'))
      .map(([json, at, text]) => {
        const place = at % (json.length + 1)
        return json.slice(0, place) + text + json.slice(place + 1)
      }),
  )
  fc.assert(
    fc.property(texts, text => {
      let valid = true
      try {
        JSON.parse(text)
      } catch {
        valid = false
      }
      expect([text, locateJsonFault(text) === null]).toEqual([text, valid])
    }),
    { numRuns: 3_000 },
  )
})

test('names line, column and byte', () => {
  expect(locateJsonFault('{"a": 1,\n "é": tru}')).toEqual({
    line: 2,
    column: 7,
    byte: 16,
    message: 'expected a value',
  })
  expect(locateJsonFault('{"a": [1, 2')).toMatchObject({
    line: 1,
    column: 12,
    message: 'expected `,` or `]`, but the text ends',
  })
})

test('says what is wrong inside of a string or a number, at its beginning', () => {
  const faults: [string, string][] = [
    ['["a\\x"]', 'the string has an escape that is not one of'],
    ['["\\u00zz"]', 'without four hexadecimal digits'],
    ['["a\u0001"]', 'the string has a control character'],
    ['["abc', 'the string has no closing quotation mark'],
    ['[1.]', 'the number lacks a digit'],
  ]
  for (const [text, message] of faults)
    expect(locateJsonFault(text)).toMatchObject({ column: 2, message: expect.stringContaining(message) })
})

test('a text that is too deep to search is still refused', () => {
  const deep = '['.repeat(90_000)
  expect(locateJsonFault(deep)).toBeNull()
  expect(() => parseJson(Buffer.from(deep))).toThrow('JSON')
  expect(locateJsonFault(`[x${deep}`)).toMatchObject({ column: 2, message: 'expected a value' })
})
