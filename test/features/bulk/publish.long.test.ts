import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Subprocess } from 'bun'
import { freePorts } from '../../../deploy/cluster/processes.ts'
import { Failure } from '../../../src/errors.ts'
import type { BucketSettings } from '../../../src/features/bulk/bucket.ts'
import { type PublishOptions, publishRelease, removePublished } from '../../../src/features/bulk/publish.ts'
import { type BulkManifest, releaseFolder } from '../../../src/features/bulk/release.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { findPython, runPython } from '../../python.ts'
import { build, makeBulkFolder, readRelease } from './releases.ts'
import { credentials, hasStorage, startStorage } from './storage.ts'

const isMissing = !hasStorage
const python = isMissing ? null : findPython('polars', 'pyarrow')

setDefaultTimeout(180_000)

const storageFolder = mkdtempSync(join(tmpdir(), 'asfiled-bucket-'))
const { folder, remove } = makeBulkFolder()
let database: TestDatabase
let storage: Subprocess
const [port] = freePorts(1)

beforeAll(async () => {
  if (isMissing) return
  database = await sampleDatabase()
  mkdirSync(join(storageFolder, 'figures'))
  storage = await startStorage(storageFolder, port)
})
afterAll(async () => {
  if (isMissing) return
  storage.kill()
  await database.close()
  remove()
  rmSync(storageFolder, { recursive: true, force: true })
})

const settings = (change: Partial<BucketSettings> = {}): BucketSettings => ({
  bucket: 'figures',
  prefix: 'asfiled/',
  endpoint: `http://127.0.0.1:${port}`,
  region: 'us-east-1',
  sessionToken: null,
  ...credentials,
  ...change,
})

const publish = (manifest: BulkManifest, change: Partial<PublishOptions> = {}) =>
  publishRelease({
    bucket: settings(),
    folder,
    manifest,
    keep: 3,
    now: () => new Date(),
    signal: new AbortController().signal,
    onProgress: () => {},
    ...change,
  })

/** The files under a prefix of the bucket, with the time and size of each. */
function objects(prefix: string): ReadonlyMap<string, string> {
  const root = join(storageFolder, 'figures', prefix)
  const names = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : []
  const found = new Map<string, string>()
  for (const name of names.sort()) {
    const state = statSync(join(root, name))
    if (state.isFile()) found.set(name, `${state.mtimeMs} ${state.size}`)
  }
  return found
}

const failureOf = (work: Promise<unknown>): Promise<Failure> =>
  work.then(
    () => Promise.reject(new Error('It did not fail.')),
    error => (error instanceof Failure ? error : Promise.reject(error)),
  )

describe.skipIf(isMissing)('a release in a bucket', () => {
  test.skipIf(python === null)('is what polars and pyarrow read there, by partition', async () => {
    if (python === null) return
    const { manifest } = await build(database.sql, folder)
    const { url, isNew } = await publish(manifest)
    expect([url, isNew]).toEqual([`s3://figures/asfiled/release=${manifest.data_version}/`, true])
    const read = JSON.parse(
      runPython(python, folder, [
        '-c',
        `
import json, os, sys
import polars as pl
import pyarrow.dataset as ds, pyarrow.fs as fs
url, endpoint, key, secret = sys.argv[1:]
options = {'aws_endpoint_url': endpoint, 'aws_access_key_id': key, 'aws_secret_access_key': secret, 'aws_region': 'us-east-1', 'aws_allow_http': 'true'}
frame = pl.scan_parquet(url + 'mapped/**/*.parquet', hive_partitioning=True, storage_options=options)
counts = frame.group_by('market', 'year').len().sort('market', 'year').collect().rows()
one = frame.filter((pl.col('market') == 'US') & (pl.col('ticker') == 'AAPL') & (pl.col('metric') == 'revenue') & (pl.col('fp') == 'FY')).select('filed', 'value').sort('filed', 'value').collect()
s3 = fs.S3FileSystem(endpoint_override=endpoint, access_key=key, secret_key=secret, region='us-east-1')
table = ds.dataset(url.removeprefix('s3://') + 'mapped', filesystem=s3, partitioning='hive', format='parquet').to_table()
rows = table.filter(ds.field('market') == 'US').num_rows
print(json.dumps({'counts': counts, 'aapl': [[d.isoformat(), v] for d, v in one.rows()], 'pyarrow': [table.num_rows, rows]}))`,
        url,
        `http://127.0.0.1:${port}`,
        credentials.accessKeyId,
        credentials.secretAccessKey,
      ]),
    )
    expect(read.counts).toEqual(
      nonEmpty(manifest.files)
        .map(({ market, year, rows }) => [market, year, rows])
        .sort((a, b) => (`${a[0]}-${a[1]}` < `${b[0]}-${b[1]}` ? -1 : 1)),
    )
    const us = manifest.files.filter(({ market }) => market === 'US').reduce((sum, { rows }) => sum + rows, 0)
    expect(read.pyarrow).toEqual([manifest.rows, us])
    const local = (await readRelease(folder, manifest)).filter(
      ({ ticker, metric, fp }) => ticker === 'AAPL' && metric === 'revenue' && fp === 'FY',
    )
    expect(read.aapl).toEqual(
      nonEmpty(local)
        .map(({ filed, value }) => [String(filed), Number(value)] as const)
        .sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x - y)),
    )
  })

  test('has a manifest whose digests and paths are those of its objects', async () => {
    const { manifest } = await build(database.sql, folder)
    await publish(manifest)
    const release = `asfiled/release=${manifest.data_version}`
    const published: BulkManifest = JSON.parse(
      readFileSync(join(storageFolder, 'figures', release, 'manifest.json'), 'utf8'),
    )
    const listed = [...published.files, ...(published.reported ?? []).flatMap(({ files }) => files)]
    for (const { path, sha256 } of nonEmpty(listed)) {
      const content = readFileSync(join(storageFolder, 'figures', release, path))
      expect([path, new Bun.CryptoHasher('sha256').update(content).digest('hex')]).toEqual([path, sha256])
    }
    expect([...objects(release).keys()].sort()).toEqual(
      ['manifest.json', ...listed.map(({ path }) => path)].sort(),
    )
    expect({ ...published, files: [], reported: [] }).toEqual({ ...manifest, files: [], reported: [] })
    expect(JSON.parse(readFileSync(join(storageFolder, 'figures/asfiled/latest.json'), 'utf8'))).toEqual({
      data_version: manifest.data_version,
      manifest: `release=${manifest.data_version}/manifest.json`,
    })
  })

  test('is published once: the same command again writes nothing', async () => {
    const { manifest } = await build(database.sql, folder)
    await publish(manifest)
    const before = objects('')
    expect(await publish(manifest)).toMatchObject({ isNew: false })
    expect(objects('')).toEqual(before)
  })

  test('continues where it was stopped, without a manifest until it is whole', async () => {
    const { manifest } = await build(database.sql, folder)
    const bucket = settings({ prefix: 'stopped/' })
    const controller = new AbortController()
    let files = 0
    const stopped = publish(manifest, {
      bucket,
      signal: controller.signal,
      onProgress: () => {
        if (++files === 4) controller.abort()
      },
    })
    expect(await stopped.catch((error: Error) => error.name)).toBe('AbortError')
    const release = `stopped/release=${manifest.data_version}`
    const first = objects(release)
    expect(first.size).toBe(3)
    // An object with part of the bytes cannot be, but one of an earlier build of the same data version can.
    appendFileSync(join(storageFolder, 'figures', release, 'left.parquet'), 'of an earlier build')
    await publish(manifest, { bucket })
    const after = objects(release)
    expect(after.has('left.parquet')).toBe(false)
    expect(after.has('manifest.json')).toBe(true)
    for (const [key, state] of first) expect(after.get(key)).toBe(state)
  })

  test('never changes, and is removed with its manifest first', async () => {
    const { manifest } = await build(database.sql, folder)
    await publish(manifest)
    const other = { ...manifest, as_of: '2026-06-30' }
    expect((await failureOf(publish(other))).message).toContain(
      `./asfiled bulk remove ${manifest.data_version}`,
    )
    expect(await removePublished(settings(), manifest.data_version)).toBe(true)
    expect([...objects('asfiled').keys()]).toEqual([])
    expect(await removePublished(settings(), manifest.data_version)).toBe(false)
  })

  test('beyond the number to keep goes, and latest.json names the newest', async () => {
    const { manifest } = await build(database.sql, folder)
    const bucket = settings({ prefix: 'kept/' })
    for (const version of [1_000_001, 1_000_002, 1_000_003]) {
      cpSync(releaseFolder(folder, manifest.data_version), releaseFolder(folder, version), {
        recursive: true,
      })
      await publish({ ...manifest, data_version: version }, { bucket, keep: 2 })
      rmSync(releaseFolder(folder, version), { recursive: true })
    }
    expect(
      readdirSync(join(storageFolder, 'figures/kept'))
        .filter(name => name.startsWith('release='))
        .sort(),
    ).toEqual(['release=1000002', 'release=1000003'])
    expect(readFileSync(join(storageFolder, 'figures/kept/latest.json'), 'utf8')).toContain('1000003')
  })

  test('is not called complete if another process removes one of its files meanwhile', async () => {
    const { manifest } = await build(database.sql, folder)
    const bucket = settings({ prefix: 'raced/' })
    const release = `raced/release=${manifest.data_version}`
    let files = 0
    const raced = publish(manifest, {
      bucket,
      onProgress: () => {
        if (++files !== 4) return
        const [first] = objects(release).keys()
        rmSync(join(storageFolder, 'figures', release, first))
      },
    })
    expect((await failureOf(raced)).message).toContain('was removed while the release was published')
    expect(objects(release).has('manifest.json')).toBe(false)
    expect(await publish(manifest, { bucket })).toMatchObject({ isNew: true })
    expect(objects(release).has('manifest.json')).toBe(true)
  })

  test('whose files were removed from the bucket is mended by the same command', async () => {
    const { manifest } = await build(database.sql, folder)
    const bucket = settings({ prefix: 'mended/' })
    await publish(manifest, { bucket })
    const release = `mended/release=${manifest.data_version}`
    const before = [...objects(release).keys()]
    const [first] = before
    rmSync(join(storageFolder, 'figures', release, first))
    await publish(manifest, { bucket })
    expect([...objects(release).keys()]).toEqual(before)
  })

  test('leaves one that another server is publishing, and removes what was abandoned a day ago', async () => {
    const { manifest } = await build(database.sql, folder)
    const bucket = settings({ prefix: 'others/' })
    const object = join(storageFolder, 'figures/others/release=0/mapped/part.parquet')
    mkdirSync(dirname(object), { recursive: true })
    appendFileSync(object, 'the first of many files')
    await publish(manifest, { bucket })
    expect(existsSync(object)).toBe(true)
    const yesterday = Date.now() / 1_000 - 25 * 3_600
    utimesSync(object, yesterday, yesterday)
    await publish(manifest, { bucket })
    expect(existsSync(object)).toBe(false)
  })

  test('older than all that are kept is refused instead of removed at once', async () => {
    const { manifest } = await build(database.sql, folder)
    const bucket = settings({ prefix: 'older/' })
    for (const version of [2_000_001, 2_000_002]) {
      const manifestOf = join(storageFolder, `figures/older/release=${version}/manifest.json`)
      mkdirSync(dirname(manifestOf), { recursive: true })
      appendFileSync(manifestOf, '{}')
    }
    const { message } = await failureOf(publish(manifest, { bucket, keep: 2 }))
    expect(message).toContain('has the releases 2000002, 2000001')
    expect([...objects(`older/release=${manifest.data_version}`).keys()]).toEqual([])
  })

  test('of several servers that publish at once is whole, and latest.json names the newest', async () => {
    const { manifest } = await build(database.sql, folder)
    const bucket = settings({ prefix: 'at-once/' })
    const versions = [3_000_001, 3_000_002, 3_000_003]
    for (const version of versions)
      cpSync(releaseFolder(folder, manifest.data_version), releaseFolder(folder, version), {
        recursive: true,
      })
    await Promise.all(versions.map(version => publish({ ...manifest, data_version: version }, { bucket })))
    for (const version of versions) {
      rmSync(releaseFolder(folder, version), { recursive: true })
      const listed = [...manifest.files, ...(manifest.reported ?? []).flatMap(({ files }) => files)]
      expect(objects(`at-once/release=${version}`).size).toBe(nonEmpty(listed).length + 1)
    }
    expect(readFileSync(join(storageFolder, 'figures/at-once/latest.json'), 'utf8')).toContain('3000003')
  })

  test('whose file was damaged on disk is not published', async () => {
    const own = makeBulkFolder()
    const { manifest } = await build(database.sql, own.folder)
    appendFileSync(join(releaseFolder(own.folder, manifest.data_version), manifest.files[2].path), 'x')
    const { message } = await failureOf(
      publish(manifest, { bucket: settings({ prefix: 'damaged/' }), folder: own.folder }),
    )
    expect(message).toContain('is damaged')
    expect(objects('damaged').has(`release=${manifest.data_version}/manifest.json`)).toBe(false)
    own.remove()
  })

  test('says what to mend when the storage refuses or is away, and never shows a secret', async () => {
    const { manifest } = await build(database.sql, folder)
    const faults = {
      'Create the bucket nowhere': { bucket: 'nowhere' },
      'Check AWS_ACCESS_KEY_ID': { secretAccessKey: 'another-secret' },
      'Check AWS_REGION': { region: 'eu-central-1' },
      'Check AWS_ENDPOINT_URL': { endpoint: 'http://127.0.0.1:9' },
    }
    for (const [advice, change] of Object.entries(faults)) {
      const { message } = await failureOf(publish(manifest, { bucket: settings(change) }))
      expect(message).toContain(advice)
      expect(message).not.toMatch(/secret|not-in-any-message/)
    }
  })

  test('goes through a storage that is killed in between', async () => {
    const { manifest } = await build(database.sql, folder)
    const bucket = settings({ prefix: 'killed/' })
    let files = 0
    const broken = publish(manifest, {
      bucket,
      onProgress: () => {
        if (++files === 6) storage.kill(9)
      },
    })
    expect((await failureOf(broken)).message).toContain('the same command continues')
    storage = await startStorage(storageFolder, port)
    expect(await publish(manifest, { bucket })).toMatchObject({ isNew: true })
  })
})
