import { expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'

setDefaultTimeout(180_000)

async function benchData(...args: string[]) {
  const child = Bun.spawn(['bun', 'src/cli.ts', 'bench-data', ...args], {
    cwd: resolve(import.meta.dir, '../..'),
    env: { ...process.env, DATABASE_URL: 'postgres://none@127.0.0.1:1/none', NO_COLOR: '1' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, error }
}

test('help shows the options and an example, though the command runs in a process of its own', async () => {
  const { code, out } = await benchData('--help')
  expect(code).toBe(0)
  for (const text of [
    'Usage: ./asfiled bench-data',
    '--entities',
    '--figures',
    '--seed',
    './asfiled bench-data --entities',
  ])
    expect(out).toContain(text)
})

test('exit codes and messages pass through: 2 for an invalid option, 1 for a failure', async () => {
  const invalid = await benchData('--entities', '0')
  expect([invalid.code, invalid.error]).toEqual([2, expect.stringContaining('A whole number above 0')])
  const failed = await benchData('--entities', '1')
  expect([failed.code, failed.error]).toEqual([1, expect.stringMatching(/^asfiled: /)])
})
