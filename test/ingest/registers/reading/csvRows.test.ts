import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvRows } from '../../../../src/ingest/reading/text.ts'

const rows = (text: string) => csvRows(text).records

describe('a table', () => {
  test('has names, quotes, line breaks in quotes, and semicolons where it has no comma', () => {
    expect(rows('\ufeffa,b\r\n1,"x, ""y""\nz"\r\n\r\n2,\r\n')).toEqual([
      { a: '1', b: 'x, "y"\nz' },
      { a: '2', b: '' },
    ])
    expect(rows('a;b\n1;2')).toEqual([{ a: '1', b: '2' }])
    expect(rows('a,b\n1,')).toEqual([{ a: '1', b: '' }])
    expect(csvRows('')).toEqual({ header: [], records: [] })
  })

  test('gives back whatever was quoted after RFC 4180', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', ' ', 'é') })
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell)), cells => {
        const text = ['a,b', ...cells.map(pair => pair.map(quoted).join(','))].join('\r\n')
        expect(rows(text)).toEqual(cells.map(([a, b]) => ({ a, b })))
      }),
    )
  })

  test('names the line of a fault', () => {
    expect(() => rows('a,b\n1,2\n1,2,3\n')).toThrow(/expect 2, got 3 on line 3/)
    expect(() => rows('a,b\n"1\n\n2",3\n"4"x,5\n')).toThrow(/line 5/)
    expect(() => rows('a,b\n1,"2')).toThrow(/line 2/)
    expect(() => rows('a,a\n1,2')).toThrow('line 1: the column a is there twice.')
  })
})
