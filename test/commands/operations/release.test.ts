import { describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import packageFile from '../../../package.json'
import { readCommit, schemaNumber } from '../../../src/commands/operations/installation.ts'
import { readShipped } from '../../../src/postgres/history.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { runInProcess } from '../runInProcess.ts'

const root = resolve(import.meta.dir, '../../..')

interface Release {
  readonly version: string
  readonly date: string
  readonly schema: number | null
  readonly text: string
}

/** The released versions, the latest first, and what is not released yet. */
function readChangelog(changelog: string): { unreleased: string; releases: readonly Release[] } {
  const [, ...sections] = changelog.split(/^## /m)
  const [first, ...others] = sections
  expect(first).toStartWith('[Unreleased]\n')
  const releases = others.map(text => {
    const [heading] = text.split('\n')
    const [, version, date] = /^\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$/.exec(heading) ?? []
    expect([heading, version]).not.toEqual([heading, undefined])
    const schema = /^Schema number: (\d+)\.$/m.exec(text)?.[1]
    return { version, date, schema: schema === undefined ? null : Number(schema), text }
  })
  return { unreleased: first.slice('[Unreleased]\n'.length).trim(), releases }
}

const comparable = (version: string) =>
  version
    .split('.')
    .map(part => part.padStart(6, '0'))
    .join('.')

describe('a release', () => {
  test('has one version in package.json and CHANGELOG.md, and the schema number of its last migration', async () => {
    const { unreleased, releases } = readChangelog(await Bun.file(resolve(root, 'CHANGELOG.md')).text())
    const [latest] = releases
    expect(packageFile.version).toBe(latest.version)
    const schema = schemaNumber(await readShipped())
    for (const { version, schema: number } of nonEmpty(releases))
      expect([version, number]).not.toEqual([version, null])
    // A released migration is never edited, and a new one is a change that a user notices.
    if (latest.schema !== schema) expect(schema).toBeGreaterThan(latest.schema ?? 0)
    if (unreleased === '') expect(latest.schema).toBe(schema)
  })

  test('is later than the one before it, by version, day and schema number', async () => {
    const { releases } = readChangelog(await Bun.file(resolve(root, 'CHANGELOG.md')).text())
    for (const [place, release] of nonEmpty(releases.slice(1).entries())) {
      const later = releases[place]
      expect(comparable(later.version) > comparable(release.version)).toBe(true)
      expect(later.date >= release.date).toBe(true)
      expect((later.schema ?? 0) >= (release.schema ?? 0)).toBe(true)
    }
  })

  test('is what asfiled version says', async () => {
    const { code, out } = await runInProcess(['version', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      version: packageFile.version,
      schema: schemaNumber(await readShipped()),
      bun: Bun.version,
      postgresql: expect.stringMatching(/^18\.\d+ \(embedded\)$/),
    })
  })
})

describe('the commit of the code at hand', () => {
  const commit = 'a'.repeat(40)
  const files: [string, Record<string, string>, string | null][] = [
    ['of a container', { 'commit.txt': `${commit}\n` }, commit],
    ['of a clone', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${commit}\n` }, commit],
    [
      'of a packed clone',
      { '.git/HEAD': 'ref: refs/heads/main\n', '.git/packed-refs': `# x\n${commit} refs/heads/main\n` },
      commit,
    ],
    ['of a checked-out commit', { '.git/HEAD': `${commit}\n` }, commit],
    [
      'of a work tree',
      {
        '.git': 'gitdir: other/worktrees/x\n',
        'other/worktrees/x/HEAD': 'ref: refs/heads/b\n',
        'other/worktrees/x/commondir': '../..\n',
        'other/refs/heads/b': commit,
      },
      commit,
    ],
    ['of a folder without either is not known', {}, null],
    ['of a file that has none is not known', { 'commit.txt': 'nonsense' }, null],
  ]
  test.each(files)('%s', (_, contents, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'asfiled-commit-'))
    try {
      for (const [path, text] of Object.entries(contents)) {
        mkdirSync(join(folder, path, '..'), { recursive: true })
        writeFileSync(join(folder, path), text)
      }
      expect(readCommit(folder)).toBe(expected)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
