import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { BodySpool, removeAbandoned, spooledBytes } from '../../../src/backtest/panelFile/bodySpool.ts'

const folder = mkdtempSync(join(tmpdir(), 'asfiled-spool-'))
afterAll(() => rmSync(folder, { recursive: true }))

const dayMs = 24 * 60 * 60 * 1_000
const spoolSource = resolve(import.meta.dir, '../../../src/backtest/panelFile/bodySpool.ts')

/** A process that spools a body and then waits. */
const spooling = `
const { BodySpool, spooledBytes } = await import(${JSON.stringify(spoolSource)})
const spool = new BodySpool(${JSON.stringify(folder)})
await spool.write(new Uint8Array(spooledBytes))
console.log((await spool.finish()).path)
setInterval(() => {}, 1_000)
`

async function startSpooling() {
  const child = Bun.spawn([process.execPath, '-e', spooling], { stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  return { child, path: new TextDecoder().decode(value).trim() }
}

function fileOf(name: string, writtenMs: number): string {
  const path = join(folder, name)
  writeFileSync(path, 'rows')
  utimesSync(path, writtenMs / 1_000, writtenMs / 1_000)
  return path
}

describe('bodies that a killed process left', () => {
  test('are deleted at once, and those of a process that runs are not', async () => {
    const [killed, running] = [await startSpooling(), await startSpooling()]
    try {
      expect([killed, running].map(({ path }) => existsSync(path))).toEqual([true, true])
      killed.child.kill('SIGKILL')
      await killed.child.exited
      await removeAbandoned(folder, Date.now())
      expect(readdirSync(folder)).toEqual([basename(running.path)])
    } finally {
      running.child.kill('SIGKILL')
      await running.child.exited
    }
    await removeAbandoned(folder, Date.now())
    expect(readdirSync(folder)).toEqual([])
  }, 180_000)

  test('are deleted by a process that has the same number', async () => {
    const own = new BodySpool(folder)
    await own.write(new Uint8Array(spooledBytes))
    const [, space] = readdirSync(folder)[0].split('~')
    const earlier = fileOf(`${hostname()}~${space}~${process.pid}~1.body`, performance.timeOrigin - 1_000)
    await removeAbandoned(folder, Date.now())
    expect(existsSync(earlier)).toBe(false)
    expect(readdirSync(folder)).toHaveLength(1)
    await own.discard()
    expect(readdirSync(folder)).toEqual([])
  })

  test('stay for an hour where another container with this host name may have the same process ids', async () => {
    const now = Date.now()
    const beside = fileOf(`${hostname()}~1~${process.pid}~1.body`, performance.timeOrigin - 1_000)
    const unused = fileOf(`${hostname()}~1~4194304~1.body`, now)
    await removeAbandoned(folder, now)
    expect([beside, unused].map(path => existsSync(path))).toEqual([true, true])
    await removeAbandoned(folder, now + 61 * 60_000)
    expect(readdirSync(folder)).toEqual([])
  })

  test('are deleted after a day where nobody can tell whether the process runs', async () => {
    const now = Date.now()
    const elsewhere = fileOf('another-host~1~2.body', now - dayMs + 60_000)
    const byOlderVersion = fileOf('3.body', now - dayMs + 60_000)
    await removeAbandoned(folder, now)
    expect([elsewhere, byOlderVersion].map(path => existsSync(path))).toEqual([true, true])
    await removeAbandoned(folder, now + 120_000)
    expect(readdirSync(folder)).toEqual([])
  })
})
