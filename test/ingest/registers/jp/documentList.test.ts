import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { dayNumber } from '../../../../src/dates.ts'
import { readJapaneseReport } from '../../../../src/ingest/registers/jp/readDocument.ts'

const fixture = (name: string) => Bun.file(join(import.meta.dir, 'fixtures', name)).bytes()
const utf8 = (text: string) => new TextEncoder().encode(text)

describe('the list of documents', () => {
  const name = 'documents-2024-06-28.json'

  // Rows of 2024-06-28: S100TMMG is Nintendo's annual report, submitted at 12:22 in Japan, S100TX0A an amendment by Seria.
  test('gives the annual reports of companies and their amendments, with the minute of submission', async () => {
    const { parsed, leftOut } = readJapaneseReport({ name, bytes: await fixture(name) })
    expect(parsed.map(({ profile }) => profile.issuerId)).toEqual(['E03418', 'E02367'])
    expect(parsed.flatMap(({ filings }) => filings)).toEqual([
      {
        accession: 'JP:S100TX0A',
        form: '130',
        filed: dayNumber('2024-06-28'),
        acceptedAt: Date.parse('2024-06-28T09:02:00+09:00'),
        companyName: '株式会社セリア',
      },
      {
        accession: 'JP:S100TMMG',
        form: '120',
        filed: dayNumber('2024-06-28'),
        acceptedAt: Date.parse('2024-06-28T12:22:00+09:00'),
        companyName: '任天堂株式会社',
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
  test('is read as a table, too', () => {
    const header =
      'docID,edinetCode,filerName,fundCode,ordinanceCode,docTypeCode,submitDateTime,withdrawalStatus'
    const row = 'S100TMMG,E02367,任天堂株式会社,,010,120,2024-06-28 12:22,0'
    const withdrawal = 'S100TWV3,,,,,,2024-06-28 09:10,1'
    const read = (text: string) =>
      readJapaneseReport({ name: '2024-06-28.csv', bytes: utf8(`\uFEFF${text}`) })
    const { parsed, leftOut } = read(`${header}\n${row}\n${withdrawal}\n`)
    expect(parsed.flatMap(({ filings }) => filings)).toEqual([
      {
        accession: 'JP:S100TMMG',
        form: '120',
        filed: dayNumber('2024-06-28'),
        acceptedAt: Date.parse('2024-06-28T03:22:00Z'),
        companyName: '任天堂株式会社',
      },
    ])
    expect(leftOut).toEqual({ 'the withdrawal of a document': 1 })
    expect(() => read(`${header},docID\n${row},S100TMML\n`)).toThrow('line 1: the column docID appears twice')
    expect(() => read(`${header}\n${row.slice(0, -2)}\n`)).toThrow(/line 2/)
    expect(() => read('docId,edinetCode\n1,2\n')).toThrow('neither a list of EDINET codes')
  })

  const changed = async (change: (row: Record<string, unknown>) => Record<string, unknown>) => {
    const list = await Bun.file(join(import.meta.dir, 'fixtures', name)).json()
    list.results = list.results.map((row: Record<string, unknown>) =>
      row.docID === 'S100TMMG' ? { ...row, ...change(row) } : row,
    )
    const { parsed, leftOut, faults } = readJapaneseReport({ name, bytes: utf8(JSON.stringify(list)) })
    const filings = parsed.flatMap(({ filings }) => filings.map(({ accession }) => accession))
    return { filings, leftOut, faults: faults?.named }
  }

  test('has the filing of a report that was withdrawn later: it was public until then', async () => {
    const { filings } = await changed(() => ({ withdrawalStatus: '2' }))
    expect(filings).toContain('JP:S100TMMG')
  })

  test('counts rows that the register emptied', async () => {
    const emptied = { docTypeCode: null, edinetCode: null, ordinanceCode: null, filerName: null }
    expect((await changed(() => ({ ...emptied, withdrawalStatus: '2' }))).leftOut).toMatchObject({
      'a withdrawn document with an emptied row': 1,
    })
    expect((await changed(() => emptied)).leftOut).toMatchObject({ 'a document with an emptied row': 1 })
  })

  test.each([
    ['no time', { submitDateTime: null }],
    ['no number', { docID: '' }],
    ['a code of a fund', { edinetCode: 'G02367' }],
  ])('guesses nothing: %s', async (_, change) => {
    const { filings, leftOut } = await changed(() => change)
    expect(filings).toEqual(['JP:S100TX0A'])
    expect(leftOut).toMatchObject({ 'a document without a number, a filer or a time of submission': 1 })
  })

  test.each(['2024-02-30 09:00', '2024-06-28 24:00'])('names a submission at %s', async submitDateTime => {
    const { filings, faults } = await changed(() => ({ submitDateTime }))
    expect(filings).toEqual(['JP:S100TX0A'])
    expect(faults).toEqual([
      `document "S100TMMG": submitDateTime is "${submitDateTime}", not a day and a time`,
    ])
  })

  test('is refused where it was cut off, is an error or has metadata only', async () => {
    const list = await Bun.file(join(import.meta.dir, 'fixtures', name)).json()
    const read = (document: unknown) => () =>
      readJapaneseReport({ name, bytes: utf8(JSON.stringify(document)) })
    expect(read({ ...list, results: list.results.slice(1) })).toThrow('has 5 documents, but states 6')
    expect(read({ metadata: list.metadata })).toThrow('Request it from the API with type=2')
    const refused = { ...list.metadata, status: '404', message: 'Not Found' }
    expect(read({ metadata: refused })).toThrow('The API responded with 404: Not Found')
    expect(read([])).toThrow('`metadata` and `results`')
  })
})
