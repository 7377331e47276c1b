import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { dayNumber } from '../../../src/dates.ts'
import {
  type BulkManifest,
  buildFolder,
  type ReportedTableName,
  releaseFolder,
  releasesIn,
  reportedFolder,
  unfinishedIn,
} from '../../../src/features/bulk/release.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { readZipFiles, recordsOf } from '../../ingest/registers/us/packages.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { findPython, runPython } from '../../python.ts'
import { storeFiled } from '../../wholeFilings/stored.ts'
import { manifests } from '../changes/mirror.ts'
import { importWhole, realDataSet, realPackages } from '../statements/importWhole.ts'
import { build, makeBulkFolder } from './releases.ts'

setDefaultTimeout(300_000)

const { folder, remove } = makeBulkFolder()
const dataSetFiles = await readZipFiles('fsds/2009q3.zip')
const dataSet = await realDataSet('2009q3.zip')
const packages = await realPackages()
const isMissing = dataSetFiles === null || dataSet === null || packages === null

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await importWhole(database.sql, [...(dataSet ?? []), ...(packages ?? [])])
  await storeEdited()
})
afterAll(async () => {
  await database.close()
  remove()
})

/**
 * A register that edits: the same filing with one value, and with another one that was seen on a later day. A second
 * company filed it as well, and states figures of its own.
 */
async function storeEdited(): Promise<void> {
  const filed = dayNumber('2020-05-01')
  const context = { start: null, end: dayNumber('2019-12-31'), quarters: null, dimensions: [] }
  await storeFiled(
    database.sql,
    [
      ['CC1', '2020-05-01', '10'],
      ['CC1', '2020-06-15', '12.5'],
      ['CC2', '2020-06-15', '7'],
    ].map(([issuerId, seenOn, value]) => ({
      market: 'NZ',
      issuerId,
      form: 'return',
      filed,
      seenOn: dayNumber(seenOn),
      whole: {
        accession: 'NZ:CC1-1',
        taxonomies: new Map(),
        figures: [{ concept: 'TotalAssets', context, unit: 'NZD', decimals: null, value }],
        statements: [],
        sums: [],
        defaultMembers: new Map(),
      },
    })),
  )
}

const compressors = {
  ZSTD: (bytes: Uint8Array) => new Uint8Array(Bun.zstdDecompressSync(new Uint8Array(bytes))),
}
type Cells = Readonly<Record<string, unknown>>

/** The rows of a table, as a client reads its files. */
async function readTable(from: string, manifest: BulkManifest, name: ReportedTableName): Promise<Cells[]> {
  const all: Cells[] = []
  const table = manifest.reported?.find(each => each.name === name)
  for (const { path, rows, bytes, sha256, market, taxonomy, year } of table?.files ?? []) {
    const content = readFileSync(join(releaseFolder(from, manifest.data_version), reportedFolder, path))
    expect([path, content.length]).toEqual([`${name}-${market}-${taxonomy}-${year}.parquet`, bytes])
    expect(new Bun.CryptoHasher('sha256').update(content).digest('hex')).toBe(sha256)
    const file = content.buffer.slice(content.byteOffset, content.byteOffset + content.length)
    const found = await parquetReadObjects({ file, compressors })
    expect([path, found.length]).toEqual([path, rows])
    for (const row of found) {
      const cells = Object.fromEntries(
        Object.entries(row).map(([key, value]) => [
          key,
          value instanceof Date ? value.toISOString().slice(0, 10) : (value ?? null),
        ]),
      )
      expect(String(cells.filed).slice(0, 4)).toBe(String(year))
      all.push(cells)
    }
  }
  return all
}

const counted = (keys: readonly string[]) => {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
}
const localName = (tag: unknown) => String(tag).slice(String(tag).indexOf(':') + 1)
const compactDay = (day: unknown) => String(day).replaceAll('-', '')
const plain = (value: string) => (value.includes('.') ? value.replace(/\.?0+$/, '') : value)

describe.skipIf(isMissing)('whole filings in a release', () => {
  test('have every figure of num.txt and every line of pre.txt, each as often as there', async () => {
    const { manifest } = await build(database.sql, folder)
    const submitted = new Set(nonEmpty(dataSet ?? []).map(({ whole }) => whole.accession))
    const isOfSet = ({ accession }: Cells) => submitted.has(String(accession))
    const figures = (await readTable(folder, manifest, 'figures')).filter(isOfSet)
    const raw = recordsOf(dataSetFiles ?? [], 'num.txt')
    expect(raw.length).toBeGreaterThan(50_000)
    expect(
      counted(
        figures.map(row =>
          JSON.stringify([
            row.accession,
            localName(row.tag),
            compactDay(row.period_end),
            row.quarters,
            row.unit,
            row.dimensions === null ? [] : JSON.parse(String(row.dimensions)).sort(),
            row.value,
          ]),
        ),
      ),
    ).toEqual(
      counted(
        raw.map(({ adsh, tag, ddate, qtrs, uom, coreg, segments, value }) => {
          // As in `EquityComponents=Parent;ClassOfStock=CommonStock;`.
          const parts = segments.split(';').filter(part => part !== '')
          const dimensions = (coreg === '' ? parts : [`coreg=${coreg}`, ...parts]).sort()
          return JSON.stringify([
            adsh,
            tag,
            ddate,
            Number(qtrs),
            uom,
            dimensions,
            value === '' ? null : plain(value),
          ])
        }),
      ),
    )
    const lines = (await readTable(folder, manifest, 'lines')).filter(isOfSet)
    const presented = recordsOf(dataSetFiles ?? [], 'pre.txt')
    expect(presented.length).toBeGreaterThan(20_000)
    expect(
      counted(
        lines.map(row =>
          JSON.stringify([
            row.accession,
            row.role,
            row.statement,
            row.order,
            row.parenthetical,
            localName(row.tag),
            row.label,
            row.negated,
          ]),
        ),
      ),
    ).toEqual(
      counted(
        presented.map(({ adsh, report, line, stmt, inpth, tag, plabel, negating }) =>
          JSON.stringify([
            adsh,
            report,
            stmt,
            Number(line),
            inpth === '1',
            tag,
            plabel === '' ? null : plabel,
            negating === '1',
          ]),
        ),
      ),
    )
    for (const { name, rows, files } of manifest.reported ?? []) {
      expect(files.length).toBeGreaterThan(3)
      expect([name, files.reduce((sum, file) => sum + file.rows, 0)]).toEqual([name, rows])
    }
  })

  test("state Apple's quarter as its documents do, with dimensions, accuracy and taxonomy", async () => {
    const { manifest } = await build(database.sql, folder)
    const figures = await readTable(folder, manifest, 'figures')
    const ofApple = figures.filter(({ accession }) => accession === '0000320193-25-000057')
    // Apple's 10-Q for the quarter to 2025-03-29: net sales 95,359 million, of which 46,841 million from iPhone.
    const sales = ofApple.filter(
      ({ tag, period_start, period_end }) =>
        tag === 'us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax' &&
        period_start === '2024-12-29' &&
        period_end === '2025-03-29',
    )
    const shared = { filed: '2025-05-02', form: '10-Q', unit: 'USD', decimals: '-6', source: 'documents' }
    expect(sales).toContainEqual(
      expect.objectContaining({
        ...shared,
        dimensions: null,
        value: '95359000000',
        number: 95_359_000_000,
        quarters: null,
        taxonomy: 'http://fasb.org/us-gaap/2024',
      }),
    )
    expect(sales).toContainEqual(
      expect.objectContaining({
        ...shared,
        dimensions: '["srt:ProductOrServiceAxis=aapl:IPhoneMember"]',
        value: '46841000000',
      }),
    )
    const lines = await readTable(folder, manifest, 'lines')
    expect(lines).toContainEqual(
      expect.objectContaining({
        accession: '0000320193-25-000057',
        tag: 'us-gaap:GrossProfit',
        label: 'Gross margin',
        negated: false,
        depth: expect.any(Number),
      }),
    )
  })

  test('have all contents of an edited filing up to the day, and nothing later', async () => {
    const on = async (today: string) => {
      const { folder: own, remove: removeOwn } = makeBulkFolder()
      const newZealand = manifests.filter(({ code }) => code === 'NZ')
      const { manifest } = await build(database.sql, own, { today, manifests: newZealand })
      const rows = await readTable(own, manifest, 'figures')
      removeOwn()
      expect(rows.every(({ filed }) => String(filed) <= today)).toBe(true)
      return rows.map(({ ticker, accession, seen_on, value }) => [ticker, accession, seen_on, value])
    }
    const ofSecond = ['CC2', 'NZ:CC1-1', '2020-06-15', '7']
    expect(await on('2020-04-30')).toEqual([])
    // The first content counts from the filing, and each figure is once in the file, under its company.
    expect(await on('2020-06-14')).toEqual([['CC1', 'NZ:CC1-1', '2020-05-01', '10'], ofSecond])
    expect(await on('2020-06-15')).toEqual([
      ['CC1', 'NZ:CC1-1', '2020-05-01', '10'],
      ['CC1', 'NZ:CC1-1', '2020-06-15', '12.5'],
      ofSecond,
    ])
  })

  test('are left out of markets whose terms are not read, and named in no list of mapped figures', async () => {
    const { folder: own, remove: removeOwn } = makeBulkFolder()
    const withoutUs = manifests.filter(({ code }) => code !== 'US')
    const { manifest } = await build(database.sql, own, { manifests: withoutUs })
    const files = (manifest.reported ?? []).flatMap(table => table.files)
    expect(new Set(files.map(({ market }) => market))).toEqual(new Set(['NZ']))
    expect(manifest.files.filter(({ path }) => /^(figures|lines)-/.test(path))).toEqual([])
    removeOwn()
  })

  test('of an interrupted build stay year by year; a damaged file is made again', async () => {
    const { folder: own, remove: removeOwn } = makeBulkFolder()
    const stop = new AbortController()
    let reported = 0
    const interrupted = build(database.sql, own, {
      signal: stop.signal,
      // After all mapped figures: in the middle of the second year of whole filings.
      onProgress: ({ done }) => {
        const [version] = unfinishedIn(own)
        const place = join(buildFolder(own, version), reportedFolder)
        if (done > 0 && existsSync(place) && readdirSync(place).some(name => name.includes('-2010.'))) {
          reported++
          stop.abort()
        }
      },
    })
    expect(await interrupted.catch(() => 'stopped')).toBe('stopped')
    expect(reported).toBeGreaterThan(0)
    expect(releasesIn(own)).toEqual([])
    const [version] = unfinishedIn(own)
    const place = join(buildFolder(own, version), reportedFolder)
    const damaged = nonEmpty(readdirSync(place).filter(name => /^figures-US-us-gaap-2009/.test(name)))[0]
    truncateSync(join(place, damaged), 100)
    const said: string[] = []
    const { manifest } = await build(database.sql, own, { report: line => said.push(line) })
    expect(said.join()).toContain('Continuing the interrupted build')
    const whole = (await build(database.sql, folder)).manifest
    expect(manifest.reported).toEqual(whole.reported ?? [])
    const names = readdirSync(join(releaseFolder(own, version), reportedFolder)).sort()
    expect(names).toEqual(
      (manifest.reported ?? []).flatMap(table => table.files.map(({ path }) => path)).sort(),
    )
    removeOwn()
  })

  const python = findPython('duckdb')
  test.skipIf(python === null)('are read by DuckDB, beside the files of mapped figures', async () => {
    const { manifest } = await build(database.sql, folder)
    const release = releaseFolder(folder, manifest.data_version)
    const script = `
import duckdb, sys
whole = sys.argv[1] + '/${reportedFolder}/'
rows = lambda name: duckdb.sql(f"select count(*) from read_parquet('{whole}{name}-*.parquet')").fetchall()[0][0]
print(rows('figures'), rows('lines'), duckdb.sql(f"select count(*) from read_parquet('{sys.argv[1]}/*.parquet')").fetchall()[0][0])
print(duckdb.sql(f"""select sum(number) from read_parquet('{whole}figures-US-us-gaap-2025.parquet')
  where tag = 'us-gaap:GrossProfit' and period_start = date '2024-12-29' and dimensions is null""").fetchall()[0][0])`
    const file = join(folder, 'reported_read.py')
    await Bun.write(file, script)
    const [counts, gross] = runPython(python ?? '', folder, [file, release])
      .trim()
      .split('\n')
    const rowsOf = (name: string) => manifest.reported?.find(table => table.name === name)?.rows
    expect(counts).toBe(`${rowsOf('figures')} ${rowsOf('lines')} ${manifest.rows}`)
    // Apple states it twice: on the face and in a note. Gross margin of the quarter: 44,867 million.
    expect(Number(gross) % 44_867_000_000).toBe(0)
  })
})
