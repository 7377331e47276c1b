import { describe, expect, test } from 'bun:test'
import { isoDate } from '../../../../src/dates.ts'
import { readJapaneseReport } from '../../../../src/ingest/registers/jp/readDocument.ts'
import { parseReportName } from '../../../../src/ingest/registers/jp/report.ts'

describe('the filing date', () => {
  const fixture = `${import.meta.dir}/fixtures/jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl`
  const filedOf = async (named: string, onCover: string, change: (text: string) => string = text => text) => {
    const text = change(
      (await Bun.file(fixture).text()).replace(
        '>2024-06-28</jpcrp_cor:Filing',
        `>${onCover}</jpcrp_cor:Filing`,
      ),
    )
    const name = `jpcrp030000-asr-001_E02367-000_2024-03-31_${named}.xbrl`
    const { parsed, leftOut } = readJapaneseReport({ name, bytes: new TextEncoder().encode(text) })
    const filing = parsed[0]?.filings[0]
    return filing === undefined ? leftOut : `${filing.form} ${isoDate(filing.filed)}`
  }

  test('is the later of the dates in the name and on the cover', async () => {
    expect(await filedOf('01_2024-06-27', '2024-06-28')).toBe('120 2024-06-28')
    expect(await filedOf('01_2024-06-28', '2024-06-27')).toBe('120 2024-06-28')
    expect(await filedOf('01_2024-06-28', '')).toBe('120 2024-06-28')
    expect(await filedOf('01_2024-02-31', '2024-06-28')).toBe('120 2024-06-28')
  })

  test('is not guessed where it is missing or the two dates are far apart', async () => {
    const reason = { 'a report without a filing date': 1 }
    expect(await filedOf('01_2024-02-31', '28 June')).toMatchObject(reason)
    expect(await filedOf('01_2024-06-28', '2204-06-28')).toMatchObject(reason)
  })

  test('of an amendment is its own', async () => {
    expect(await filedOf('02_2024-08-01', '2024-08-01')).toBe('130 2024-08-01')
    const flagged = (text: string) => text.replace(/(<jpdei_cor:AmendmentFlagDEI [^>]*>)false/, '$1true')
    expect(await filedOf('01_2024-08-01', '2024-08-01', flagged)).toBe('130 2024-08-01')
  })

  test('belongs to the filer that the report names', async () => {
    const other = (text: string) =>
      text.replace('>E02367</jpdei_cor:EDINETCodeDEI', '>E00001</jpdei_cor:EDINETCodeDEI')
    await expect(filedOf('01_2024-06-28', '2024-06-28', other)).rejects.toThrow(
      'contains E02367, but the report is of E00001',
    )
  })
})

test('contexts that contradict their names are not trusted', async () => {
  const fixture = `${import.meta.dir}/fixtures/jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl`
  const text = (await Bun.file(fixture).text()).replace(
    /(<xbrli:context id="CurrentYearInstant">.*?)<xbrli:instant>2024-03-31<\/xbrli:instant>/s,
    '$1<xbrli:startDate>2023-04-01</xbrli:startDate><xbrli:endDate>2024-03-31</xbrli:endDate>',
  )
  const { parsed, leftOut } = readJapaneseReport({ name: fixture, bytes: new TextEncoder().encode(text) })
  expect(leftOut?.['a figure whose context contradicts its name']).toBeGreaterThan(5)
  const ends = parsed[0].reportedFacts
    .filter(({ metric }) => metric === 'assets')
    .map(({ end }) => isoDate(end))
  expect(new Set(ends)).not.toContain('2024-03-31')
})

test('reports are recognised by the names that EDINET gives', () => {
  const kinds = (path: string) => parseReportName(path)?.kind ?? null
  expect(kinds('a/jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl')).toBe('jpcrp030000-asr')
  expect(kinds('S100W523.zip!XBRL_TO_CSV/jpsps070000-asr-001_G02262-000_2025-05-09_01_2025-08-08.csv')).toBe(
    'jpsps070000-asr',
  )
  expect(kinds('0101010_honbun_jpcrp030000-asr-001_E02144-000_2025-03-31_01_2025-06-18_ixbrl.htm')).toBe(
    'jpcrp030000-asr',
  )
  expect(kinds('jpaud-aar-cn-001_E11348-000_2025-05-12_01_2025-08-08.csv')).toBe('jpaud-aar-cn')
  expect(kinds('EdinetcodeDlInfo.csv')).toBe(null)
  expect(() => readJapaneseReport({ name: 'report.xbrl', bytes: new Uint8Array() })).toThrow(
    'with the file name that EDINET gave it',
  )
})
