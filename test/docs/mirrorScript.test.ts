import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BulkManifest } from '../../src/features/bulk/release.ts'
import { releaseFolder } from '../../src/features/bulk/release.ts'
import { build, makeBulkFolder } from '../features/bulk/releases.ts'
import { sellKey } from '../http/callers.ts'
import { type RealServer, realServer } from '../http/realServer.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { blocksOf } from './blocks.ts'
import { type BrokenServer, brokenServer } from './brokenServer.ts'

/** Runs the script of the guide against a server whose answers break in the middle. Whatever happens, what has the name of a file has its
 * bytes, and a later run completes the mirror. */

setDefaultTimeout(120_000)

const [script = ''] = (await blocksOf('docs/joins-and-mirrors.md'))
  .filter(({ language }) => language === 'bash')
  .map(({ text }) => text)

/** With a `sleep` that does not. */
const programs = mkdtempSync(join(tmpdir(), 'asfiled-programs-'))
writeFileSync(join(programs, 'sleep'), '#!/bin/sh\n', { mode: 0o755 })

const { folder: releases, remove } = makeBulkFolder()
let server: RealServer
let key: string
let manifest: BulkManifest
/** The two largest files. */
let large: string[]
let broken: BrokenServer
let folder: string

beforeAll(async () => {
  server = await realServer({ settings: { BULK_DIR: releases } })
  key = await sellKey(server.sql, { licence: 'redistribution' })
  manifest = (await build(server.sql, releases)).manifest
  large = manifest.files
    .toSorted((a, b) => b.bytes - a.bytes)
    .slice(0, 2)
    .map(({ path }) => path)
})
afterAll(async () => {
  await server.stop()
  remove()
  rmSync(programs, { recursive: true })
})

beforeEach(() => {
  broken?.stop()
  broken = brokenServer(server.url)
  if (folder !== undefined) rmSync(folder, { recursive: true })
  folder = mkdtempSync(join(tmpdir(), 'asfiled-mirror-'))
})
afterAll(() => {
  broken.stop()
  rmSync(folder, { recursive: true })
})

async function mirror(own = key) {
  const text = script.replaceAll('http://localhost:3000', broken.url)
  const child = Bun.spawn(['bash', '-c', text], {
    cwd: folder,
    env: { ...process.env, KEY: own, PATH: `${programs}:${process.env.PATH}` },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [said, complained] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, said: said + complained }
}

const contentOf = (name: string) =>
  broken.replaced.get(name) ?? readFileSync(join(releaseFolder(releases, manifest.data_version), name))

/** Names in a folder of the mirror whose bytes are not those of the release. */
const wrongIn = (inside: string) =>
  readdirSync(join(folder, inside))
    .filter(name => !name.endsWith('.part') && name !== 'SHA256SUMS')
    .filter(name => !readFileSync(join(folder, inside, name)).equals(contentOf(name)))

/** The mirror is complete: it has every file of the release byte for byte, the digests, and nothing else. */
function expectWhole(): void {
  const version = String(manifest.data_version)
  expect(readdirSync(folder)).toEqual([version])
  const names = [...manifest.files.map(({ path }) => path), 'manifest.json', 'SHA256SUMS'].sort()
  expect(readdirSync(join(folder, version)).sort()).toEqual(names)
  expect(wrongIn(version)).toEqual([])
}

/** The mirror is absent: only a folder of unfinished work, and what has its name there is right. */
function expectAbsent(): void {
  const found = readdirSync(folder)
  expect(found).not.toContain(String(manifest.data_version))
  for (const name of found) expect([name, wrongIn(name)]).toEqual([`${manifest.data_version}.part`, []])
}

const rangesOf = (name: string) =>
  broken.seen.filter(seen => seen.name === name).map(({ range }) => Number(/\d+/.exec(range ?? '')?.[0] ?? 0))

test('without a fault the mirror is whole, and a second run requests only the list', async () => {
  expect(await mirror()).toEqual({ code: 0, said: '' })
  expectWhole()
  const before = broken.seen.length
  expect(await mirror()).toEqual({ code: 0, said: '' })
  expect(broken.seen.slice(before).map(({ name }) => name)).toEqual(['SHA256SUMS', 'SHA256SUMS'])
})

test('a connection that breaks twice: each attempt continues where the one before ended', async () => {
  broken.faultOf = (name, count) => (large.includes(name) && count < 2 ? 'cut' : 'none')
  expect((await mirror()).code).toBe(0)
  expectWhole()
  for (const name of nonEmpty(large)) {
    const size = contentOf(name).length
    expect(rangesOf(name)).toEqual([
      0,
      Math.floor(size / 2),
      Math.floor(size / 2) + Math.floor((size - Math.floor(size / 2)) / 2),
    ])
  }
})

test('a connection that always breaks: the run fails, and the next one continues', async () => {
  broken.faultOf = name => (name === large[0] ? 'cut' : 'none')
  const failed = await mirror()
  expect([failed.code, failed.said]).toEqual([1, expect.stringContaining('is not complete')])
  expectAbsent()
  broken.faultOf = () => 'none'
  expect(await mirror()).toEqual({ code: 0, said: '' })
  expectWhole()
  expect(rangesOf(large[0] ?? '').at(-1)).toBeGreaterThan(contentOf(large[0] ?? '').length * 0.9)
})

test('500 with JSON in its body: nothing of it becomes a file, and a later run completes the mirror', async () => {
  broken.faultOf = (name, count) => (name === large[1] ? (count === 0 ? 'cut' : 'error') : 'none')
  const failed = await mirror()
  expect([failed.code, failed.said]).toEqual([22, expect.stringContaining('500')])
  expectAbsent()
  broken.faultOf = () => 'none'
  expect(await mirror()).toEqual({ code: 0, said: '' })
  expectWhole()
  expect(rangesOf(large[1] ?? '').at(-1)).toBeGreaterThan(0)
})

test('429 with Retry-After: the same run waits and completes', async () => {
  broken.faultOf = (name, count) =>
    (large.includes(name) || name === 'SHA256SUMS') && count === 0 ? 'wait' : 'none'
  expect((await mirror()).code).toBe(0)
  expectWhole()
  expect(rangesOf(large[0] ?? '')).toEqual([0, 0])
})

test('an answer that lost its second half, and says it is whole: it never gets the name of the file', async () => {
  broken.faultOf = (name, count) => (name === large[0] && count < 5 ? 'truncate' : 'none')
  const failed = await mirror()
  expect([failed.code, failed.said]).toEqual([1, expect.stringContaining('is not complete')])
  expectAbsent()
  expect(await mirror()).toEqual({ code: 0, said: '' })
  expectWhole()
})

test('a run that was killed before it renamed a whole file is continued without requesting that file again', async () => {
  // Before, the rest of a whole file was requested: 416 ended this run and every later one.
  leaveUnfinished(large[0], contentOf(large[0]))
  leaveUnfinished(large[1], Buffer.concat([contentOf(large[1]), Buffer.from('more than the file')]))
  expect((await mirror()).code).toBe(0)
  expectWhole()
  expect(rangesOf(large[0])).toEqual([])
})

/** What an interrupted run leaves of a file that it has not yet checked and renamed. */
function leaveUnfinished(name: string, bytes: Uint8Array): void {
  const inside = join(folder, `${manifest.data_version}.part`)
  mkdirSync(inside, { recursive: true })
  const digest = createHash('sha256').update(contentOf(name)).digest('hex')
  writeFileSync(join(inside, `${name}.${digest}.part`), bytes)
}

test('a list of files that lost its second half is no mirror of fewer files', async () => {
  broken.faultOf = (name, count) => (name === 'SHA256SUMS' && count === 1 ? 'truncate' : 'none')
  const failed = await mirror()
  expect([failed.code, failed.said]).toEqual([1, expect.stringContaining('is cut off')])
  expect(readdirSync(folder)).toEqual([])
  expect(await mirror()).toEqual({ code: 0, said: '' })
  expectWhole()
})

for (const ignoresIfRange of [false, true])
  test(`a file that changes before it is continued is not joined from two${ignoresIfRange ? ', also without If-Range' : ''}`, async () => {
    const [name = ''] = large
    const changed = Uint8Array.from(contentOf(name), byte => byte ^ 1)
    broken.ignoresIfRange = ignoresIfRange
    broken.faultOf = (requested, count) => {
      if (requested === name && count === 1) broken.replaced.set(name, changed)
      return requested === name && count === 0 ? 'cut' : 'none'
    }
    const failed = await mirror()
    expect([failed.code, failed.said]).toEqual([1, expect.stringContaining('is not complete')])
    expectAbsent()
    const digest = new Bun.CryptoHasher('sha256').update(changed).digest('hex')
    const listed = manifest.files.find(({ path }) => path === name)?.sha256 ?? ''
    const sums = await fetch(`${server.url}/api/v1/bulk/${manifest.data_version}/SHA256SUMS`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    broken.replaced.set('SHA256SUMS', new TextEncoder().encode((await sums.text()).replace(listed, digest)))
    broken.faultOf = () => 'none'
    expect(await mirror()).toMatchObject({ code: 0 })
    expectWhole()
  })

test('a refusal ends the script with its reason, and leaves nothing', async () => {
  const demo = await mirror('demo')
  expect([demo.code, demo.said]).toEqual([1, expect.stringContaining('licence_required')])
  expect(readdirSync(folder)).toEqual([])
})
