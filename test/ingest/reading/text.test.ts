import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvRows, decodeText, readCsv } from '../../../src/ingest/reading/text.ts'

describe('a delimited file', () => {
  test('gives its rows, with or without quotes and a byte order mark', () => {
    expect(readCsv('\uFEFFa,b\r\n"1,5","say ""no"""\r\n\r\n', ',')).toEqual([
      ['a', 'b'],
      ['1,5', 'say "no"'],
    ])
    expect(readCsv('a\tb\n"x\ty"\t"line\nbreak"\n', '\t')).toEqual([
      ['a', 'b'],
      ['x\ty', 'line\nbreak'],
    ])
  })

  test('can start below its first line', () => {
    expect(readCsv('as of today,2\nk,v,w\n1,2,3\n', ',', 2)).toEqual([
      ['k', 'v', 'w'],
      ['1', '2', '3'],
    ])
  })

  test.each([
    ['a row that is too short', 'a,b\n1,2\n3\n', /line 3.*CSV_RECORD_INCONSISTENT_FIELDS_LENGTH/],
    ['a quote that is never closed', 'a,b\n1,"2\n3,4\n', /line \d.*CSV_QUOTE_NOT_CLOSED/],
    ['text after a closing quote', 'a,b\n1,"2"x\n', /line 2.*CSV_/],
  ])('is refused with the line: %s', (_, text, reason) => {
    expect(() => readCsv(text, ',')).toThrow(reason)
  })
})

describe('decodeText', () => {
  test('decodes by the byte order mark, or else by the encoding of the register', () => {
    expect(decodeText(Uint8Array.of(0xff, 0xfe, 0x81, 0x89), 'utf-8')).toBe('要')
    expect(decodeText(Uint8Array.of(0xfe, 0xff, 0x89, 0x81), 'utf-8')).toBe('要')
    expect(decodeText(Uint8Array.of(0xef, 0xbb, 0xbf, 0xe8, 0xa6, 0x81), 'shift_jis')).toBe('要')
    expect(decodeText(Uint8Array.of(0x97, 0x76, 0x87, 0x40), 'shift_jis')).toBe('要①')
  })

  test('refuses text of another encoding', () => {
    expect(() => decodeText(Uint8Array.of(0x97, 0x76), 'utf-8')).toThrow('not utf-8')
    expect(() => decodeText(Uint8Array.of(0xff, 0xff), 'shift_jis')).toThrow('not CP932')
    expect(() => decodeText(Uint8Array.of(0xff, 0xfe, 0x81), 'utf-8')).toThrow('not utf-16le')
  })
})

const rows = (text: string) => csvRows(text).records

describe('a table with a header', () => {
  test('may have quotes, line breaks in quotes, and semicolons if it has no comma', () => {
    expect(rows('\ufeffa,b\r\n1,"x, ""y""\nz"\r\n\r\n2,\r\n')).toEqual([
      { a: '1', b: 'x, "y"\nz' },
      { a: '2', b: '' },
    ])
    expect(rows('a;b\n1;2')).toEqual([{ a: '1', b: '2' }])
    expect(rows('a,b\n1,')).toEqual([{ a: '1', b: '' }])
    expect(csvRows('')).toEqual({ header: [], records: [] })
  })

  test('gives back every cell that was quoted by RFC 4180', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', ' ', 'é') })
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell)), cells => {
        const text = ['a,b', ...cells.map(pair => pair.map(quoted).join(','))].join('\r\n')
        expect(rows(text)).toEqual(cells.map(([a, b]) => ({ a, b })))
      }),
    )
  })

  test('names the line of an error', () => {
    expect(() => rows('a,b\n1,2\n1,2,3\n')).toThrow(/expect 2, got 3 on line 3/)
    expect(() => rows('a,b\n"1\n\n2",3\n"4"x,5\n')).toThrow(/line 5/)
    expect(() => rows('a,b\n1,"2')).toThrow(/line 2/)
    expect(() => rows('a,a\n1,2')).toThrow('line 1: the column a appears twice.')
  })
})
