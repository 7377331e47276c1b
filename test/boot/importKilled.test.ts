import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { secondaryIndexes } from '../../src/ingest/store/bulkIndexes.ts'
import { connect, type Sql } from '../../src/postgres/client.ts'
import { openCluster } from '../../src/postgres/embedded/cluster.ts'
import { isLong } from '../rounds.ts'
import { sharedPath } from '../shared.ts'
import { makeDataDir, removeDataDir, runCommand } from './serverProcess.ts'

const source = sharedPath('registers/us/companyfacts/CIK0001640147_snow.json')
const repository = resolve(import.meta.dir, '../..')
/** Companies with 1,757 figures each, so that there are six batches of the size used in `importProcess.ts`. */
const companies = 12
const dataDir = makeDataDir()
const corpus = join(dataDir, 'corpus')
/** Those of an import with its indexes in place follow from the others; features/pins/killedImport.test.ts kills one, too. */
const victims = (['importer', 'bulk', 'database'] as const).filter(victim => isLong || victim !== 'importer')
if (!isLong) console.log('skipped: a kill of an import that is not in bulk runs with LONG=1')

afterAll(() => removeDataDir(dataDir), 60_000)

/** Snowflake's real figures under many CIKs. */
function writeCorpus(file: string): void {
  mkdirSync(corpus)
  const text = readFileSync(file, 'utf8')
  for (let n = 1; n <= companies; n++) {
    const cik = 900_000 + n
    writeFileSync(join(corpus, `CIK000${cik}.json`), text.replace(/"cik":\s*"?\d+"?/, `"cik":${cik}`))
  }
}

interface Held {
  facts: number
  entities: number
  version: number
  digest: string
  /** Filings that are stored in full, and a digest of whose they are and of how much they state. */
  wholeFilings: number
  contents: string
  /** How many of the indexes that a bulk load puts aside are there. */
  indexes: number
}

/** Does work on the database of a folder. It runs meanwhile, so commands on the folder need not start it. */
async function withDatabase<T>(folder: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const cluster = await openCluster(folder, () => {})
  const sql = connect({ url: cluster.url, connections: 1, statementTimeoutMs: 60_000 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
    await cluster.close()
  }
}

/** Digests of all figures and of all filings in full. Each changes with any row. */
async function held(sql: Sql): Promise<Held> {
  const [row] = await sql<Held[]>`
    select count(*)::int as facts, count(distinct fact.entity_id)::int as entities,
      (select version::int from data_version) as version,
      (select count(*)::int from pg_class where relname = any(${Object.keys(secondaryIndexes)}::text[])) as indexes,
      md5(string_agg(concat_ws('|', issuer_id, m.name, fp, fy, period_end, fact.filed, superseded, value), ',' order by
        issuer_id, m.name, fp, period_end, fact.filed, accession)) as digest,
      (select count(*)::int from whole_filing) as "wholeFilings",
      (select md5(string_agg(concat_ws('|', l.accession, e.issuer_id, w.source, w.figures, w.lines), ',' order by l.accession, e.issuer_id))
       from whole_filing w join filing l using (filing_id) join entity e on e.entity_id = w.entity_id) as contents
    from fact join entity using (entity_id) join metric m using (metric_id) join filing using (filing_id)`
  return row
}

const startImport = (folder: string, ...flags: string[]) =>
  Bun.spawn(['bun', join(import.meta.dir, 'importProcess.ts'), folder, corpus, ...flags], {
    cwd: repository,
    stdout: 'ignore',
    stderr: 'ignore',
  })

/** Starts an import and kills it, or its database, once a part is committed and not all. */
const killImport = (folder: string, victim: 'importer' | 'bulk' | 'database') =>
  withDatabase(folder, async sql => {
    const child = victim === 'bulk' ? startImport(folder, '--bulk') : startImport(folder)
    for (let facts = 0; facts === 0 && child.exitCode === null; ) {
      await Bun.sleep(5)
      facts = (await sql<{ facts: number }[]>`select count(*)::int as facts from fact`)[0].facts
    }
    if (victim === 'database') process.kill(postmasterOf(folder), 'SIGKILL')
    else child.kill('SIGKILL')
    return child.exited
  })

const postmasterOf = (folder: string) =>
  Number(readFileSync(join(folder, 'database/cluster/postmaster.pid'), 'utf8').split('\n')[0])

const importAll = async (folder: string) => {
  const { code, err } = await runCommand(folder, 'import', 'us', corpus)
  expect([code, err]).toEqual([0, err])
}

/** A migrated database in the folder, copied: making one takes seconds. */
const copyDatabase = (from: string, to: string) => {
  mkdirSync(to)
  // With its owner, which is another one where the test runs as root.
  expect(Bun.spawnSync(['cp', '-a', join(from, 'database'), to]).exitCode).toBe(0)
}

describe.skipIf(source === null)('an import that is killed', () => {
  const calm = join(dataDir, 'calm')
  let wanted: Held

  beforeAll(async () => {
    writeCorpus(source ?? '')
    expect((await runCommand(calm, 'migrate')).code).toBe(0)
    for (const victim of victims) copyDatabase(calm, join(dataDir, victim))
    wanted = await withDatabase(calm, async sql => {
      await importAll(calm)
      return held(sql)
    })
    expect(wanted.entities).toBe(companies)
    expect(wanted.wholeFilings).toBeGreaterThan(10)
  }, 120_000)

  test.each(victims)(
    'loses nothing that was committed, and a second run ends where an undisturbed one does: %s',
    async victim => {
      const folder = join(dataDir, victim)
      expect(await killImport(folder, victim)).not.toBe(0)
      await withDatabase(folder, async sql => {
        const left = await held(sql)
        expect(left.version).toBeGreaterThan(0)
        expect(left.facts).toBeLessThan(wanted.facts)
        expect(left.indexes).toBe(victim === 'bulk' ? 0 : 2)
        await importAll(folder)
        const complete = await held(sql)
        expect({ ...complete, version: 0 }).toEqual({ ...wanted, version: 0 })
        // A third run finds nothing to do.
        await importAll(folder)
        expect(await held(sql)).toEqual(complete)
      })
    },
    120_000,
  )
})
