import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { pino } from 'pino'
import { scheduleBulk } from '../../src/boot/bulk.ts'
import { readConfig } from '../../src/config.ts'
import { readManifest, releasesIn, unfinishedIn } from '../../src/features/bulk/release.ts'
import { sampleDatabase, type TestDatabase } from '../database.ts'
import { build, makeBulkFolder, readRelease } from '../features/bulk/releases.ts'
import { manifests, truth } from '../features/changes/mirror.ts'
import { isLong } from '../rounds.ts'

setDefaultTimeout(120_000)

const repository = resolve(import.meta.dir, '../..')
const codes = manifests.map(({ code }) => code).join(',')

let database: TestDatabase
beforeAll(async () => {
  database = await sampleDatabase()
})
afterAll(() => database.close())

const settings = (folder: string) => ({
  DATABASE_URL: database.url,
  BULK_DIR: folder,
  ALLOW_UNVERIFIED_MARKETS: codes,
})

const command = (folder: string, ...words: string[]) =>
  Bun.spawn(['bun', 'src/cli.ts', 'bulk', ...words], {
    cwd: repository,
    env: { ...process.env, ...settings(folder) },
    stdout: 'pipe',
    stderr: 'pipe',
  })

test('a build that is killed again and again is continued, and a release is never there in part', async () => {
  const { folder, remove } = makeBulkFolder()
  let kills = 0
  const delaysMs = [900, 1_100, 1_300, 1_500, 1_700, 1_900, 2_100]
  for (const delayMs of isLong ? delaysMs : delaysMs.filter((_, at) => at % 3 === 0)) {
    const child = command(folder, 'build')
    await Promise.race([child.exited, Bun.sleep(delayMs)])
    if (child.exitCode !== null) break
    child.kill('SIGKILL')
    await child.exited
    kills++
    const [version] = releasesIn(folder)
    if (version !== undefined) expect(readdirSync(folder)).toEqual([String(version)])
  }
  const last = command(folder, 'build')
  expect(await new Response(last.stdout).text()).toContain('data version')
  expect(await last.exited).toBe(0)
  expect(kills).toBeGreaterThan(0)
  const [version] = releasesIn(folder)
  const manifest = readManifest(folder, version)
  expect(await readRelease(folder, manifest)).toEqual(await truth(database.sql, manifest.as_of))
  expect(unfinishedIn(folder)).toEqual([])
  // Whole filings have the digests of a build that nobody killed.
  const undisturbed = makeBulkFolder()
  const { manifest: expected } = await build(database.sql, undisturbed.folder, { today: manifest.as_of })
  undisturbed.remove()
  expect(manifest.reported).toEqual(expected.reported ?? [])
  expect(manifest.reported?.every(({ files }) => files.length > 1)).toBe(true)
  const listed = await new Response(command(folder, 'list').stdout).text()
  expect(listed).toContain(manifest.as_of)
  remove()
})

test('of two builds at once one is refused, with what to do', async () => {
  const { folder, remove } = makeBulkFolder()
  const both = await Promise.allSettled([build(database.sql, folder), build(database.sql, folder)])
  const refused = both.flatMap(one => (one.status === 'rejected' ? [String(one.reason.message)] : []))
  expect(refused).toHaveLength(1)
  expect(refused[0]).toContain('Another process builds')
  remove()
})

test('the schedule builds in a process of its own, and a build that was interrupted continues at the start', async () => {
  const { folder, remove } = makeBulkFolder()
  // A process whose environment is that of a server with the schedule: a build has the same.
  const script = `
    import { pino } from 'pino'
    import { scheduleBulk } from './src/boot/bulk.ts'
    import { readConfig } from './src/config.ts'
    const { tasks: [task], close } = scheduleBulk(readConfig(process.env), pino({ level: 'info' }))
    const at = min => task.isTime({ min, hour: 4, date: 1, month: 1, dow: 1 })
    if (!at(30) || at(31)) throw new Error('The times are others.')
    await task.perform({ kind: task.kind, payload: {}, attempt: 1, maxAttempts: 4 })
    await Bun.stdin.text()
    await close()`
  const server = Bun.spawn(['bun', '-e', script], {
    cwd: repository,
    env: { ...process.env, ...settings(folder), BULK_SCHEDULE: '30 4 * * *' },
    stdin: 'pipe',
    stdout: 'pipe',
  })
  for (let wait = 0; wait < 300 && releasesIn(folder).length === 0; wait++) await Bun.sleep(100)
  expect(releasesIn(folder)).toHaveLength(1)
  server.stdin.end()
  expect(await server.exited).toBe(0)
  expect(scheduleBulk(readConfig({ BULK_DIR: folder }), pino({ level: 'silent' })).tasks).toEqual([])
  remove()
})

test('a schedule that is none is refused, with the field at fault', () => {
  expect(() => readConfig({ BULK_SCHEDULE: '61 4 * * *' })).toThrow(
    'BULK_SCHEDULE=61 4 * * *: its minute is 61',
  )
})
