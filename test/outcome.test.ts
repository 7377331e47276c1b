import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failedFiles, outcomeOf, summary } from './outcome.ts'

/** The files of these runs are real tests, so that a new version of Bun that reports in another way fails here. */
const folder = mkdtempSync(join(tmpdir(), 'asfiled-outcome-'))
afterAll(() => rmSync(folder, { recursive: true }))

const imports = `import { afterAll, describe, expect, test } from 'bun:test'\n`
const passing = `${imports}test('is fine', () => { expect(1).toBe(1) })`
const failing = `${imports}describe('sums', () => { test('one & "two"', () => { expect(1).toBe(2) }); test('same', () => { expect(2).toBe(2) }) })`
const hook = `${imports}afterAll(() => { throw new Error('the hook') })\ntest('is fine', () => { expect(1).toBe(1) })`
const unloadable = `${imports}throw new Error('cannot load')`
const ending = `${imports}test('ends', () => { process.exit(3) })`

function run(...sources: readonly string[]) {
  const place = mkdtempSync(join(folder, 'run-'))
  for (const [at, source] of sources.entries()) writeFileSync(join(place, `${'abcdef'[at]}.test.ts`), source)
  const report = join(place, 'report.xml')
  const args = ['test', '--parallel=2', '--no-isolate', '--reporter=junit', `--reporter-outfile=${report}`]
  const tests = Bun.spawnSync([process.execPath, ...args], { cwd: place, stdio: ['ignore', 'pipe', 'pipe'] })
  return Bun.file(report)
    .text()
    .then(text => outcomeOf(tests.exitCode, tests.stderr.toString(), text))
}

describe('what a run of the tests says', () => {
  test('all pass: no file runs again', async () => {
    const outcome = await run(passing, passing)
    expect(outcome).toEqual({ code: 0, passed: 2, failed: 0, errors: 0, failures: [] })
    expect(failedFiles(outcome)).toEqual([])
  })

  test('a failing test, a failing hook and a worker that ends: their files run again, the passing one does not', async () => {
    const outcome = await run(failing, passing, hook, ending)
    expect(outcome).toMatchObject({ code: 1, errors: 0, failed: 3, passed: 3 })
    expect(failedFiles(outcome).toSorted()).toEqual(['a.test.ts', 'c.test.ts', 'd.test.ts'])
    expect(outcome.failures.find(({ file }) => file === 'a.test.ts')).toEqual({
      file: 'a.test.ts',
      name: 'sums > one & "two"',
      message: 'expect(received).toBe(expected)\n\nExpected: 2\nReceived: 1',
    })
  })

  test('a file that cannot be loaded: the report lacks it, so nothing runs again and the run fails', async () => {
    const outcome = await run(failing, unloadable)
    expect(outcome.code).toBe(1)
    expect(failedFiles(outcome)).toEqual([])
    expect(summary(outcome)).toContain(' 2 fail')
  })

  test('the end names the test, and counts it as failed unless its file passes alone', async () => {
    const [first, passes, fails] = await Promise.all([run(failing, passing), run(passing), run(failing)])
    expect(summary(first, passes)).toBe(
      '\nfailed among the others, passes alone: a.test.ts: sums > one & "two"\n' +
        '    expect(received).toBe(expected)\n    \n    Expected: 2\n    Received: 1\n\n 3 pass\n 0 fail',
    )
    for (const text of [summary(first, fails), summary(first)]) {
      expect(text).toStartWith('\nfailed: a.test.ts: sums > one & "two"\n')
      expect(text).toEndWith('\n 2 pass\n 1 fail')
    }
  })
})
