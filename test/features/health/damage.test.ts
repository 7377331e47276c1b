import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { makeContext } from '../../../src/commands/context.ts'
import { readConfig } from '../../../src/config.ts'
import { loadSample } from '../../../src/ingest/sample/loadSample.ts'
import { runInProcess } from '../../commands/runInProcess.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { DamagedCluster } from '../../postgres/integrity/damagedCluster.ts'

setDefaultTimeout(120_000)

const db = new DamagedCluster()
let server: TestServer

const asfiled = (...words: string[]) =>
  runInProcess(words, makeContext(readConfig({ DATA_DIR: db.dataDir, COMPUTE_THREADS: '1' })))
const get = (path: string) => fetch(server.url + path, { headers: { Authorization: 'Bearer demo' } })
const figures = '/api/v1/fundamentals?ticker=AAPL'
const warning =
  'A part of the database is damaged, and requests that need it get 503. The operator finds with ./asfiled status which part it is and what to do.'
async function readiness(): Promise<{ status: number; warnings: string[]; text: string }> {
  const answer = await get('/ready')
  const text = await answer.text()
  return { status: answer.status, warnings: JSON.parse(text).warnings, text }
}
const damageOf = async () => {
  const { out, code } = await asfiled('status', '--json', '--max-backup-age', '0')
  const status = JSON.parse(out)
  const about = status.attention.filter((entry: { about: string }) => entry.about === 'damage')
  return { code, about, check: status.page_check }
}

/** 1.6 MB. */
const garbage = 200 * 8_192
beforeAll(async () => {
  await db.start()
  await loadSample(db.sql)
  // Copies of the relations that requests need, so that the originals can be restored after the damage.
  await db.sql`create table ready_copy as select * from ready_answer`
  const indexes = await db.sql<{ name: string }[]>`
    select indexrelid::regclass::text as name from pg_index where indrelid = 'entity'::regclass and indisprimary`
  await db.damage([
    { relation: 'ready_answer', block: 0, bytes: garbage },
    { relation: indexes[0].name, block: 0, bytes: 2 * 8_192 },
  ])
  server = await testServer(db.sql)
}, 120_000)
afterAll(async () => {
  await server.stop()
  await db.remove()
}, 180_000)

describe('1.6 MB of garbage in the file of a table', () => {
  test('gives the request that needs it 503 without a path, and is known from then on', async () => {
    expect(await readiness()).toMatchObject({ status: 200, warnings: [] })
    const answer = await get(figures)
    const text = await answer.text()
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '300'])
    expect(JSON.parse(text).error).toMatchObject({ code: 'database_unavailable' })
    expect(text).toContain('A part of the database of this service is damaged')
    expect(text).not.toMatch(/base\/|block|ready_answer|entity/)
    await server.resources.damage.settled()
    const lines = server.logged.filter(({ level }) => level === 50)
    expect(lines.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(
        /^The database is damaged: (Table ready_answer|Index entity_pkey of entity): a request could not read block/,
      ),
    ])
  })

  test('is what /ready warns of, without names, and what status names with what to do; exit code 1', async () => {
    const ready = await readiness()
    expect(ready).toMatchObject({ status: 200, warnings: [warning] })
    expect(ready.text).not.toMatch(/base\/|ready_answer|entity_pkey/)
    // Again and again the same request: one line in the log.
    for (let n = 0; n < 3; n++) expect((await get(figures)).status).toBe(503)
    await server.resources.damage.settled()
    expect(server.logged.filter(({ level }) => level === 50)).toHaveLength(1)
    const { code, about } = await damageOf()
    expect(code).toBe(1)
    expect(about).toHaveLength(1)
  })

  test('is found as a whole by verify, which names tables, blocks and remedies', async () => {
    const run = await asfiled('verify')
    expect(run.code).toBe(1)
    expect(run.out).toMatch(/- Table ready_answer: blocks 0 to 199\./)
    expect(run.out).toMatch(/- Index entity_pkey of entity: blocks 0 to 1\./)
    const { code, about, check } = await damageOf()
    expect(code).toBe(1)
    expect(about.map(({ message }: { message: string }) => message.replace(/ First seen.*/, ''))).toEqual(
      expect.arrayContaining([
        'Index entity_pkey of entity: blocks 0 to 1.',
        'Table ready_answer: blocks 0 to 199.',
      ]),
    )
    expect(check).toMatchObject({ checksums: true, damaged_relations: 2, running: null })
    const screen = await asfiled('status', '--max-backup-age', '0')
    expect(screen.out).toMatch(/^pages +all [\d,]+ checked \d+ s ago, 2 tables or indexes damaged/m)
    expect(screen.out).toContain('./asfiled verify --repair rebuilds the index from its table.')
    expect(screen.out).toContain('restore the last backup')
  })

  test('is in a backup, too, which says so', async () => {
    const file = join(db.dataDir, 'damaged.tar.zst')
    const run = await asfiled('backup', file, '--json')
    expect(run.code).toBe(0)
    const made = JSON.parse(run.out)
    expect(made).toEqual({
      file,
      bytes: Bun.file(file).size,
      database_bytes: expect.any(Number),
      seconds: expect.any(Number),
    })
    expect(made.database_bytes).toBeGreaterThan(made.bytes)
    expect(run.error).toContain('this backup contains the damage: keep the earlier ones')
  })

  test('is over in /ready and status when the index is rebuilt, the table is whole again, and a check was clean', async () => {
    const repaired = await asfiled('verify', '--repair', '--json')
    const report = JSON.parse(repaired.out)
    expect(report.repairs).toEqual([{ name: 'entity_pkey', done: true, failure: null }])
    expect(report.damage.map(({ name }: { name: string }) => name)).toEqual(['ready_answer'])
    expect(repaired.code).toBe(1)
    await db.sql`truncate ready_answer`
    await db.sql`insert into ready_answer select * from ready_copy`
    const clean = await asfiled('verify')
    expect([clean.code, clean.out.trim().split('\n').at(-1)]).toEqual([0, 'Nothing is damaged.'])
    expect((await damageOf()).about).toEqual([])
    expect((await get(figures)).status).toBe(200)
    const deadline = performance.now() + 30_000
    while ((await readiness()).warnings.length > 0) {
      if (performance.now() > deadline) throw new Error('/ready still warns.')
      await Bun.sleep(200)
    }
  })

  test('in what /ready itself reads leaves it ready, with the warning', async () => {
    await db.sql`insert into sync_run (market, is_scheduled, is_partial) values ('US', false, false)`
    await server.stop()
    await db.damage([{ relation: 'sync_run', block: 0, bytes: 8_192 }])
    server = await testServer(db.sql)
    expect(await readiness()).toMatchObject({ status: 200, warnings: [warning] })
    const { code, about } = await damageOf()
    expect([code, about.length > 0]).toEqual([1, true])
  })
})
