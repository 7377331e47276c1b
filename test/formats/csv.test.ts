import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvCell, csvLine } from '../../src/formats/csv.ts'
import { withoutFormulaGuard } from '../../src/formats/formulaGuard.ts'

/** Text of little else than what matters here. */
const dense = fc.string({ unit: fc.constantFrom('=', '-', ';', '\t', '\n', "'", ' ', '\u200b', 'a', '1') })

describe('a CSV cell', () => {
  test('is quoted by RFC 4180 if it contains a comma, a quote or a line end', () => {
    expect(csvLine(['a', 'b,c', 'say "x"', 'two\r\nlines', null, 1.5, true])).toBe(
      'a,"b,c","say ""x""","two\r\nlines",,1.5,true\r\n',
    )
  })

  test('that a spreadsheet would run as a formula gets an apostrophe', () => {
    expect(['=1+1', '+SUM(A1)', '-cmd|x', '@A1', '\t=1', '\r=1', '="a,b"', '+', '-'].map(csvCell)).toEqual([
      "'=1+1",
      "'+SUM(A1)",
      "'-cmd|x",
      "'@A1",
      "'\t'=1",
      '"\'\r\'=1"',
      '"\'=""a,b"""',
      "'+",
      "'-",
    ])
  })

  test('that a program may run after trimming it, or that starts in wide letters, gets one too', () => {
    for (const text of [
      ' =HYPERLINK(1)',
      '\n=1',
      '\u00a0=1',
      '\ufeff=1',
      '\u200b@A1',
      '＝HYPERLINK(1)',
      '＋1',
      '－1',
      '＠A1',
      '﹦1',
      "'=1",
      '\u115f=1',
      '\u3164@A1',
      '\u{e0100}+1',
    ])
      expect(csvCell(text).replace(/^"/, '')).toStartWith("'")
    for (const text of ['Société - Générale', 'A=B', '３Ｍ', "L'Oréal", "'s-Hertogenbosch", ''])
      expect(csvCell(text)).toBe(text)
  })

  test('whose part a spreadsheet with another separator would run gets an apostrophe there', () => {
    expect(csvCell('1;=1')).toBe("1;'=1")
    expect(csvCell('a\t=1')).toBe("a\t'=1")
    expect(csvCell('a; \u200b@A1;+2')).toBe("a;' \u200b@A1;'+2")
    expect(csvCell('a\n=1')).toBe('"a\n\'=1"')
    expect(csvCell('=a;=b')).toBe("'=a;'=b")
    for (const text of ['Smith; Jones', 'a;b=c', 'A\tB']) expect(csvCell(text)).toBe(text)
  })

  test('that is a number does not change', () => {
    expect(['-1.5', '+2', '-1e-5', '-.5', '-5.'].map(csvCell)).toEqual(['-1.5', '+2', '-1e-5', '-.5', '-5.'])
    expect([-1.5, 0, -1e-7].map(csvCell)).toEqual(['-1.5', '0', '-1e-7'])
  })

  test('never starts a formula', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), dense), text => {
        const cell = csvCell(text)
        const shown = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
        const number = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)
        expect(number || !/^[=+\-@\t\r]/.test(shown)).toBe(true)
        expect(shown.split(/[;\t\r\n]/).filter((part, n) => n > 0 && /^\s*[=+\-@]/.test(part))).toEqual([])
        expect(shown.replaceAll("'", '')).toBe(text.replaceAll("'", ''))
        expect(withoutFormulaGuard(shown)).toBe(text)
      }),
    )
  })
})
