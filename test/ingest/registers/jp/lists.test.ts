import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { dayNumber } from '../../../../src/dates.ts'
import { yearEndOf } from '../../../../src/ingest/registers/jp/lists.ts'
import { readDocument } from '../../../../src/ingest/registers/jp/readDocument.ts'

const fixture = (name: string) => Bun.file(join(import.meta.dir, 'fixtures', name)).bytes()
const utf8 = (text: string) => new TextEncoder().encode(text)

describe('the list of EDINET codes', () => {
  test('names every filer in its own script, in English and in kana', async () => {
    const name = 'EdinetcodeDlInfo.csv'
    const { contributions, leftOut } = readDocument({ name, bytes: await fixture(name) })
    const profiles = contributions.map(({ profile }) => profile)
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
      otherNames: ['Nintendo Co., Ltd.', 'ニンテンドウカブシキガイシャ'],
      tickers: ['E02367.JP'],
      fiscalYearEnd: '0331',
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

  test('is read in UTF-8 too, without the line of metadata; bad rows are counted', () => {
    const text =
      '\uFEFFＥＤＩＮＥＴコード,決算日,提出者名,提出者名（英字）,提出者名（ヨミ）\n' +
      'E00004,5月31日,カネコ種苗株式会社,"KANEKO SEEDS CO., LTD.",カネコシュビョウカブシキガイシャ\n' +
      'E00004,5月31日,カネコ種苗株式会社,,\nG00004,,,,\nE00006,2月30日,　,,\n'
    const { contributions, leftOut } = readDocument({ name: 'edinetcode.csv', bytes: utf8(text) })
    expect(contributions.map(({ profile }) => [profile.issuerId, profile.name])).toEqual([
      ['E00004', 'カネコ種苗株式会社'],
      ['E00006', undefined],
    ])
    expect(leftOut).toEqual({
      'a row without an EDINET code': 1,
      'an EDINET code that was listed before': 1,
      'the end of a fiscal year that is no day': 1,
    })
  })

  test('is refused where it was cut off, is in another encoding or lacks a column', async () => {
    const bytes = await fixture('EdinetcodeDlInfo.csv')
    const text = new TextDecoder('shift_jis').decode(bytes)
    const lines = text.split('\r\n')
    const read = (changed: string) => () =>
      readDocument({ name: 'EdinetcodeDlInfo.csv', bytes: utf8(`\uFEFF${changed}`) })
    expect(read(lines.slice(0, -2).join('\r\n'))).toThrow('has 5 rows and promises 6')
    expect(read(text.slice(0, -30))).toThrow(/line|promises/)
    expect(read(text.replaceAll('決算日', '日'))).toThrow('no column 決算日')
    expect(() => readDocument({ name: 'EdinetcodeDlInfo.csv', bytes: utf8(text) })).toThrow()
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

describe('the list of documents', () => {
  const name = 'documents-2024-06-28.json'

  // Rows of 2024-06-28: S100TMMG is Nintendo's annual report, submitted at 12:22 in Japan, S100TX0A an amendment by Seria.
  test('gives the annual reports of companies and their amendments, with the minute of submission', async () => {
    const { contributions, leftOut } = readDocument({ name, bytes: await fixture(name) })
    expect(contributions.map(({ profile }) => profile.issuerId)).toEqual(['E03418', 'E02367'])
    expect(contributions.flatMap(({ filings }) => filings)).toEqual([
      {
        accession: 'JP:S100TX0A',
        form: '130',
        filed: dayNumber('2024-06-28'),
        acceptedAt: Date.parse('2024-06-28T09:02:00+09:00'),
      },
      {
        accession: 'JP:S100TMMG',
        form: '120',
        filed: dayNumber('2024-06-28'),
        acceptedAt: Date.parse('2024-06-28T12:22:00+09:00'),
      },
    ])
    expect(leftOut).toEqual({
      'an annual securities report of a fund': 1,
      'the withdrawal of a document': 1,
      'an annual securities report of an issuer of foreign bonds or the like': 1,
      'a document other than an annual securities report': 1,
    })
  })

  // The row as ../shared/registers/jp/documents_csv/2024-06-28.csv.gz has it, cut to the columns that are read.
  test('is read as a table too', () => {
    const header =
      'docID,edinetCode,filerName,fundCode,ordinanceCode,docTypeCode,submitDateTime,withdrawalStatus'
    const row = 'S100TMMG,E02367,任天堂株式会社,,010,120,2024-06-28 12:22,0'
    const withdrawal = 'S100TWV3,,,,,,2024-06-28 09:10,1'
    const read = (text: string) => readDocument({ name: '2024-06-28.csv', bytes: utf8(`\uFEFF${text}`) })
    const { contributions, leftOut } = read(`${header}\n${row}\n${withdrawal}\n`)
    expect(contributions.flatMap(({ filings }) => filings)).toEqual([
      {
        accession: 'JP:S100TMMG',
        form: '120',
        filed: dayNumber('2024-06-28'),
        acceptedAt: Date.parse('2024-06-28T03:22:00Z'),
      },
    ])
    expect(leftOut).toEqual({ 'the withdrawal of a document': 1 })
    expect(() => read(`${header},docID\n${row},S100TMML\n`)).toThrow(
      'line 1: the column docID is there twice',
    )
    expect(() => read(`${header}\n${row.slice(0, -2)}\n`)).toThrow(/line 2/)
    expect(() => read('docId,edinetCode\n1,2\n')).toThrow('neither a list of EDINET codes')
  })

  const changed = async (change: (row: Record<string, unknown>) => Record<string, unknown>) => {
    const list = await Bun.file(join(import.meta.dir, 'fixtures', name)).json()
    list.results = list.results.map((row: Record<string, unknown>) =>
      row.docID === 'S100TMMG' ? { ...row, ...change(row) } : row,
    )
    const { contributions, leftOut } = readDocument({ name, bytes: utf8(JSON.stringify(list)) })
    const filings = contributions.flatMap(({ filings }) => filings.map(({ accession }) => accession))
    return { filings, leftOut }
  }

  test('keeps the filing of a report that was withdrawn later: until then everybody could read it', async () => {
    const { filings } = await changed(() => ({ withdrawalStatus: '2' }))
    expect(filings).toContain('JP:S100TMMG')
  })

  test('counts rows that the register has emptied', async () => {
    const emptied = { docTypeCode: null, edinetCode: null, ordinanceCode: null, filerName: null }
    expect((await changed(() => ({ ...emptied, withdrawalStatus: '2' }))).leftOut).toMatchObject({
      'a document that was withdrawn and whose row was emptied': 1,
    })
    expect((await changed(() => emptied)).leftOut).toMatchObject({ 'a document whose row was emptied': 1 })
  })

  test.each([
    ['no such day', { submitDateTime: '2024-02-30 09:00' }],
    ['no such hour', { submitDateTime: '2024-06-28 24:00' }],
    ['no time', { submitDateTime: null }],
    ['no number', { docID: '' }],
    ['a code of a fund', { edinetCode: 'G02367' }],
  ])('guesses nothing: %s', async (_, change) => {
    const { filings, leftOut } = await changed(() => change)
    expect(filings).toEqual(['JP:S100TX0A'])
    expect(leftOut).toMatchObject({ 'a document without a number, a filer or a time of submission': 1 })
  })

  test('is refused where it was cut off, is an error or has metadata only', async () => {
    const list = await Bun.file(join(import.meta.dir, 'fixtures', name)).json()
    const read = (document: unknown) => () => readDocument({ name, bytes: utf8(JSON.stringify(document)) })
    expect(read({ ...list, results: list.results.slice(1) })).toThrow('has 5 documents and promises 6')
    expect(read({ metadata: list.metadata })).toThrow('ask the API with type=2')
    const refused = { ...list.metadata, status: '404', message: 'Not Found' }
    expect(read({ metadata: refused })).toThrow('The API answered 404: Not Found')
    expect(read([])).toThrow('`metadata` and `results`')
  })
})
