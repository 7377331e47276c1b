import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { dirname, relative, resolve } from 'node:path'
import { registers } from '../../../src/ingest/allRegisters.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import {
  derivationVersionOf,
  readModules,
  versionOfModules,
} from '../../../src/ingest/registers/derivationVersion.ts'
import type { Register } from '../../../src/ingest/registers/registerInterface.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { storedFacts } from '../stored.ts'

setDefaultTimeout(180_000)

const fresh = freshDatabases()
const src = resolve(import.meta.dir, '../../../src')
const moduleOf = (market: string) => resolve(src, `ingest/registers/${market.toLowerCase()}/register.ts`)

/** The modules that a file loads, including itself, found by a pattern instead of the transpiler. */
async function loadedBy(...files: string[]): Promise<string[]> {
  const found = new Set<string>()
  const open = [...files]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue
    found.add(path)
    const text = await Bun.file(path).text()
    for (const [, names, target] of text.matchAll(/^(?:import|export)\s+([^'";]*?)\s*from\s*'(\.[^']+)'/gm)) {
      const areTypes = names.startsWith('type ') || /^\{(\s*type \w+( as \w+)?,?)+\s*\}$/.test(names)
      if (!areTypes) open.push(resolve(dirname(path), target))
    }
  }
  return [...found].map(path => relative(src, path)).sort()
}

const markets = [...registers.keys()]

for (const market of markets) {
  test(`the version of ${market} depends on every module that its documents pass through`, async () => {
    const modules = [...readModules(moduleOf(market)).keys()]
    const rules = ['facts/deriveFacts.ts', 'ingest/observations/factsFromObservations.ts']
    const needed = await loadedBy(moduleOf(market), ...rules.map(path => resolve(src, path)))
    expect(needed.length).toBeGreaterThan(25)
    for (const path of needed) expect(modules).toContain(path)
    // From which instant on a figure is known follows from the market's zone, too.
    expect(modules).toEqual(
      expect.arrayContaining(['facts/clockReadings.ts', 'ingest/registers/zones.ts', 'zones.ts']),
    )
    expect(modules).not.toContain(`ingest/registers/${market.toLowerCase()}/source.ts`)
    expect(modules.filter(path => path.startsWith('postgres/') || path.startsWith('ingest/store/'))).toEqual(
      [],
    )
  })
}

test('the registers have a version each, which two processes agree on', async () => {
  const versions = markets.map(market => registers.get(market)?.derivationVersion())
  expect(versions.length).toBe(8)
  expect(new Set(versions).size).toBe(8)
  const code = `import { registers } from '${src}/ingest/allRegisters.ts'
    console.log(JSON.stringify([...registers.values()].map(one => one.derivationVersion())))`
  const other = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe' })
  expect(JSON.parse(await new Response(other.stdout).text())).toEqual(versions)
})

describe('a version', () => {
  const modules = readModules(moduleOf('US'))
  const version = versionOfModules(modules)
  const changed = (path: string, change: (source: string) => string) => {
    const source = modules.get(path)
    if (source === undefined) throw new Error(`${path} is not among the modules.`)
    return versionOfModules(new Map(modules).set(path, change(source)))
  }

  test('is the same with other comments, formatting and types', () => {
    for (const path of modules.keys()) {
      const commented = (source: string) =>
        `// A remark.\n/** Another one. */\ninterface Planted { readonly a: number }\n\n\n${source}\n/* The end. */\n`
      expect([path, changed(path, commented)]).toEqual([path, version])
    }
    expect(changed('facts/quarters.ts', source => source.replaceAll('\n  ', '\n      '))).toBe(version)
    expect(changed('facts/quarters.ts', source => source.replaceAll(/^\s*\/\/.*\n/gm, ''))).toBe(version)
  })

  test('changes with the code of any module', () => {
    for (const path of modules.keys())
      expect([path, changed(path, source => `${source}\nexport const planted = 1\n`)]).not.toEqual([
        path,
        version,
      ])
    const rounding = modules.get('facts/rounding.ts') ?? ''
    const [digit] = /(?<=[=<>(,] )\d+(?=\b)/.exec(rounding) ?? []
    expect(digit).toBeDefined()
    expect(changed('facts/rounding.ts', source => source.replace(/(?<=[=<>(,] )\d+(?=\b)/, '7919'))).not.toBe(
      version,
    )
    expect(
      changed('ingest/registers/us/concepts.ts', source => source.replace('Revenues', 'Sales')),
    ).not.toBe(version)
  })

  test('is computed once', () => {
    const versionOf = derivationVersionOf(moduleOf('US'))
    expect(versionOf()).toBe(version)
    const before = performance.now()
    for (let i = 0; i < 1_000; i++) versionOf()
    expect(performance.now() - before).toBeLessThan(50)
  })
})

test('what another version has derived is derived again by the next import, once', async () => {
  const paths = [resolve(import.meta.dir, 'us/fixtures/companyfacts-aapl-fy2009.json')]
  const run = (sql: Parameters<typeof importRegister>[0], register: Register) =>
    importRegister(sql, register, { paths, observedOn: '2026-01-01' }, () => {})
  const [sql, reference] = [await fresh(), await fresh()]
  await run(reference, usRegister)
  /** Reads every figure a thousand times too large. */
  const earlier: Register = {
    ...usRegister,
    derivationVersion: () => '1',
    readDocument: document => {
      const content = usRegister.readDocument(document)
      const scaled = content.parsed.map(parsed => ({
        ...parsed,
        reportedFacts: parsed.reportedFacts.map(fact => ({ ...fact, value: fact.value * 1_000 })),
      }))
      return { ...content, parsed: scaled }
    },
  }
  await run(sql, earlier)
  expect((await run(sql, earlier)).read.documentsUnchanged).toBe(1)
  expect(await storedFacts(sql)).not.toEqual(await storedFacts(reference))
  expect((await run(sql, usRegister)).read.documentsUnchanged).toBe(0)
  expect(await storedFacts(sql)).toEqual(await storedFacts(reference))
  const dataVersion = await readDataVersion(sql)
  expect((await run(sql, usRegister)).read.documentsUnchanged).toBe(1)
  expect(await readDataVersion(sql)).toBe(dataVersion)
})
