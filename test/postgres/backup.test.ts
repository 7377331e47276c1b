import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/boot/database.ts'
import { readConfig } from '../../src/config.ts'
import { Failure } from '../../src/errors.ts'
import { connect, type Sql } from '../../src/postgres/client.ts'
import { withAdmin } from '../../src/postgres/embedded/admin.ts'
import { endMark, manifestName } from '../../src/postgres/embedded/backup/format.ts'
import { restoreBackup } from '../../src/postgres/embedded/backup/restore.ts'
import { padding, tarHeader } from '../../src/postgres/embedded/backup/tar.ts'
import { writeBackup } from '../../src/postgres/embedded/backup/write.ts'
import { type EmbeddedCluster, openCluster } from '../../src/postgres/embedded/cluster.ts'
import { versionedTables } from '../../src/postgres/pins/pinQueries.ts'
import { runInProcess } from '../commands/runInProcess.ts'
import { readRows, readTables } from './tables.ts'

setDefaultTimeout(120_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-backup-'))
const dataDir = join(folder, 'data')
const file = join(folder, 'backup.tar.zst')
const quiet = () => {}
let cluster: EmbeddedCluster
let sql: Sql

beforeAll(async () => {
  cluster = await openCluster(dataDir, quiet)
  sql = connect({ url: cluster.url, connections: 4, statementTimeoutMs: 0 })
  // A row in every table.
  await sql.unsafe(readFileSync(join(import.meta.dir, 'states/0.1.0.sql'), 'utf8')).simple()
  await sql.unsafe('discard all').simple()
  await (await openDatabase(readConfig({ DATA_DIR: dataDir }), 0, quiet)).close()
  await sql`insert into entity_former_id (ticker, entity_id, since_version) select 'BEFORE', min(entity_id), 0 from entity`
  await sql`insert into register_entry (market, issuer_id, accession, form, filed, is_structured, since_version)
    values ('US', '0000000001', '0000000001-20-000001', '10-K', '2020-02-03', true, 0)`
  await sql`insert into register_index (market, is_full, first_day, last_day, since_version)
    values ('US', true, '2020-01-01', '2020-03-31', 0)`
  await sql`insert into former_name (market, issuer_id, name, used_until, since_version)
    values ('US', '0000000001', 'BEFORE INC', '2019-12-31', 0)`
  await sql`insert into company_state (market, issuer_id, from_day, until_day, state, since_version)
    values ('US', '0000000001', '2020-02-03', '2021-08-03', 'reporting', 0)`
  await sql`insert into announcement (market, issuer_id, accession, form, filed, since_version)
    values ('US', '0000000001', '0000000001-20-000002', '8-K', '2020-01-30', 0)`
  await sql`insert into symbol_spell (symbol, market, issuer_id, holder, from_day, is_beginning, source, known, since_version)
    values ('FB', 'US', '0001326801', 'CIK0001326801', '2012-05-18', true, 'operator', '2026-01-01', 0)`
  await sql`insert into succession (market, predecessor, successor, from_day, known, source, since_version)
    values ('US', '0000034088', '0002115436', '2026-07-01', '2026-07-01', 'operator', 0)`
  await sql`insert into known_moment (entity_id, known_at, until_at, day, by_time, interim, since_version)
    values (1, '2020-02-01 10:00:00Z', '2020-02-02 05:00:00Z', '2020-01-31', false, 'one', 0)`
  await sql`insert into fact_interim (known_at, value, entity_id, filing_id, period_end, filed, superseded, metric_id, fy, unit_id, fp,
      period_rounded, since_version)
    values ('2020-02-01 10:00:00Z', 1, 1, 1, '2019-12-31', '2020-02-01', 'infinity', 1, 2019, 1, 0, false, 0)`
  await sql`insert into term (term_id, text) values (0, 'us-gaap:Assets')`
  await sql`insert into whole_filing (filing_id, entity_id, source, frames, figures, lines, figure_block, statement_block, since_version)
    select filing_id, entity_id, 2, '{}', 1, 0, '\\x01', '\\x02', 0 from filing order by filing_id limit 1`
  await sql`insert into co_filer (filing_id, entity_id) select filing_id, 1 from filing order by filing_id limit 1`
  await sql`insert into whole_filing_repeat (filing_id, entity_id, seen_on) select filing_id, entity_id, '2026-11-20' from filing order by filing_id limit 1`
  // What a version replaces is remembered in tables of its own.
  for (const table of versionedTables) {
    const [{ column }] = await sql<{ column: string }[]>`
      select attname as column from pg_attribute
      where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
        and attname not in ('since_version', 'amended_version') and attgenerated = '' and attidentity <> 'a'
      order by attnum desc limit 1`
    await sql`update ${sql(table)} set ${sql(column)} = ${sql(column)}`
  }
  await sql`insert into future_day (day, entity_id) values ('2999-12-31', 1)`
  await sql`select fill_ready_answers(array(select entity_id from entity))`
  await sql`insert into sync_run (market, is_scheduled, is_partial) values ('US', true, false)`
  await sql`insert into sync_due (market, due_at, try_at) values ('US', now(), now())`
  await sql`insert into as_of_result (job_id, headers, parts, stored_bytes) select job_id, '{}', 1, 1 from job limit 1`
  await sql`insert into as_of_part (job_id, part, bytes) select job_id, 0, '\\x00' from as_of_result`
  await sql`insert into shared_report (digest, job_id, markets, expires_at)
    select sha256('shared'), job_id, '{US}', now() + interval '1 day' from job limit 1`
  await sql`insert into price_set (name, currency, basis) values ('prices', 'USD', 'raw')`
  await sql`insert into price_set_reader (price_set_id, email) select price_set_id, 'ana@fund.example' from price_set`
  await sql`insert into price_import (price_set_id, data_version, basis_day, file, known, rows_stored, states_splits, states_dividends, states_delistings)
    select price_set_id, 0, '2026-01-01', 'prices.csv', 'date', 1, false, false, false from price_set`
  await sql`insert into price_asset (price_set_id, entity_id, market, symbols, first_day, last_day, price_count)
    select price_set_id, 1, 'US', '{A}', '2026-01-01', '2026-01-01', 1 from price_set`
  await sql`insert into price_symbol (asset_id, symbol, first_day, known_day, data_version)
    select asset_id, 'A', '2026-01-01', '2026-01-01', 0 from price_asset`
  await sql`insert into price_block (asset_id, year, bytes) select asset_id, 2026, '\\x01' from price_asset`
  await sql`insert into price_day (price_set_id, market, day, known_day, data_version, closes) select price_set_id, 'US', '2026-01-01', '2026-01-01', 0, 1 from price_set`
  await sql`insert into operator_run (kind, subject, started_at, outcome) values ('import', 'US', now(), 'done')`
  await sql`insert into page_check (run_by, holder, has_structure) values ('command', gen_random_uuid(), false)`
  await sql`insert into page_damage (relation, found_by, fork, name, kind, is_catalog, detail)
    values (1, 'pages', 'main', 'made_up', 'table', false, 'made up')`
  await sql`insert into clock_reading values ('0000000001-20-000001', '', '2020-02-01 10:00:00', 'local')`
  await sql`create table written (step int primary key, text text not null)`
  await sql`create table last_step (step int not null, changes int not null)`
  await sql`insert into last_step values (0, 0)`
  await sql`create table ballast as
    select n, string_agg(md5(random()::text), '') as text from generate_series(1, 15000) n, generate_series(1, 60) m
    group by n`
})

afterAll(async () => {
  await sql.end({ timeout: 1 })
  await cluster.close()
  rmSync(folder, { recursive: true, force: true })
}, 180_000)

const never = new AbortController().signal
const backUp = (to: string) => writeBackup(cluster, to, never, quiet)

let restores = 0
const newFolder = () => join(folder, `restored-${++restores}`)
const restore = (from: string, to: string) =>
  restoreBackup(to, from, { signal: never, announce: quiet, onProgress: quiet })

async function withRestored<T>(to: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const opened = await openDatabase(readConfig({ DATA_DIR: to }), 0, quiet, 'fail')
  try {
    return await work(opened.sql)
  } finally {
    await opened.close()
  }
}

/** Commits one step after the other, each in several tables, until it is stopped. */
function startWriting() {
  let isStopped = false
  let committed = 0
  const write = async () => {
    while (!isStopped) {
      const step = committed + 1
      await sql.begin(async transaction => {
        await transaction`insert into written
          select ${step}, string_agg(md5(random()::text), '') from generate_series(1, 4000)`
        await transaction`update last_step set step = ${step}, changes = changes + 1`
        // A file that appears and one that disappears while files are copied.
        await transaction`create table ${transaction(`step_${step}`)} as select ${step}::int as step`
        if (step > 3) await transaction`drop table ${transaction(`step_${step - 3}`)}`
      })
      committed = step
    }
  }
  const written = write()
  return {
    committed: () => committed,
    stop: async () => {
      isStopped = true
      await written
    },
  }
}

/** Lets PostgreSQL remove every segment of its log that it need not keep, over and over. */
function startCheckpoints() {
  let isStopped = false
  const run = withAdmin(cluster.location, cluster.port, 'postgres', async admin => {
    while (!isStopped) {
      await admin`checkpoint`
      await Bun.sleep(20)
    }
  })
  return async () => {
    isStopped = true
    await run
  }
}

test('a backup that is taken while rows are written is the database of one moment, to the row', async () => {
  const writing = startWriting()
  const stopCheckpoints = startCheckpoints()
  while (writing.committed() < 3) await Bun.sleep(10)
  const before = writing.committed()
  await backUp(file)
  const after = writing.committed()
  await writing.stop()
  await stopCheckpoints()
  expect(after - before).toBeGreaterThan(3)

  const to = newFolder()
  await restore(file, to)
  await withRestored(to, async restored => {
    const [{ step, changes }] = await restored<{ step: number; changes: number }[]>`select * from last_step`
    expect(changes).toBe(step)
    expect(step).toBeGreaterThanOrEqual(before)
    expect(step).toBeLessThanOrEqual(after + 1)
    const own = /^public\.(written|last_step|step_\d+)$/
    const tables = await readTables(sql)
    const found = await readTables(restored)
    const names = [...tables.keys()].filter(name => !own.test(name))
    expect([...found.keys()].filter(name => !own.test(name))).toEqual(names)
    expect(names.length).toBeGreaterThan(20)
    for (const name of names) {
      const columns = tables.get(name) ?? []
      expect(found.get(name)).toEqual(columns)
      const rows = await readRows(sql, name, columns)
      expect([name, rows.length > 0]).toEqual([name, true])
      expect(await readRows(restored, name, columns)).toEqual(rows)
    }
    const upToStep = sql`select * from written where step <= ${step} order by step`
    expect([...(await restored`select * from written order by step`)]).toEqual([...(await upToStep)])
    for (const last of [step - 2, step - 1, step])
      expect([...(await restored`select * from ${restored(`step_${last}`)}`)]).toEqual([{ step: last }])
    const broken =
      await restored`select 1 from pg_database where datname = current_database() and datistemplate`
    expect(broken.length).toBe(0)
  })
})

test('a backup is readable for its owner only, and with tar and sha256sum', async () => {
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const unpacked = join(folder, 'unpacked')
  mkdirSync(unpacked)
  const tar = Bun.spawnSync(['tar', '-x', '-C', unpacked], { stdin: await unpack() })
  expect(tar.exitCode).toBe(0)
  const sums = Bun.spawnSync(['sha256sum', '--check', '--strict', 'checksums.sha256'], { cwd: unpacked })
  expect(sums.exitCode).toBe(0)
  expect(sums.stdout.toString().split('\n').length).toBeGreaterThan(1_000)
  expect(readdirSync(unpacked).sort()).toEqual(['asfiled-backup.json', 'checksums.sha256', 'database'])
  rmSync(unpacked, { recursive: true })
})

const packed = async (tar: Uint8Array) => Buffer.concat([await Bun.zstdCompress(tar, { level: 1 }), endMark])
const unpack = async () => Bun.zstdDecompress(await Bun.file(file).bytes())

/** Why a restore is refused. It must leave no database, finished or not. */
async function refusal(from: string): Promise<string> {
  const to = newFolder()
  const failure = await restore(from, to).then(
    () => null,
    (error: unknown) => error,
  )
  if (existsSync(to)) expect(readdirSync(to).filter(name => name.startsWith('database'))).toEqual([])
  if (failure instanceof Failure) return failure.message
  throw new Error(`not refused in words: ${failure}`)
}

describe('a backup is refused, and leaves no database', () => {
  const changed = join(folder, 'changed')

  test('where it was truncated, wherever that is', async () => {
    const bytes = await Bun.file(file).bytes()
    for (const length of [
      0,
      1,
      5_000,
      Math.floor(bytes.length / 2),
      bytes.length - 5_000,
      bytes.length - 1,
    ]) {
      writeFileSync(changed, bytes.subarray(0, length))
      expect([length, await refusal(changed)]).toEqual([
        length,
        expect.stringContaining('is damaged or is not a backup'),
      ])
    }
    writeFileSync(changed, Buffer.concat([bytes.subarray(0, Math.floor(bytes.length / 2)), endMark]))
    expect(await refusal(changed)).toContain('is damaged or is not a backup')
  })

  test('where a byte of it was changed', async () => {
    const bytes = await Bun.file(file).bytes()
    for (const share of [0.0001, 0.1, 0.5, 0.9, 0.9999]) {
      const at = Math.floor(bytes.length * share)
      bytes[at] ^= 0x10
      writeFileSync(changed, bytes)
      bytes[at] ^= 0x10
      expect([at, await refusal(changed)]).toEqual([
        at,
        expect.stringContaining('is damaged or is not a backup'),
      ])
    }
  })

  test('where a file in it was changed and it was compressed again', async () => {
    const bytes = await unpack()
    bytes[Math.floor(bytes.length / 2)] ^= 1
    writeFileSync(changed, await packed(bytes))
    expect(await refusal(changed)).toMatch(
      /database\/cluster\/\S+ is not what was backed up. Nothing was restored/,
    )
  })

  test('where it is another file', async () => {
    writeFileSync(changed, 'date,ticker\n2024-01-02,AAPL\n')
    expect(await refusal(changed)).toContain('is damaged or is not a backup')
    expect(await refusal(folder)).toContain('it is no file')
    expect(await refusal(join(folder, 'missing'))).toContain('cannot be read')
  })

  /** The backup with another description of itself. */
  async function described(change: (manifest: Record<string, unknown>) => void): Promise<void> {
    const tar = Buffer.from(await unpack())
    const size = Number.parseInt(tar.toString('utf8', 124, 135), 8)
    const manifest = JSON.parse(tar.toString('utf8', 512, 512 + size))
    change(manifest)
    const text = Buffer.from(JSON.stringify(manifest))
    const rest = tar.subarray(512 + size + padding(size).length)
    const digestOf = (content: Uint8Array) => new Bun.CryptoHasher('sha256').update(content).digest('hex')
    rest.write(digestOf(text), rest.indexOf(digestOf(tar.subarray(512, 512 + size))))
    const parts = [tarHeader(manifestName, 'file', text.length, 0), text, padding(text.length), rest]
    writeFileSync(changed, await packed(Buffer.concat(parts)))
  }

  test('where it is of a newer version, which is named', async () => {
    await described(manifest => {
      const newer = { name: '9999_later.sql', digest: 'f'.repeat(64), version: '9.9.9' }
      Object.assign(manifest, { version: '9.9.9', migrations: [...Object(manifest.migrations), newer] })
    })
    expect(await refusal(changed)).toContain('comes from a newer asfiled (9.9.9): it has 9999_later.sql')
    await described(manifest => Object.assign(manifest, { format: 2, version: '9.9.9' }))
    expect(await refusal(changed)).toContain('has format 2, written by asfiled 9.9.9')
    await described(manifest => Object.assign(manifest, { postgres: '19', version: '9.9.9' }))
    expect(await refusal(changed)).toContain('was made with PostgreSQL 19')
  })

  test('where it is of another kind of machine', async () => {
    await described(manifest => Object.assign(manifest, { platform: 'darwin-arm64' }))
    expect(await refusal(changed)).toContain('was written on darwin-arm64')
  })

  test('where there is a database, which stays as it is', async () => {
    const to = newFolder()
    mkdirSync(join(to, 'database'), { recursive: true })
    writeFileSync(join(to, 'database/kept'), 'as it was')
    await expect(restore(file, to)).rejects.toThrow('a backup is never restored over one')
    expect(readFileSync(join(to, 'database/kept'), 'utf8')).toBe('as it was')
  })
})

describe('a backup is not written', () => {
  const parts = () => readdirSync(folder).filter(name => name.endsWith('.part'))

  test('over a file that exists, into the database, or where nothing can be written', async () => {
    const taken = join(folder, 'taken')
    writeFileSync(taken, 'as it was')
    await expect(backUp(taken)).rejects.toThrow('exists and is not overwritten')
    expect(readFileSync(taken, 'utf8')).toBe('as it was')
    await expect(backUp(join(dataDir, 'database/backup'))).rejects.toThrow('is in the folder of the database')
    await expect(backUp(join(folder, 'missing/backup'))).rejects.toThrow('cannot be written')
    symlinkSync(join(dataDir, 'database'), join(folder, 'disguised'))
    await expect(backUp(join(folder, 'disguised/backup'))).rejects.toThrow('is in the folder of the database')
    symlinkSync(join(folder, 'missing/backup'), join(folder, 'dangling'))
    await expect(backUp(join(folder, 'dangling'))).rejects.toThrow('exists and is not overwritten')
    await expect(backUp('')).rejects.toThrow('The name of the backup is empty')
    expect(parts()).toEqual([])
  })

  test('where it is stopped half-way', async () => {
    const stop = new AbortController()
    const stopped = join(folder, 'stopped')
    const onProgress = ({ doneBytes }: { doneBytes: number }) => doneBytes > 20e6 && stop.abort()
    expect(await writeBackup(cluster, stopped, stop.signal, onProgress).catch(() => 'stopped')).toBe(
      'stopped',
    )
    expect(existsSync(stopped)).toBe(false)
    expect(parts()).toEqual([])
  })

  test('where PostgreSQL dies half-way; the same command then writes it', async () => {
    const died = join(folder, 'died')
    const pid = Number(readFileSync(join(cluster.location.cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
    let isKilled = false
    const kill = ({ doneBytes }: { doneBytes: number }) => {
      if (!isKilled && doneBytes > 20e6) process.kill(pid, 'SIGKILL')
      isKilled ||= doneBytes > 20e6
    }
    const failed = await writeBackup(cluster, died, never, kill).catch(() => 'failed')
    expect(failed).toBe('failed')
    expect(existsSync(died)).toBe(false)
    expect(parts()).toEqual([])
    await cluster.ensureRunning()
    await backUp(died)
    expect(existsSync(died)).toBe(true)
  })

  test.each(['backup', 'restore'])(
    'by asfiled %s where DATABASE_URL names another database',
    async command => {
      const config = readConfig({ DATABASE_URL: 'postgres://user:secret@db.example:5432/asfiled' })
      const run = await runInProcess([command, join(folder, 'other')], { config })
      expect(run.code).toBe(2)
      expect(run.error).toMatch(
        /DATABASE_URL names PostgreSQL at db\.example:5432\/asfiled.*(pg_dump|pg_restore)/,
      )
      expect(run.error).not.toContain('secret')
    },
  )
})
