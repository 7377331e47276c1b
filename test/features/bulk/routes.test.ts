import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createReadStream, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BulkFileEntry, BulkManifest } from '../../../src/features/bulk/release.ts'
import { releaseFolder, removeRelease } from '../../../src/features/bulk/release.ts'
import { sellKey } from '../../http/callers.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { build, makeBulkFolder } from './releases.ts'

setDefaultTimeout(180_000)

const { folder, remove } = makeBulkFolder()
let server: RealServer
let key: string
let manifest: BulkManifest
let file: BulkFileEntry
let content: Buffer
beforeAll(async () => {
  server = await realServer({ settings: { BULK_DIR: folder } })
  key = await sellKey(server.sql, { licence: 'redistribution' })
  manifest = (await build(server.sql, folder)).manifest
  const largest = manifest.files.toSorted((a, b) => b.bytes - a.bytes).at(0)
  if (largest === undefined) throw new Error('There is no file.')
  file = largest
  content = readFileSync(join(releaseFolder(folder, manifest.data_version), file.path))
})
afterAll(async () => {
  await server.stop()
  remove()
})

const address = (name = file.path) => `${server.url}/api/v1/bulk/${manifest.data_version}/${name}`
const get = (headers: Record<string, string> = {}, url = address(), method = 'GET') =>
  fetch(url, { method, redirect: 'manual', headers: { Authorization: `Bearer ${key}`, ...headers } })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

test('a file comes whole, with its digest, and never changes', async () => {
  const response = await get()
  expect([response.status, response.headers.get('etag')]).toEqual([200, `"${file.sha256}"`])
  expect(response.headers.get('content-length')).toBe(String(file.bytes))
  expect(response.headers.get('content-type')).toBe('application/vnd.apache.parquet')
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="asfiled-${manifest.data_version}-${file.path}"`,
  )
  expect(response.headers.get('cache-control')).toContain('immutable')
  expect((await bytesOf(response)).equals(content)).toBe(true)
  const head = await get({}, address(), 'HEAD')
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(file.bytes)])
  expect((await bytesOf(head)).length).toBe(0)
})

test('a range is that part of the file, and a part that is not there is refused', async () => {
  const last = file.bytes - 1
  const parts: [string, number, number][] = [
    ['bytes=0-99', 0, 99],
    ['bytes=100-', 100, last],
    ['bytes=-10', file.bytes - 10, last],
    [`bytes=5-${file.bytes + 100}`, 5, last],
  ]
  for (const [range, from, to] of parts) {
    const response = await get({ Range: range })
    expect([range, response.status]).toEqual([range, 206])
    expect(response.headers.get('content-range')).toBe(`bytes ${from}-${to}/${file.bytes}`)
    expect((await bytesOf(response)).equals(content.subarray(from, to + 1))).toBe(true)
  }
  const outside = await get({ Range: `bytes=${file.bytes}-` })
  expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${file.bytes}`])
  for (const range of ['bytes=9-5', 'bytes=-', 'lines=1-2', 'bytes=0-1,5-6']) {
    expect([range, (await get({ Range: range })).status]).toEqual([range, 200])
  }
})

test('If-None-Match comes before the range, and If-Range of another file gives the whole', async () => {
  const tag = `"${file.sha256}"`
  expect((await get({ 'If-None-Match': tag, Range: 'bytes=0-9' })).status).toBe(304)
  expect((await get({ 'If-None-Match': tag })).status).toBe(304)
  expect((await get({ 'If-None-Match': '"other"', Range: 'bytes=0-9' })).status).toBe(206)
  expect((await get({ 'If-Range': tag, Range: 'bytes=0-9' })).status).toBe(206)
  expect((await get({ 'If-Range': '"other"', Range: 'bytes=0-9' })).status).toBe(200)
  expect((await get({ 'If-Range': 'Wed, 21 Oct 2015 07:28:00 GMT', Range: 'bytes=0-9' })).status).toBe(200)
})

test('curl continues an interrupted download, and follows the redirect to the newest release', async () => {
  const part = join(folder, 'part')
  writeFileSync(part, content.subarray(0, 1_000))
  const curl = (...words: string[]) =>
    Bun.spawn(['curl', '-sS', '--fail', '-H', `Authorization: Bearer ${key}`, ...words]).exited
  expect(await curl('-C', '-', '-o', part, address())).toBe(0)
  expect(readFileSync(part).equals(content)).toBe(true)
  expect(await curl('-L', '-o', part, `${server.url}/api/v1/bulk/latest/manifest.json`)).toBe(0)
  expect(JSON.parse(readFileSync(part, 'utf8'))).toEqual(manifest)
  rmSync(part)
})

test('nothing outside the release is served, whatever the path', async () => {
  writeFileSync(join(folder, 'secret.parquet'), 'secret')
  const base = `${server.url}/api/v1/bulk`
  const version = manifest.data_version
  const paths = [
    ...[`${base}/${version}/..%2fsecret.parquet`, `${base}/${version}/%2e%2e%2fsecret.parquet`],
    ...[
      `${base}/${version}/secret.parquet`,
      `${base}/..%2f${version}/${file.path}`,
      `${base}/${version}/state.json`,
    ],
    ...[`${base}/${version}/%00`, `${base}/0${version}/manifest.json`, `${base}/-1/manifest.json`],
    ...[`${base}/${version}/constructor`, `${base}/.building-${version}/manifest.json`],
  ]
  for (const path of paths) {
    const response = await get({}, path)
    expect([path, [400, 404].includes(response.status)]).toEqual([path, true])
    expect(await response.text()).not.toContain('secret\n')
  }
})

test('files of whole filings are served beside the others, with a list of their own', async () => {
  const reported = (manifest.reported ?? []).flatMap(table => table.files)
  expect(reported.length).toBeGreaterThan(2)
  const [{ path, sha256, bytes }] = reported
  const whole = await get({}, address(path))
  expect([whole.status, whole.headers.get('etag')]).toEqual([200, `"${sha256}"`])
  const found = await bytesOf(whole)
  expect([found.length, new Bun.CryptoHasher('sha256').update(found).digest('hex')]).toEqual([bytes, sha256])
  const part = await get({ Range: 'bytes=4-9' }, address(path))
  expect([part.status, (await bytesOf(part)).equals(found.subarray(4, 10))]).toEqual([206, true])
  const namesIn = async (list: string) =>
    (await (await get({}, address(list))).text())
      .trim()
      .split('\n')
      .map(line => line.split('  ')[1])
  expect(await namesIn('SHA256SUMS.reported')).toEqual([...reported.map(each => each.path), 'manifest.json'])
  expect(await namesIn('SHA256SUMS')).toEqual([...manifest.files.map(each => each.path), 'manifest.json'])
  // Only keys that may take the whole data get any of it.
  for (const licence of ['personal', 'commercial'] as const) {
    const other = await sellKey(server.sql, { licence })
    for (const name of [path, 'SHA256SUMS.reported', 'manifest.json']) {
      const refused = await get({ Authorization: `Bearer ${other}` }, address(name))
      expect([licence, name, refused.status]).toEqual([licence, name, 403])
      expect((await refused.json()).error.code).toBe('licence_required')
    }
  }
  const demo = await get({ Authorization: 'Bearer demo' }, address(path))
  expect(demo.status).toBe(403)
})

test('an OEM key has what its order form says, and a refusal says what is needed', async () => {
  const oem = await sellKey(server.sql, { licence: 'oem' })
  const refused = await get({ Authorization: `Bearer ${oem}` })
  expect(refused.status).toBe(403)
  expect((await refused.json()).error.message).toContain('where its order form says so')
  const other = await sellKey(server.sql, { licence: 'oem', bulk: true })
  expect((await get({ Authorization: `Bearer ${other}` })).status).toBe(200)
})

test('a release whose manifest cannot be read counts as not there, and the others are served', async () => {
  const damaged = releaseFolder(folder, 999_999)
  mkdirSync(damaged)
  writeFileSync(join(damaged, 'manifest.json'), '{"object":')
  try {
    const list = await get({}, `${server.url}/api/v1/bulk`)
    expect([list.status, await list.json()]).toMatchObject([
      200,
      { count: 1, releases: [{ data_version: manifest.data_version }] },
    ])
    const answer = await get({}, `${server.url}/api/v1/bulk/999999/manifest.json`)
    const { error } = await answer.json()
    expect([answer.status, error.code]).toEqual([404, 'entity_unknown'])
    expect((await get()).status).toBe(200)
  } finally {
    rmSync(damaged, { recursive: true })
  }
})

test('a release that is removed meanwhile is read to its end, and then answered in words', async () => {
  // As a server reads a file: opened once, and read as the client takes it.
  const path = join(releaseFolder(folder, manifest.data_version), file.path)
  const stream = createReadStream(path, { highWaterMark: 1_000 })
  const chunks: Buffer[] = []
  const iterator = stream[Symbol.asyncIterator]()
  chunks.push((await iterator.next()).value)
  const response = await get()
  removeRelease(folder, manifest.data_version)
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) chunks.push(next.value)
  expect(Buffer.concat(chunks).equals(content)).toBe(true)
  expect((await bytesOf(response)).equals(content)).toBe(true)
  const gone = await get()
  expect(gone.status).toBe(404)
  expect((await gone.json()).error.message).toContain('There is none on this server')
})
