import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { isoDate } from '../../../../src/dates.ts'
import type { ParsedDocument } from '../../../../src/facts/reportedFact.ts'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { listFiles } from '../../../../src/ingest/import/listFiles.ts'
import { readUnits } from '../../../../src/ingest/import/readFiles.ts'
import { openZip, readEntry } from '../../../../src/ingest/reading/archives.ts'
import { newReadProgress, type ReadProgress } from '../../../../src/ingest/reading/progress.ts'
import { decodeText } from '../../../../src/ingest/reading/text.ts'
import { soloTag, usesOfTag } from '../../../../src/ingest/registers/jp/concepts.ts'
import { parseCsvReport } from '../../../../src/ingest/registers/jp/csvReport.ts'
import { jpRegister } from '../../../../src/ingest/registers/jp/register.ts'
import { parseReportName } from '../../../../src/ingest/registers/jp/report.ts'
import { Tally } from '../../../../src/ingest/registers/registerInterface.ts'
import { readInline } from '../../../../src/ingest/xbrl/inline.ts'
import { readXbrl } from '../../../../src/ingest/xbrl/instance.ts'
import { type TestDatabase, testDatabase } from '../../../database.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { sharedPath } from '../../../shared.ts'
import { storedFacts } from '../../stored.ts'

setDefaultTimeout(120_000)

const folder = sharedPath('registers/jp')
const toyota = 'S100VWVY_toyota_FY2025.zip'

interface Read {
  readonly contributions: readonly ParsedDocument[]
  readonly progress: ReadProgress
}

async function read(path: string): Promise<Read> {
  const progress = newReadProgress()
  const contributions: ParsedDocument[] = []
  for await (const unit of readUnits(
    jpRegister,
    await listFiles([path], jpRegister.documentNames),
    new Set(),
    progress,
  ))
    contributions.push(...unit.parsed)
  return { contributions, progress }
}

const sum = (counts: Iterable<number>) => [...counts].reduce((total, count) => total + count, 0)
const unpacked = async (path: string) => Buffer.from(gunzipSync(await Bun.file(path).bytes()))

/** Entries of a zip, unpacked, by name. */
async function entriesOf(path: string): Promise<Map<string, Uint8Array>> {
  const zip = await openZip(path)
  const entries = new Map<string, Uint8Array>()
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, await readEntry(zip, entry))
  zip.close()
  return entries
}

/** The number of figures of an instance that the table maps, once per metric: counted from names and ids alone. */
function carried(text: string): number {
  let count = 0
  for (const [, prefix, name, attributes] of text.matchAll(/<([\w-]+):(\w+) ([^>]*unitRef=[^>]*)>/g)) {
    const context = /contextRef="([^"]+)"/.exec(attributes)?.[1] ?? ''
    const ofYear = /^(?:CurrentYear|Prior\dYear)(?:Duration|Instant)(_NonConsolidatedMember)?$/.exec(context)
    const tag = `${prefix}:${name}`
    const uses = usesOfTag(ofYear?.[1] ? soloTag(tag) : tag)
    if (uses !== undefined) count += ofYear === null ? 1 : uses.length
  }
  return count
}

describe.skipIf(folder === null)(
  'every record of the real files is imported or left out for a reason',
  () => {
    const paths = folder === null ? [] : readdirSync(folder, { recursive: true }).map(String)
    const files = paths.filter(path => /\.(gz|zip|json)$/.test(path)).sort()

    test.each(folder === null ? [] : nonEmpty(files))('%s', async file => {
      const path = `${folder}/${file}`
      const { contributions, progress } = await read(path)
      expect(progress.skipped).toEqual([])
      expect(progress.malformed).toBe(0)
      const leftOut = sum(progress.leftOut.values())
      const statements = sum(contributions.map(one => one.reportedFacts.length))
      if (/code/i.test(file)) {
        const rows = (await unpacked(path)).toString('latin1').match(/^"?E\d{5}/gm)?.length
        expect(contributions.length + leftOut).toBe(rows ?? 0)
      } else if (file.startsWith('documents_csv')) {
        const rows = (await unpacked(path)).toString().match(/^\d+,S/gm)?.length
        expect(sum(contributions.map(one => one.filings.length)) + leftOut).toBe(rows ?? 0)
      } else if (file.endsWith('.json')) {
        expect([contributions.length, leftOut]).toEqual([1, 1])
      } else if (file.startsWith('xbrl_instances')) {
        expect(statements + leftOut).toBe(carried((await unpacked(path)).toString()))
      } else if (file.startsWith('type5_csv_zips')) {
        const entries = await entriesOf(path)
        expect(contributions).toEqual([])
        expect(leftOut).toBe(entries.size)
      } else {
        expect(file).toEndWith(toyota)
        const entries = await entriesOf(path)
        const instances = [...entries].filter(([name]) => name.endsWith('.xbrl'))
        const report = instances.find(([name]) => name.includes('PublicDoc'))
        expect(statements + leftOut).toBe(
          carried(new TextDecoder().decode(report?.[1])) + instances.length - 1,
        )
      }
    })

    test('the lists are complete', async () => {
      const codes = await read(`${folder}/EdinetcodeDlInfo_20260512.csv.gz`)
      expect(new Set(codes.contributions.map(({ profile }) => profile.issuerId)).size).toBe(11_286)
      const day = await read(`${folder}/documents_csv/2024-06-28.csv.gz`)
      expect(day.contributions.flatMap(({ filings }) => filings)).toContainEqual({
        accession: 'JP:S100TMMG',
        form: '120',
        filed: Date.UTC(2024, 5, 28) / 86_400_000,
        acceptedAt: Date.parse('2024-06-28T03:22:00Z'),
        companyName: '任天堂株式会社',
      })
    })
  },
)

test.skipIf(folder === null)(
  'inline XBRL has the same content as the instance that EDINET made of it',
  async () => {
    const entries = await entriesOf(`${folder}/type1_xbrl/${toyota}`)
    const decoder = new TextDecoder()
    const inline = readInline(
      [...entries]
        .filter(([name]) => name.startsWith('XBRL/PublicDoc/') && name.endsWith('_ixbrl.htm'))
        .map(([name, bytes]) => ({ name, text: decoder.decode(bytes) })),
    )
    const [, bytes] =
      [...entries].find(([name]) => name.includes('PublicDoc') && name.endsWith('.xbrl')) ?? []
    const instance = readXbrl(decoder.decode(bytes))
    expect(inline.contexts).toEqual(instance.contexts)
    expect(inline.units).toEqual(instance.units)
    const figures = ({ facts }: typeof instance) =>
      facts
        .filter(({ unit }) => unit !== null)
        .map(({ name, context, unit, value }) => `${name} ${context} ${unit} ${value}`)
        .sort()
    expect(figures(inline)).toEqual(figures(instance))
    expect(figures(inline).length).toBeGreaterThan(1_500)
    const aboutDocument = ({ facts }: typeof instance) =>
      facts
        .filter(({ name }) => /DEI$|^FilingDateCoverPage$/.test(name))
        .map(({ name, value }) => `${name} ${value}`)
        .sort()
    expect(aboutDocument(inline)).toEqual(aboutDocument(instance))
  },
)

// The annual report of the fund G02262, document S100W523: not of a company, so it is parsed and not imported.
test.skipIf(folder === null)('a CSV of EDINET is read to the yen', async () => {
  const entries = await entriesOf(`${folder}/type5_csv_zips/S100W523.zip`)
  const path = [...entries.keys()].find(name => name.includes('jpsps070000-asr')) ?? ''
  const name = parseReportName(path)
  if (name === null) throw new Error(path)
  const text = decodeText(entries.get(path) ?? new Uint8Array(), 'utf-8')
  const report = parseCsvReport(text, path, { ...name, code: 'E12448' }, new Tally())
  const figure = (tag: string, end: string) =>
    report?.figures.find(one => one.tag === tag && isoDate(one.end) === end)?.value
  expect(figure('jppfs_cor:Assets', '2025-05-09')).toBe('6834315290')
  expect(figure('jppfs_cor:Liabilities', '2025-05-09')).toBe('40562645')
  expect(figure('jppfs_cor:NetAssets', '2025-05-09')).toBe('6793752645')
  expect(figure('jppfs_cor:NetAssets', '2024-11-11')).toBe('7356423994')
  expect(figure('jppfs_cor:OperatingIncome', '2025-05-09')).toBe('-184925101')
  expect(report && [report.form, isoDate(report.filed), report.name]).toEqual([
    '120',
    '2025-08-08',
    '明治安田アセットマネジメント株式会社',
  ])
})

describe.skipIf(folder === null)('imported', () => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await testDatabase()
    const paths = [`${folder}`]
    await importRegister(db.sql, jpRegister, { paths, observedOn: '2026-11-20' }, () => {})
  })
  afterAll(() => db.close())

  const seen = async (ticker: string, asOf: string, metric: string, end: string) => {
    const rows = await db.sql<{ value: number; fy: number; fp: number }[]>`
      select f.value, f.fy, f.fp from fact_as_of(${asOf}) f
      join entity_ticker t using (entity_id) join metric m using (metric_id)
      where t.ticker = ${ticker} and m.name = ${metric} and f.period_end = ${end} and f.current`
    return rows.map(({ value, fy, fp }) => [value, fy, fp])
  }

  test('a report is visible on the day of its submission and not the day before', async () => {
    // Nintendo S100TMMG, submitted on 28 June 2024; Raccoon's years end in April; Toyota S100VWVY on 18 June 2025.
    const expected: [string, string, string, string, string, number, number][] = [
      ['E02367.JP', '2024-06-27', '2024-06-28', 'revenue', '2024-03-31', 1_671_865_000_000, 2024],
      ['E02367.JP', '2024-06-27', '2024-06-28', 'net_income', '2020-03-31', 258_641_000_000, 2020],
      ['E05563.JP', '2024-07-29', '2024-07-30', 'revenue', '2024-04-30', 5_808_066_000, 2024],
      ['E05563.JP', '2024-07-29', '2024-07-30', 'assets', '2024-04-30', 15_382_142_000, 2024],
      ['E05563.JP', '2024-07-29', '2024-07-30', 'eps', '2020-04-30', 23.73, 2020],
      ['E05563.JP', '2024-07-29', '2024-07-30', 'eps_diluted', '2024-04-30', 15.07, 2024],
      ['E02144.JP', '2025-06-17', '2025-06-18', 'revenue', '2025-03-31', 48_036_704_000_000, 2025],
      ['E02144.JP', '2025-06-17', '2025-06-18', 'operating_income', '2025-03-31', 4_795_586_000_000, 2025],
      ['E02144.JP', '2025-06-17', '2025-06-18', 'eps_diluted', '2021-03-31', 158.93, 2021],
    ]
    for (const [ticker, eve, day, metric, end, value, fy] of expected) {
      expect(await seen(ticker, eve, metric, end)).toEqual([])
      expect([ticker, metric, await seen(ticker, day, metric, end)]).toEqual([
        ticker,
        metric,
        [[value, fy, 0]],
      ])
    }
    const roe = 490_602 / 2_604_998
    expect(await seen('E02367.JP', '2024-06-28', 'roe', '2024-03-31')).toEqual([[roe, 2024, 0]])
  })

  test('names every filer of the list once', async () => {
    const [{ count }] = await db.sql<{ count: number }[]>`
      select count(*)::int as count from entity_ticker where ticker like 'E%.JP'`
    expect(count).toBeGreaterThanOrEqual(11_286)
  })

  test('assets are liabilities and equity in every year for which a report states all three', async () => {
    const sums = await db.sql<{ ticker: string; end: string; assets: number; owed: number }[]>`
      select t.ticker, f.period_end::text as end,
        sum(f.value) filter (where m.name = 'assets') as assets,
        sum(f.value) filter (where m.name <> 'assets') as owed
      from fact_as_of('2026-01-01') f
      join entity_ticker t using (entity_id) join metric m using (metric_id)
      where m.name in ('assets', 'liabilities', 'equity') and f.current
      group by 1, 2 having count(*) = 3 order by 1, 2`
    expect(sums.map(({ ticker, end }) => `${ticker} ${end}`)).toEqual([
      ...['E02144.JP 2024-03-31', 'E02144.JP 2025-03-31', 'E02367.JP 2023-03-31', 'E02367.JP 2024-03-31'],
      ...['E05563.JP 2023-04-30', 'E05563.JP 2024-04-30'],
    ])
    // Raccoon truncates every amount to a thousand yen, so its totals differ from the sum of their parts by one at most.
    for (const { ticker, assets, owed } of sums)
      expect(Math.abs(assets - owed)).toBeLessThanOrEqual(ticker === 'E05563.JP' ? 1_000 : 0)
  })

  test('a second import adds nothing', async () => {
    const rows = await storedFacts(db.sql)
    await db.sql`truncate import_file`
    const again = await importRegister(
      db.sql,
      jpRegister,
      { paths: [`${folder}`], observedOn: '2026-11-20' },
      () => {},
    )
    expect([again.written.factsAdded, again.written.factsRemoved, again.written.repeats]).toEqual([0, 0, 0])
    expect(again.read.documentsUnchanged).toBe(0)
    expect(await storedFacts(db.sql)).toEqual(rows)
  })
})
