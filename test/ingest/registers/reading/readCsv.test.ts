import { describe, expect, test } from 'bun:test'
import { decodeText, readCsv } from '../../../../src/ingest/reading/text.ts'

describe('a delimited file', () => {
  test('is its rows, quoted or not, with and without a mark', () => {
    expect(readCsv('\uFEFFa,b\r\n"1,5","say ""no"""\r\n\r\n', ',')).toEqual([
      ['a', 'b'],
      ['1,5', 'say "no"'],
    ])
    expect(readCsv('a\tb\n"x\ty"\t"line\nbreak"\n', '\t')).toEqual([
      ['a', 'b'],
      ['x\ty', 'line\nbreak'],
    ])
  })

  test('may begin below its first line', () => {
    expect(readCsv('as of today,2\nk,v,w\n1,2,3\n', ',', 2)).toEqual([
      ['k', 'v', 'w'],
      ['1', '2', '3'],
    ])
  })

  test.each([
    ['a row too short', 'a,b\n1,2\n3\n', /line 3.*CSV_RECORD_INCONSISTENT_FIELDS_LENGTH/],
    ['a quote that is never closed', 'a,b\n1,"2\n3,4\n', /line \d.*CSV_QUOTE_NOT_CLOSED/],
    ['text after a closing quote', 'a,b\n1,"2"x\n', /line 2.*CSV_/],
  ])('is refused, with the line, where it has %s', (_, text, reason) => {
    expect(() => readCsv(text, ',')).toThrow(reason)
  })
})

describe('a text', () => {
  test('is decoded by its mark, else as the register writes', () => {
    expect(decodeText(Uint8Array.of(0xff, 0xfe, 0x81, 0x89), 'utf-8')).toBe('要')
    expect(decodeText(Uint8Array.of(0xfe, 0xff, 0x89, 0x81), 'utf-8')).toBe('要')
    expect(decodeText(Uint8Array.of(0xef, 0xbb, 0xbf, 0xe8, 0xa6, 0x81), 'shift_jis')).toBe('要')
    expect(decodeText(Uint8Array.of(0x97, 0x76, 0x87, 0x40), 'shift_jis')).toBe('要①')
  })

  test('of another encoding is refused', () => {
    expect(() => decodeText(Uint8Array.of(0x97, 0x76), 'utf-8')).toThrow('not utf-8')
    expect(() => decodeText(Uint8Array.of(0xff, 0xff), 'shift_jis')).toThrow('not CP932')
    expect(() => decodeText(Uint8Array.of(0xff, 0xfe, 0x81), 'utf-8')).toThrow('not utf-16le')
  })
})
