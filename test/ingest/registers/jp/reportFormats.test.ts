import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import type { ParsedDocument } from '../../../../src/facts/reportedFact.ts'
import { readUnits } from '../../../../src/ingest/import/readFiles.ts'
import { newReadProgress } from '../../../../src/ingest/reading/progress.ts'
import { readJapaneseReport } from '../../../../src/ingest/registers/jp/readDocument.ts'
import { jpRegister } from '../../../../src/ingest/registers/jp/register.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { zipped } from '../../../zipped.ts'

const fixtures = join(import.meta.dir, 'fixtures')
const nintendo = 'jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28'
const toyota = 'jpcrp030000-asr-001_E02144-000_2025-03-31_01_2025-06-18'
const fixture = (name: string) => Bun.file(join(fixtures, name)).bytes()
const utf8 = (text: string) => new TextEncoder().encode(text)

/** `metric day` -> value, by the preferred tag. */
function figuresOf({ reportedFacts }: ParsedDocument): Record<string, number> {
  const ranked = [...reportedFacts].sort(
    (a, b) => jpRegister.rules.rank(b.metric, b.tag) - jpRegister.rules.rank(a.metric, a.tag),
  )
  return Object.fromEntries(ranked.map(({ metric, end, value }) => [`${metric} ${isoDate(end)}`, value]))
}

// Nintendo's report for the year to March 2024, EDINET document S100TMMG, in yen.
const lastYears: Record<string, number> = {
  'revenue 2024-03-31': 1_671_865_000_000,
  'revenue 2023-03-31': 1_601_677_000_000,
  'gross_profit 2024-03-31': 954_335_000_000,
  'operating_income 2024-03-31': 528_941_000_000,
  'net_income 2024-03-31': 490_602_000_000,
  'eps 2024-03-31': 421.39,
  'assets 2024-03-31': 3_151_394_000_000,
  'current_assets 2024-03-31': 2_573_302_000_000,
  'cash 2024-03-31': 1_484_350_000_000,
  'liabilities 2024-03-31': 546_396_000_000,
  'current_liabilities 2024-03-31': 479_276_000_000,
  'equity 2024-03-31': 2_604_998_000_000,
  'operating_cash_flow 2024-03-31': 462_097_000_000,
}
const olderYears: Record<string, number> = {
  'revenue 2022-03-31': 1_695_344_000_000,
  'revenue 2020-03-31': 1_308_519_000_000,
  'net_income 2020-03-31': 258_641_000_000,
  'eps 2020-03-31': 217.12,
  'assets 2020-03-31': 1_934_087_000_000,
  'equity 2020-03-31': 1_540_900_000_000,
}

describe('an instance', () => {
  test('gives five years of the group, all filed on the day of submission', async () => {
    const name = `reports/S100TMMG/XBRL/PublicDoc/${nintendo}.xbrl`
    const content = readJapaneseReport({ name, bytes: await fixture(`${nintendo}.xbrl`) })
    const [contribution] = content.parsed
    expect(contribution.profile).toMatchObject({
      issuerId: 'E02367',
      name: '任天堂株式会社',
      nameIsFallback: true,
      otherNames: ['Nintendo Co., Ltd.'],
      tickers: ['E02367.JP'],
    })
    expect(contribution.filings).toEqual([
      { accession: 'JP:S100TMMG', form: '120', filed: dayNumber('2024-06-28'), acceptedAt: null },
    ])
    expect(figuresOf(contribution)).toMatchObject({ ...lastYears, ...olderYears })
    expect(
      nonEmpty(contribution.reportedFacts).every(({ tag }) => !tag.endsWith('_NonConsolidatedMember')),
    ).toBe(true)
    expect(content.malformed).toBe(0)
    // Diluted earnings per share are nil in all five years of both: there are no dilutive shares.
    expect(content.leftOut).toMatchObject({ 'a figure stated as nil': 10 })
    expect(nonEmpty(Object.keys(figuresOf(contribution))).some(key => key.startsWith('eps_diluted'))).toBe(
      false,
    )
    const years = nonEmpty(contribution.reportedFacts).filter(({ start }) => start !== null)
    expect(
      nonEmpty(years).every(({ start, end }) => isoDate(start ?? 0).slice(5) === '04-01' && end > 0),
    ).toBe(true)
  })

  test('is identified by its own name where its path has no document number', async () => {
    const name = `${nintendo}.xbrl`
    const [{ filings }] = readJapaneseReport({ name, bytes: await fixture(name) }).parsed
    expect(filings.map(({ accession }) => accession)).toEqual([`JP:${nintendo}`])
  })
})

describe('a CSV of EDINET', () => {
  test('states the same as the instance for the two years whose dates it states', async () => {
    const name = `reports/S100TMMG.zip!XBRL_TO_CSV/${nintendo}.csv`
    const csv = readJapaneseReport({ name, bytes: await fixture(`${nintendo}.csv`) })
    const [contribution] = csv.parsed
    expect(contribution.filings).toEqual([
      { accession: 'JP:S100TMMG', form: '120', filed: dayNumber('2024-06-28'), acceptedAt: null },
    ])
    expect(figuresOf(contribution)).toMatchObject(lastYears)
    const instance = readJapaneseReport({
      name: `S100TMMG/${nintendo}.xbrl`,
      bytes: await fixture(`${nintendo}.xbrl`),
    }).parsed[0]
    const twoYears = instance.reportedFacts.filter(({ end }) => end > dayNumber('2022-03-31'))
    expect(new Set(contribution.reportedFacts.map(one => JSON.stringify(one)))).toEqual(
      new Set(twoYears.map(one => JSON.stringify(one))),
    )
    // Three older years of seven summary rows of the group and six of the company, and equity at the end of the third year
    // of both, from the statements of changes.
    expect(csv.leftOut?.['a figure of a year whose first and last day the CSV does not state']).toBe(
      3 * (7 + 6) + 2,
    )
  })

  test('is refused in another encoding, cut off, or with other columns', async () => {
    const bytes = await fixture(`${nintendo}.csv`)
    const read = (changed: Uint8Array) => () =>
      readJapaneseReport({ name: `${nintendo}.csv`, bytes: changed })
    expect(read(bytes.slice(2))).toThrow('not utf-8')
    expect(read(bytes.slice(0, 20_001))).toThrow('not utf-16le')
    expect(read(bytes.slice(0, 20_000))).toThrow(/line \d+.*CSV_/)
    expect(read(utf8('a,b\n1,2\n'))).toThrow('must have the columns 要素ID')
  })
})

describe('a zip of inline documents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-jp-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const parts = ['0000000_header', '0101010_honbun', '0105010_honbun']

  async function readZip(entries: { name: string; content: Uint8Array }[]) {
    const path = join(folder, 'S100VWVY.zip')
    const bytes = zipped(entries)
    writeFileSync(path, bytes)
    const progress = newReadProgress()
    const contributions: ParsedDocument[] = []
    for await (const unit of readUnits(jpRegister, [{ path, bytes: bytes.length }], new Set(), progress))
      contributions.push(...unit.parsed)
    return { contributions, progress }
  }

  const inline = () =>
    Promise.all(
      parts.map(async part => ({
        name: `XBRL/PublicDoc/${part}_${toyota}_ixbrl.htm`,
        content: await fixture(`${part}_${toyota}_ixbrl.htm`),
      })),
    )

  // Toyota's report for the year to March 2025, EDINET document S100VWVY, in yen.
  test('is one report', async () => {
    const { contributions, progress } = await readZip(await inline())
    expect(progress.skipped).toEqual([])
    const [contribution] = contributions
    expect(contribution.filings).toEqual([
      { accession: 'JP:S100VWVY', form: '120', filed: dayNumber('2025-06-18'), acceptedAt: null },
    ])
    expect(contribution.profile).toMatchObject({ issuerId: 'E02144', name: 'トヨタ自動車株式会社' })
    expect(figuresOf(contribution)).toMatchObject({
      'revenue 2025-03-31': 48_036_704_000_000,
      'revenue 2021-03-31': 27_214_594_000_000,
      'net_income 2025-03-31': 4_765_086_000_000,
      'eps 2025-03-31': 359.56,
      'assets 2025-03-31': 93_601_350_000_000,
      'liabilities 2025-03-31': 56_722_437_000_000,
      'equity 2025-03-31': 36_878_913_000_000,
      'current_assets 2025-03-31': 37_078_676_000_000,
      'current_liabilities 2025-03-31': 29_434_220_000_000,
      'cash 2025-03-31': 8_982_404_000_000,
    })
    expect(Object.fromEntries(progress.leftOut)).toEqual({
      'a figure of the company alone, in a report with figures of the group': 1,
    })
  })

  test('reports the document at fault, and imports nothing of the report', async () => {
    const [header, ...others] = await inline()
    const cut = { name: header.name, content: header.content.slice(0, 2_000) }
    const { contributions, progress } = await readZip([cut, ...others])
    expect(contributions).toEqual([])
    expect(progress.skipped).toHaveLength(1)
    expect(progress.skipped[0].reason).toMatch(/0000000_header_.*, line \d+, column \d+/)
  })

  test("leaves auditors' reports out, and prefers the instance where there is one", async () => {
    const auditor = {
      name: `XBRL/AuditDoc/${toyota.replace('jpcrp030000-asr-001', 'jpaud-aar-cn-001')}_ixbrl.htm`,
    }
    const read = await readZip([...(await inline()), { ...auditor, content: utf8('not even XML') }])
    expect(read.progress.leftOut.get("an auditor's report")).toBe(1)
    expect(read.contributions).toHaveLength(1)
    const both = [...(await inline()), { name: `XBRL/PublicDoc/${toyota}.xbrl`, content: utf8('<a/>') }]
    const { progress } = await readZip(both)
    expect(progress.skipped.map(({ reason }) => reason)).toEqual(['The document is not an XBRL instance.'])
  })
})
