import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateQueue } from '../../../src/jobs/queue.ts'
import { build, makeBulkFolder } from '../../features/bulk/releases.ts'
import { findPython } from '../../python.ts'
import { sellKey } from '../callers.ts'
import { type RealServer, realServer } from '../realServer.ts'

/** Schemathesis makes requests that fit /openapi.json and ones that do not, sends them to a server on the shipped sample, and compares every
 * answer with the document, with all its checks. */

if (process.env.LONG === undefined) console.log('skipped: Schemathesis runs with LONG=1')
setDefaultTimeout(30 * 60_000)

const python = process.env.LONG === undefined ? null : findPython('schemathesis')

describe.skipIf(python === null)('Schemathesis (LONG=1)', () => {
  const { folder, remove } = makeBulkFolder()
  const reports = mkdtempSync(join(tmpdir(), 'asfiled-schemathesis-'))
  const place = join(import.meta.dir, 'schemathesis')
  let server: RealServer
  let owner: string

  beforeAll(async () => {
    server = await realServer({ settings: { BULK_DIR: folder } })
    await migrateQueue(server.databaseUrl)
    await build(server.sql, folder)
    owner = await sellKey(server.sql, { licence: 'oem', quant: true, bulk: true, perMinute: 900_000 })
  })
  afterAll(async () => {
    await server.stop()
    remove()
    rmSync(reports, { recursive: true })
  })

  async function findings(key: string, examples: number) {
    const command = [
      python ?? '',
      '-m',
      'schemathesis.cli',
      '--config-file',
      join(place, 'schemathesis.toml'),
      ...['run', `${server.url}/openapi.json`, '--header', `Authorization: Bearer ${key}`, '--checks', 'all'],
      // DELETE cancels a submitted backtest, whose state and trials stay readable for seven days: it is no deleted resource.
      // As a setting this has no effect beside `--checks all`. Deleted panels have tests of their own.
      ...['--exclude-checks', 'use_after_free'],
      ...[
        '--max-examples',
        String(examples),
        '--seed',
        '1',
        '--continue-on-failure',
        '--request-timeout',
        '30',
      ],
    ]
    const child = Bun.spawn(command, {
      cwd: reports,
      env: { ...process.env, PYTHONPATH: place, PYTHONDONTWRITEBYTECODE: '1', NO_COLOR: '1' },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [said, complained] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    const code = await child.exited
    return { code, report: code === 0 ? '' : said + complained, tested: /Tested: (\d+)/.exec(said)?.[1] }
  }

  test('finds nothing with the key of an owner', async () => {
    const { paths } = await (await fetch(`${server.url}/openapi.json`)).json()
    const operations = Object.values<object>(paths).flatMap(methods => Object.keys(methods))
    expect(await findings(owner, 20)).toEqual({ code: 0, report: '', tested: String(operations.length) })
  })

  test('finds nothing with the demo key', async () => {
    expect(await findings('demo', 3)).toMatchObject({ code: 0, report: '' })
  })
})
