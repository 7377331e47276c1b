import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { repeatedKey } from '../../../../src/ingest/reading/json.ts'
import { jsonElements } from '../../../../src/ingest/reading/jsonElements.ts'

const elements = (text: string) => [...jsonElements(Buffer.from(text))]

test('a list gives its elements, whatever is in them', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1), (list, indent) => {
      const text = JSON.stringify(list, null, indent)
      expect(elements(text)).toEqual(JSON.parse(text))
    }),
  )
})

test('lists may follow one another, and what is no list is its own only element', () => {
  expect(elements('[1, 2]\n[]\n[{"a": "]"}]\n')).toEqual([1, 2, { a: ']' }])
  expect(elements('\ufeff [3]')).toEqual([3])
  expect(elements(' {"a": [1]}')).toEqual([{ a: [1] }])
})

test('a fault is named with its place in the whole document', () => {
  const faults: [string, RegExp][] = [
    ['[{"a": 1},\n {"é": tru}]', /^line 2, column 8 \(byte 19\): a value was expected/],
    ['[1,\n [2, 3', /^line 2, column 7 \(byte 10\): .*the text ends/],
    ['[1, 2', /^line 1, column 6 \(byte 5\): `,` or `\]` was expected, the text ends/],
    ['[1,]', /^line 1, column 4 \(byte 3\): a value was expected/],
    ['[', /^line 1, column 2 \(byte 1\): a value was expected, the text ends/],
    ['', /^line 1, column 1 \(byte 0\): a value was expected, the text ends/],
    ['[1]\nx', /^line 2, column 1 \(byte 4\)/],
    ['[1}', /^line 1, column 3 \(byte 2\)/],
  ]
  for (const [text, reason] of faults) expect(() => elements(text)).toThrow(reason)
})

test('whatever JSON.parse refuses as a list is refused', () => {
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
          // Several lists in a row are no JSON text, but are read.
          if (/\]\s*\[/.test(text)) return
          expect(() => elements(text)).toThrow()
          return
        }
        // The piece may have made two keys one: JSON.parse takes it.
        if (repeatedKey(text) !== null) expect(() => elements(text)).toThrow('is there twice')
        else expect(elements(text)).toEqual(Array.isArray(parsed) ? parsed : [parsed])
      },
    ),
    { numRuns: 1_000 },
  )
})
