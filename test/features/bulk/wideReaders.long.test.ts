import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePorts } from '../../../deploy/cluster/processes.ts'
import { publishRelease } from '../../../src/features/bulk/publish.ts'
import type { BulkManifest } from '../../../src/features/bulk/release.ts'
import { testDatabase } from '../../database.ts'
import { findPeersPython, runPython } from '../../python.ts'
import { importWhole, realPackages } from '../statements/importWhole.ts'
import { build, makeBulkFolder } from './releases.ts'
import { credentials, hasStorage, startStorage } from './storage.ts'

/* Whoever reads whole markets reads the bucket: here the database is gone before the first question. DuckDB's extension comes from a
 * package, as in duckdbViews/server.long.test.ts. */

setDefaultTimeout(300_000)

const python = hasStorage ? findPeersPython('duckdb', 'duckdb_extension_httpfs') : null
const packages = python === null ? null : await realPackages()
/** Apple's 10-Q for the quarter to 2025-03-29. */
const accession = '0000320193-25-000057'
const apple = (packages ?? []).filter(({ whole }) => whole.accession === accession)
const others = (packages ?? []).filter(({ whole }) => whole.accession !== accession)
const [port] = freePorts(1)
const scratch = mkdtempSync(join(tmpdir(), 'asfiled-readers-'))
const buckets = join(scratch, 'buckets')
const { folder, remove } = makeBulkFolder()
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true })
  remove()
})

const publish = (manifest: BulkManifest) =>
  publishRelease({
    bucket: {
      ...{ bucket: 'figures', prefix: 'asfiled/', endpoint: `http://127.0.0.1:${port}` },
      ...{ region: 'us-east-1', sessionToken: null },
      ...credentials,
    },
    ...{ folder, manifest, keep: 3 },
    now: () => new Date(),
    signal: new AbortController().signal,
    onProgress: () => {},
  })

const script = `
import duckdb, duckdb_extension_httpfs as extension, json, pathlib, sys
folder, port, key, secret = sys.argv[1:5]
db = duckdb.connect()
db.execute(f"set extension_directory = '{folder}'")
db.execute(f"install '{next(pathlib.Path(extension.__path__[0]).rglob('*.duckdb_extension'))}'")
db.execute("load httpfs")
db.execute(f"create secret (type s3, key_id '{key}', secret '{secret}', region 'us-east-1', endpoint '127.0.0.1:{port}', url_style 'path', use_ssl false)")
for query in sys.argv[5:]:
    print(json.dumps(db.sql(query).fetchall(), default=str))
`

/** The guide's query of balance sheets, on this bucket and the year of Apple's filing. */
const balanceSheetsIn = (version: number): string => {
  const guide = readFileSync(resolve(import.meta.dir, '../../../docs/joins-and-mirrors.md'), 'utf8')
  const query = /```sql\n(select l\.ticker.*?);\n```/s.exec(guide)?.[1] ?? ''
  return query
    .replaceAll('s3://bucket/prefix/release=11/', `s3://figures/asfiled/release=${version}/`)
    .replaceAll('year=2010', 'year=2025')
}

/** Runs queries in DuckDB, which knows the storage alone. */
const ask = (...queries: string[]): unknown[][] =>
  runPython(python ?? '', scratch, [
    '-c',
    script,
    ...[scratch, String(port), credentials.accessKeyId, credentials.secretAccessKey],
    ...queries,
  ])
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

const tableOf = (version: number, table: 'figures' | 'lines') =>
  `read_parquet('s3://figures/asfiled/release=${version}/${table}/*/*/*/*.parquet', hive_partitioning = true)`

test.skipIf(packages === null)(
  'DuckDB reads statements and figures of whole filings as a data version had them, from the bucket alone',
  async () => {
    mkdirSync(join(buckets, 'figures'), { recursive: true })
    const storage = await startStorage(buckets, port)
    const database = await testDatabase()
    try {
      expect([apple.length, others.length > 0]).toEqual([1, true])
      await importWhole(database.sql, apple)
      const { manifest: earlier } = await build(database.sql, folder)
      await publish(earlier)
      await importWhole(database.sql, others)
      const { manifest: later } = await build(database.sql, folder)
      expect(later.data_version).toBeGreaterThan(earlier.data_version)
      await publish(later)
      await database.close()

      const rowsOf = ({ reported = [] }: BulkManifest, table: string) =>
        (reported.find(({ name }) => name === table)?.files ?? []).reduce((sum, { rows }) => sum + rows, 0)
      const [old, oldLines, now, sales, lines, balances] = ask(
        `select count(*), count(distinct accession) from ${tableOf(earlier.data_version, 'figures')}`,
        `select count(*) from ${tableOf(earlier.data_version, 'lines')}`,
        `select count(*), count(distinct accession) from ${tableOf(later.data_version, 'figures')}`,
        `select distinct filed, dimensions, value from ${tableOf(earlier.data_version, 'figures')}
         where accession = '${accession}' and period_end = '2025-03-29' and tag = 'us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax'
           and period_start = '2024-12-29' and (dimensions is null or dimensions like '%IPhoneMember%')
         order by dimensions nulls first`,
        `select distinct f.value, l.label from ${tableOf(earlier.data_version, 'lines')} l
         join ${tableOf(earlier.data_version, 'figures')} f using (accession, tag)
         where accession = '${accession}' and tag = 'us-gaap:GrossProfit' and f.dimensions is null
           and f.period_start = '2024-12-29'`,
        balanceSheetsIn(earlier.data_version),
      )
      expect(rowsOf(earlier, 'figures')).toBeGreaterThan(500)
      expect(old).toEqual([[rowsOf(earlier, 'figures'), 1]])
      expect(oldLines).toEqual([[rowsOf(earlier, 'lines')]])
      expect(now).toEqual([[rowsOf(later, 'figures'), 1 + others.length]])
      // In millions: net sales 95,359, of which 46,841 from iPhone; gross margin 44,867,
      // total assets 331,233.
      expect(sales).toEqual([
        ['2025-05-02', null, '95359000000'],
        ['2025-05-02', '["srt:ProductOrServiceAxis=aapl:IPhoneMember"]', '46841000000'],
      ])
      expect(lines).toEqual([['44867000000', 'Gross margin']])
      const order = expect.any(Number)
      expect(balances).toContainEqual([
        'AAPL',
        accession,
        order,
        'Total assets',
        '2025-03-29',
        '331233000000',
        'USD',
      ])
    } finally {
      storage.kill()
    }
  },
)
