import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeManifest } from '../../src/features/bulk/release.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import { runOn } from './runInProcess.ts'

/* What the views answer is tested in test/features/duckdbViews. */

const folder = mkdtempSync(join(tmpdir(), "asfiled-duckdb's-"))
const bulk = join(folder, 'bulk')
const key = 'asf_live_secret'
const file = { market: 'US', rows: 1, bytes: 4, sha256: '0'.repeat(64) }
const { manifests } = await loadMarkets()
const manifest = makeManifest({
  dataVersion: 41,
  asOf: '2026-06-30',
  files: [{ ...file, path: 'US-2010.parquet', year: 2010 }],
  reported: {
    figures: [{ ...file, path: 'figures-US-us-gaap-2010.parquet', taxonomy: 'us-gaap', year: 2010 }],
    lines: [{ ...file, path: 'lines-US-us-gaap-2010.parquet', taxonomy: 'us-gaap', year: 2010 }],
  },
  manifests,
})
const server = Bun.serve({
  port: 0,
  fetch(request) {
    const { pathname } = new URL(request.url)
    if (request.headers.get('authorization') !== `Bearer ${key}`)
      return Response.json({ error: { message: 'This key has no bulk files.' } }, { status: 403 })
    const release = { data_version: 41, as_of: '2026-06-30', rows: 1, bytes: 4, files: 1 }
    const releases = [{ ...release, manifest: '/api/v1/bulk/41/manifest.json' }]
    if (pathname === '/api/v1/bulk')
      return Response.json({ object: 'bulk_list', data_version: 42, count: 1, releases })
    return pathname === '/api/v1/bulk/41/manifest.json'
      ? Response.json(manifest)
      : Response.json({ error: { message: 'There is no bulk release 40.' } }, { status: 404 })
  },
})
const url = `http://127.0.0.1:${server.port}`

beforeAll(() => {
  for (const [path, content] of [
    ['41/manifest.json', JSON.stringify(manifest)],
    ['41/US-2010.parquet', 'PAR1'],
    ['damaged/manifest.json', '{"object":'],
    ['other/manifest.json', '{"object":"bulk_manifest"}'],
    ['cut/manifest.json', JSON.stringify(manifest)],
  ]) {
    mkdirSync(join(bulk, path, '..'), { recursive: true })
    writeFileSync(join(bulk, path), content)
  }
})
afterAll(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true, force: true })
})

const run = (...words: string[]) =>
  runOn({ BULK_DIR: bulk, ASFILED_KEY: key, COMPUTE_THREADS: '1' }, 'duckdb-views', ...words)

describe('duckdb-views', () => {
  test('reads the newest release of BULK_DIR, and leaves out whole filings that were not downloaded', async () => {
    const { code, out, error } = await run()
    expect([code, error]).toEqual([0, ''])
    expect(out).toContain(
      `read_parquet(['${bulk.replaceAll("'", "''")}/41/US-2010.parquet'], filename = true, hive_partitioning = false)`,
    )
    expect(out).toContain("select 41 as data_version, date '2026-06-30' as as_of")
    expect(out).not.toContain('reported_as_of')
    expect(out).not.toContain('{{')
    expect((await run(join(bulk, '41'))).out).toBe(out)
  })

  test('of a server never contains the key, unless it is asked for', async () => {
    const plain = await run('--url', url)
    expect([plain.code, plain.error]).toEqual([0, ''])
    expect(plain.out).not.toContain(key)
    expect(plain.out).toContain(`['${url}/api/v1/bulk/41/US-2010.parquet']`)
    expect(plain.out).toContain(`'${url}/api/v1/bulk/41/figures-US-us-gaap-2010.parquet'`)
    expect(plain.out).toContain(
      `--   create or replace secret asfiled (type http, scope '${url}/api/v1/bulk/41', bearer_token 'asf_live_...');`,
    )
    const output = join(folder, 'views.sql')
    expect(await run('--url', `${url}/`, '--release', '41', '--with-key', '--output', output)).toMatchObject({
      code: 0,
      out: '',
    })
    expect(readFileSync(output, 'utf8')).toContain(`bearer_token '${key}'`)
    expect(statSync(output).mode & 0o777).toBe(0o600)
  })

  test('says what is wrong, and how to mend it', async () => {
    const faults: [string[], number, string][] = [
      [['--release', '41'], 2, '--release requires --url. For a local release, name its folder.'],
      [['--url', url, bulk], 2, `Give either the folder ${bulk} or --url, not both.`],
      [['--url', url, '--with-key'], 2, '--with-key requires --output, so that the key is not printed.'],
      [
        ['--url', 'data.example.com'],
        2,
        '--url data.example.com is not an address like https://data.example.com.',
      ],
      // The address is written to the file.
      [
        ['--url', 'https://me:sesame@data.example.com'],
        2,
        '--url https://...@data.example.com is not an address like https://data.example.com.',
      ],
      [['--url', url, '--release', '40'], 2, 'refused: There is no bulk release 40.'],
      [[folder], 2, 'is not the folder of a release: it has no manifest.json.'],
      [[join(bulk, 'damaged')], 2, 'manifest.json is damaged'],
      [[join(bulk, 'other')], 2, 'is not the manifest of a release: /data_version'],
      [[join(bulk, 'cut')], 2, 'lacks US-2010.parquet. Complete the download first.'],
      [['--output', '/none/such.sql'], 2, 'there is no folder /none'],
    ]
    for (const [words, code, message] of faults)
      expect([words, await run(...words)]).toEqual([
        words,
        { code, out: '', error: expect.stringContaining(message) },
      ])
    const none = await runOn({ BULK_DIR: join(folder, 'empty') }, 'duckdb-views')
    expect(none).toMatchObject({ code: 2, error: expect.stringContaining('./asfiled bulk build') })
    const demo = await runOn({ BULK_DIR: bulk }, 'duckdb-views', '--url', url)
    expect(demo).toMatchObject({ code: 2, error: expect.stringContaining('This key has no bulk files.') })
  })
})
