import { expect, test } from 'bun:test'
import fc from 'fast-check'
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
