import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { yearEndOf } from '../../../../src/ingest/registers/jp/codeList.ts'
import { readJapaneseReport } from '../../../../src/ingest/registers/jp/readDocument.ts'

const fixture = (name: string) => Bun.file(join(import.meta.dir, 'fixtures', name)).bytes()
const utf8 = (text: string) => new TextEncoder().encode(text)

describe('the list of EDINET codes', () => {
  test('names every filer in its own script, in English and in kana', async () => {
    const name = 'EdinetcodeDlInfo.csv'
    const { parsed, leftOut } = readJapaneseReport({ name, bytes: await fixture(name) })
    const profiles = parsed.map(({ profile }) => profile)
    expect(profiles.map(({ issuerId }) => issuerId)).toEqual([
      'E00004',
      'E00006',
      'E00342',
      'E02144',
      'E02367',
      'E05563',
    ])
    expect(profiles[4]).toEqual({
      market: 'JP',
      issuerId: 'E02367',
      name: '任天堂株式会社',
      otherNames: ['Nintendo Co., Ltd.', 'ニンテンドウカブシキガイシャ', '7974'],
      tickers: ['E02367.JP'],
      fiscalYearEnd: '0331',
      sector: 'EDINET その他製品',
      status: 'listed',
      registers: true,
    })
    expect(profiles.map(({ fiscalYearEnd }) => fiscalYearEnd)).toEqual([
      '0531',
      '0531',
      '0228',
      '0331',
      '0331',
      '0430',
    ])
    expect(leftOut).toEqual({})
  })

  test('is read in UTF-8, too, without the line of metadata; bad rows are counted', () => {
    const text =
      '\uFEFFＥＤＩＮＥＴコード,決算日,提出者名,提出者名（英字）,提出者名（ヨミ）\n' +
      'E00004,5月31日,カネコ種苗株式会社,"KANEKO SEEDS CO., LTD.",カネコシュビョウカブシキガイシャ\n' +
      'E00004,5月31日,カネコ種苗株式会社,,\nG00004,,,,\nE00006,2月30日,　,,\n'
    const { parsed, leftOut } = readJapaneseReport({ name: 'edinetcode.csv', bytes: utf8(text) })
    expect(parsed.map(({ profile }) => [profile.issuerId, profile.name])).toEqual([
      ['E00004', 'カネコ種苗株式会社'],
      ['E00006', undefined],
    ])
    expect(leftOut).toEqual({
      'a row without an EDINET code': 1,
      'an EDINET code listed a second time': 1,
      'a fiscal year end that is not a date': 1,
    })
  })

  test('is refused where it was cut off, is in another encoding or lacks a column', async () => {
    const bytes = await fixture('EdinetcodeDlInfo.csv')
    const text = new TextDecoder('shift_jis').decode(bytes)
    const lines = text.split('\r\n')
    const read = (changed: string) => () =>
      readJapaneseReport({ name: 'EdinetcodeDlInfo.csv', bytes: utf8(`\uFEFF${changed}`) })
    expect(read(lines.slice(0, -2).join('\r\n'))).toThrow('has 5 rows, but states 6')
    expect(read(text.slice(0, -30))).toThrow(/line|states/)
    expect(read(text.replaceAll('決算日', '日'))).toThrow('does not have the column 決算日')
    expect(() => readJapaneseReport({ name: 'EdinetcodeDlInfo.csv', bytes: utf8(text) })).toThrow()
  })

  test.each([
    ['5月31日', '0531'],
    ['2月末日', '0228'],
    ['2月29日', '0229'],
    ['１２月末日', '1231'],
    ['4月20日', '0420'],
    ['4月31日', null],
    ['13月1日', null],
    ['5月0日', null],
    ['31 May', null],
  ])('a fiscal year that ends on %s', (text, expected) => {
    expect(yearEndOf(text)).toBe(expected)
  })
})
