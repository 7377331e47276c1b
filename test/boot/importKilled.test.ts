import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { secondaryIndexes } from '../../src/ingest/store/bulkIndexes.ts'
import { connect } from '../../src/postgres/client.ts'
import { openCluster } from '../../src/postgres/embedded/cluster.ts'
import { sharedPath } from '../shared.ts'
import { makeDataDir, removeDataDir, runCommand } from './serverProcess.ts'

const source = sharedPath('registers/us/companyfacts/CIK0001640147_snow.json')
const repository = resolve(import.meta.dir, '../..')
const companies = 60
const dataDir = makeDataDir()
const corpus = join(dataDir, 'corpus')

afterAll(() => removeDataDir(dataDir), 60_000)

/** Snowflake's real figures under many CIKs: enough for several batches. */
async function writeCorpus(file: string): Promise<void> {
  mkdirSync(corpus)
  const text = await Bun.file(file).text()
  for (let n = 1; n <= companies; n++) {
    const cik = String(900_000 + n)
    await Bun.write(join(corpus, `CIK000${cik}.json`), text.replace(/"cik":\s*"?\d+"?/, `"cik":${cik}`))
  }
}

interface Held {
  facts: number
  entities: number
  version: number
  digest: string
  /** How many of the indexes that a bulk load puts aside are there. */
  indexes: number
}

/** What the store holds, as a number that changes with any row. */
async function held(folder: string): Promise<Held> {
  const cluster = await openCluster(folder, () => {})
  const sql = connect({ url: cluster.url, connections: 1, statementTimeoutMs: 60_000 })
  const [row] = await sql<Held[]>`
    select count(*)::int as facts, count(distinct fact.entity_id)::int as entities,
      (select version::int from data_version) as version,
      (select count(*)::int from pg_class where relname = any(${Object.keys(secondaryIndexes)}::text[])) as indexes,
      md5(string_agg(concat_ws('|', issuer_id, m.name, fp, fy, period_end, fact.filed, superseded, value), ',' order by
        issuer_id, m.name, fp, period_end, fact.filed, accession)) as digest
    from fact join entity using (entity_id) join metric m using (metric_id) join filing using (filing_id)`
  await sql.end()
  await cluster.close()
  return row
}

const startImport = (folder: string, ...flags: string[]) =>
  Bun.spawn(['bun', 'src/cli.ts', 'import', 'us', corpus, ...flags], {
    cwd: repository,
    env: { ...process.env, DATA_DIR: folder, DATABASE_URL: '' },
    stdout: 'ignore',
    stderr: 'ignore',
  })

/** Starts an import and kills it, or its database, once a part is committed and not all. */
async function killImport(folder: string, victim: 'importer' | 'bulk' | 'database'): Promise<number> {
  const cluster = await openCluster(folder, () => {})
  const sql = connect({ url: cluster.url, connections: 1, statementTimeoutMs: 60_000 })
  const child = victim === 'bulk' ? startImport(folder, '--bulk') : startImport(folder)
  for (let facts = 0; facts === 0 && child.exitCode === null; ) {
    await Bun.sleep(5)
    facts = (await sql<{ facts: number }[]>`select count(*)::int as facts from fact`)[0].facts
  }
  if (victim === 'database') process.kill(postmasterOf(folder), 'SIGKILL')
  else child.kill('SIGKILL')
  const code = await child.exited
  await sql.end({ timeout: 1 })
  await cluster.close()
  return code
}

const postmasterOf = (folder: string) =>
  Number(readFileSync(join(folder, 'database/cluster/postmaster.pid'), 'utf8').split('\n')[0])

describe.skipIf(source === null)('an import that is killed', () => {
  test('loses nothing that was committed, and a second run ends where an undisturbed one does', async () => {
    await writeCorpus(source ?? '')
    const calm = join(dataDir, 'calm')
    expect((await runCommand(calm, 'migrate')).code).toBe(0)
    expect((await runCommand(calm, 'import', 'us', corpus)).code).toBe(0)
    const wanted = await held(calm)
    expect(wanted.entities).toBe(companies)

    for (const victim of ['importer', 'bulk', 'database'] as const) {
      const folder = join(dataDir, victim)
      expect((await runCommand(folder, 'migrate')).code).toBe(0)
      expect(await killImport(folder, victim)).not.toBe(0)
      const left = await held(folder)
      expect(left.facts).toBeLessThan(wanted.facts)
      expect(left.indexes).toBe(victim === 'bulk' ? 0 : 2)
      const again = await runCommand(folder, 'import', 'us', corpus)
      expect([again.code, again.err]).toEqual([0, again.err])
      const complete = await held(folder)
      expect({ ...complete, version: 0 }).toEqual({ ...wanted, version: 0 })
      // A third run finds nothing to do.
      expect((await runCommand(folder, 'import', 'us', corpus)).code).toBe(0)
      expect(await held(folder)).toEqual(complete)
    }
  }, 180_000)
})
