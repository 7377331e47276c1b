import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { pino } from 'pino'
import { startPageCheck } from '../../../src/boot/pageCheck.ts'
import { claimPass, silentSeconds } from '../../../src/postgres/integrity/passQueries.ts'
import { brief, DamagedCluster } from './damagedCluster.ts'

setDefaultTimeout(120_000)

const db = new DamagedCluster()
beforeAll(async () => {
  await db.start()
  await db.sql`create table big as select n, md5(n::text) as text from generate_series(1, 60000) n`
  await db.sql`create index big_n on big (n)`
})
afterAll(() => db.remove(), 60_000)

const claim = { everyHours: 6, structureHours: 168, isUrgent: false }
const passes = () =>
  db.sql<{ id: number; pages: number; outcome: string | null; phase: string; relation: number }[]>`
    select pass_id::int as id, pages::int as pages, outcome, phase, at_relation::int as relation from page_check order by 1`

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('It did not come within a minute.')
    await Bun.sleep(50)
  }
}

describe('a pass that is killed', () => {
  test('is continued where it was by another process, and what it found counts once', async () => {
    // A damaged catalog is read first, and a table that comes last.
    const first = 'pg_description'
    await db.damage([
      { relation: first, block: 1, bytes: 3 * 8_192 },
      { relation: 'big', block: 100, bytes: 5 * 8_192 },
    ])
    const child = Bun.spawn(
      ['bun', join(import.meta.dir, 'passProcess.ts'), db.cluster.url, db.folder, '16000000'],
      {
        stdout: 'inherit',
        stderr: 'inherit',
      },
    )
    await until(async () => (await passes()).some(({ pages }) => pages > 1_200))
    child.kill('SIGKILL')
    await child.exited
    const [killed] = await passes()
    expect(killed).toMatchObject({ outcome: null, phase: 'pages' })
    const holder = crypto.randomUUID()
    // Nobody takes it as long as its process may live.
    expect(await claimPass(db.sql, { ...claim, holder })).toBeNull()
    await db.sql`update page_check set seen_at = now() - ${silentSeconds + 1} * interval '1 second'`
    const pass = await claimPass(db.sql, { ...claim, holder })
    expect(pass).toMatchObject({ passId: killed.id, relation: killed.relation, pages: killed.pages })
    // No other process takes it now.
    expect(await claimPass(db.sql, { ...claim, holder: crypto.randomUUID() })).toBeNull()
    const result = await db.pass({ pass, holder })
    const page = { foundBy: 'pages', fork: 'main', kind: 'table' } as const
    expect(result.findings.map(brief)).toEqual([
      { ...page, name: `pg_catalog.${first}`, blocks: 3, range: [1, 3] },
      { ...page, name: 'big', blocks: 5, range: [100, 104] },
    ])
    expect(await passes()).toMatchObject([{ id: killed.id, outcome: 'damaged' }])
    const whole = await db.pass()
    // It read what was left, and no page of before twice, except for two seconds of reading.
    expect(result.pages).toBeGreaterThanOrEqual(whole.pages - 50)
    expect(result.pages).toBeLessThan(whole.pages + 2_000)
  })

  test('in the hands of another process ends where it is', async () => {
    await db.sql`delete from page_check`
    const holder = crypto.randomUUID()
    const pass = await claimPass(db.sql, { ...claim, holder })
    await db.sql`update page_check set holder = ${crypto.randomUUID()}`
    expect(await db.pass({ pass, holder })).toMatchObject({ ended: 'lost', findings: [] })
    await db.sql`delete from page_check`
  })
})

describe('the check of a server', () => {
  test('begins by itself, logs each finding once, and the next one ends what was repaired', async () => {
    await db.sql`delete from page_check`
    await db.sql`delete from page_damage`
    const lines: { level: number; msg: string }[] = []
    const start = () =>
      startPageCheck({
        config: { pageCheckMbPerSecond: 1_000, pageCheckHours: 1 },
        url: db.cluster.url,
        folder: db.folder,
        lookEveryMs: 20,
        log: pino({ level: 'info' }, { write: line => lines.push(JSON.parse(line)) }),
        damage: { note: () => {}, takeNews: () => false },
      })
    const errors = () => lines.filter(({ level }) => level === 50).map(({ msg }) => msg)
    const rounds = async (count: number) => {
      const stop = start()
      await until(async () => (await passes()).filter(({ outcome }) => outcome !== null).length === count)
      await stop()
    }
    await rounds(1)
    expect(errors().sort()).toEqual([
      'The database is damaged: System catalog pg_catalog.pg_description: blocks 1 to 3. See ./asfiled status.',
      'The database is damaged: Table big: blocks 100 to 104. See ./asfiled status.',
    ])
    // An hour later.
    const anHourLater = () => db.sql`update page_check set started_at = started_at - interval '61 minutes',
      ended_at = ended_at - interval '61 minutes'`
    await db.sql`truncate big`
    await anHourLater()
    await rounds(2)
    expect(errors()).toHaveLength(2)
    const left = await db.sql<{ name: string }[]>`select name from page_damage`
    expect(left.map(({ name }) => name)).toEqual(['pg_catalog.pg_description'])
  })

  test('is not due again before its hours have passed, unless PostgreSQL counts a wrong checksum', async () => {
    const holder = crypto.randomUUID()
    await db.sql`update page_check set started_at = now() - interval '30 minutes', ended_at = now() - interval '20 minutes'`
    await db.sql`select pg_stat_force_next_flush()`
    expect(await claimPass(db.sql, { ...claim, holder })).toBeNull()
    // pg_description is still damaged: a statement runs into it.
    await expect(db.sql`select count(*) from pg_description`.execute()).rejects.toThrow('invalid page')
    await until(async () => (await claimPass(db.sql, { ...claim, holder })) !== null)
    // Only one at a time.
    expect(await claimPass(db.sql, { ...claim, holder: crypto.randomUUID(), isUrgent: true })).toBeNull()
  })
})
