import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  makeDataDir,
  removeDataDir,
  runCommand,
  type ServerProcess,
  startServerProcess,
} from '../../boot/serverProcess.ts'
import { prepareDataDir } from '../../database.ts'
import { findPeersPython, runPython } from '../../python.ts'
import { rowsOf, runDuckdb } from './duckdb.ts'

/* DuckDB reads a release from the server by its httpfs extension, with a key. The extension comes from a package, because tests must not
 * need DuckDB's own server; the package has no version for DuckDB 2.0, so this is 1.5. */

setDefaultTimeout(600_000)

const python = findPeersPython('duckdb', 'duckdb_extension_httpfs', 'pytz')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-httpfs-'))
const dataDir = makeDataDir()
let server: ServerProcess | null = null
let key = ''

const command = async (...words: string[]) => {
  const run = await runCommand(dataDir, ...words)
  if (run.code !== 0) throw new Error(run.err)
  return run.out
}

beforeAll(async () => {
  if (python === null) return
  await prepareDataDir(dataDir)
  server = await startServerProcess(dataDir)
  await command('bulk', 'build')
  const made = await command(
    'keys',
    'create',
    '--email',
    'mirror@fund.example',
    '--licence',
    'redistribution',
    '--json',
  )
  key = JSON.parse(made).key
})
afterAll(async () => {
  server?.signal('SIGTERM')
  await server?.exited
  removeDataDir(dataDir)
  rmSync(folder, { recursive: true, force: true })
})

test.skipIf(python === null)(
  'a release on a server answers like the same release on disk, and like the API',
  async () => {
    const file = runPython(python ?? '', folder, [
      '-c',
      'import duckdb_extension_httpfs as e, pathlib; print(next(pathlib.Path(e.__path__[0]).rglob("*.duckdb_extension")))',
    ]).trim()
    const install = [`set extension_directory = '${folder}'`, `install '${file}'`]
    const address = server?.address ?? ''
    const views = join(folder, 'served.sql')
    process.env.ASFILED_KEY = key
    await command('duckdb-views', '--url', address, '--with-key', '--output', views)
    const withKey = readFileSync(views, 'utf8')
    await command('duckdb-views', '--url', address, '--output', views)
    const withoutKey = readFileSync(views, 'utf8')
    delete process.env.ASFILED_KEY
    expect(withoutKey).not.toContain(key)
    const local = await command('duckdb-views')

    const queries = [
      "select * from asfiled.latest('2010-02-01', metric := 'revenue') order by all",
      "select * from asfiled.history('2012-06-30', metric := 'net_margin') order by all",
      "select * from asfiled.as_of('2010-01-24', metric := 'assets') order by all",
      'select * from asfiled.companies order by all',
      "select * from asfiled.reported_as_of('2009-12-31', tag := 'us-gaap:Assets') order by all limit 500",
      "select value, period_end, filed from asfiled.latest('2010-01-25', metric := 'revenue') l join asfiled.companies c using (entity) where c.ticker = 'AAPL'",
    ]
    const served = runDuckdb(python ?? '', folder, withKey, queries, install)
    const onDisk = runDuckdb(python ?? '', folder, local, queries, install)
    expect(served.map(result => rowsOf(result).length)).toSatisfy(counts => counts.every(count => count > 0))
    expect(served).toEqual(onDisk)

    const path = '/api/v1/fundamentals?ticker=AAPL&metric=revenue&fp=FY&view=latest&as_of=2010-01-25'
    const { data } = await (
      await fetch(address + path, { headers: { Authorization: `Bearer ${key}` } })
    ).json()
    expect(rowsOf(served[5])).toEqual([{ value: data[0].v, period_end: data[0].end, filed: data[0].filed }])
    expect(data[0].v).toBe(42_905_000_000)

    // Without the secret the server refuses. DuckDB 1.5 shows no status, but the file says what it needs.
    expect(() => runDuckdb(python ?? '', folder, withoutKey, [], [...install, 'load httpfs'])).toThrow(/HTTP/)
    const secret = `create secret (type http, scope '${address}', bearer_token '${key}')`
    const given = runDuckdb(python ?? '', folder, withoutKey, queries.slice(0, 1), [
      ...install,
      'load httpfs',
      secret,
    ])
    expect(given[0]).toEqual(onDisk[0])
  },
)
