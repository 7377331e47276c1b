import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { repeatedKey } from '../../../src/ingest/reading/json.ts'
import { jsonElements } from '../../../src/ingest/reading/jsonElements.ts'

const elements = (text: string) => [...jsonElements(Buffer.from(text))]

test('yields the elements of any list', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1), (list, indent) => {
      const text = JSON.stringify(list, null, indent)
      expect(elements(text)).toEqual(JSON.parse(text))
    }),
  )
})

test('reads several lists in a row, and a document that is not a list as its own only element', () => {
  expect(elements('[1, 2]\n[]\n[{"a": "]"}]\n')).toEqual([1, 2, { a: ']' }])
  expect(elements('\ufeff [3]')).toEqual([3])
  expect(elements(' {"a": [1]}')).toEqual([{ a: [1] }])
})

test('names the place of an error in the whole document', () => {
  const faults: [string, RegExp][] = [
    ['[{"a": 1},\n {"é": tru}]', /^line 2, column 8 \(byte 19\): expected a value/],
    ['[1,\n [2, 3', /^line 2, column 7 \(byte 10\): .*the text ends/],
    ['[1, 2', /^line 1, column 6 \(byte 5\): expected `,` or `\]`, but the text ends/],
    ['[1,]', /^line 1, column 4 \(byte 3\): expected a value/],
    ['[', /^line 1, column 2 \(byte 1\): expected a value, but the text ends/],
    ['', /^line 1, column 1 \(byte 0\): expected a value, but the text ends/],
    ['[1]\nx', /^line 2, column 1 \(byte 4\)/],
    ['[1}', /^line 1, column 3 \(byte 2\)/],
  ]
  for (const [text, reason] of faults) expect(() => elements(text)).toThrow(reason)
})

test('refuses every list that JSON.parse refuses', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { minLength: 1 }),
      fc.nat(),
      fc.constantFrom('', ',', '}', ']', '"', '\\', 'x'),
      (list, at, piece) => {
        const whole = JSON.stringify(list)
        const place = 1 + (at % (whole.length - 1))
        const text = whole.slice(0, place) + piece + whole.slice(place + 1)
        let parsed: unknown
        try {
          parsed = JSON.parse(text)
        } catch {
          // Several lists in a row are not JSON, but jsonElements reads them.
          if (/\]\s*\[/.test(text)) return
          expect(() => elements(text)).toThrow()
          return
        }
        // The piece may have made two keys equal, which JSON.parse accepts.
        if (repeatedKey(text) !== null) expect(() => elements(text)).toThrow('appears twice')
        else expect(elements(text)).toEqual(Array.isArray(parsed) ? parsed : [parsed])
      },
    ),
    { numRuns: 1_000 },
  )
})
