import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import {
  makeDataDir,
  removeDataDir,
  runCommand,
  type ServerProcess,
  startServerProcess,
} from './boot/serverProcess.ts'

const readme = await Bun.file(resolve(import.meta.dir, '../README.md')).text()
/** A curl command and the answer that the README shows for it. */
const examples = [...readme.matchAll(/```sh\n(curl [^`]*)```\s*```json\n([^`]*)```/g)].map(match => ({
  command: match[1].trim(),
  shown: JSON.parse(match[2]),
}))

/** Numbers cut to ten digits: the last bits may change with the order in which a kernel adds. */
const tenDigits = (answer: object) =>
  JSON.parse(JSON.stringify(answer), (_, value) =>
    typeof value === 'number' ? Number(value.toPrecision(10)) : value,
  )

const dataDir = makeDataDir()
let server: ServerProcess

beforeAll(async () => {
  server = await startServerProcess(dataDir)
}, 120_000)

afterAll(async () => {
  server.signal('SIGTERM')
  await server.exited
  removeDataDir(dataDir)
}, 60_000)

describe('the README', () => {
  test('shows two queries and a backtest with their answers', () => {
    const objects = examples.map(example => example.shown.object)
    expect(objects).toEqual(['fundamentals_list', 'fundamentals_list', 'backtest_result'])
  })

  test('shows what the shipped sample really answers', async () => {
    const key = /asf_live_\w+/.exec(server.said())?.[0] ?? ''
    for (const { command, shown } of examples) {
      const here = command.replaceAll('http://localhost:3000', server.address)
      const shell = Bun.spawn(['sh', '-c', here], { stdout: 'pipe', env: { ...process.env, KEY: key } })
      expect(tenDigits(await new Response(shell.stdout).json())).toMatchObject(tenDigits(shown))
    }
  })

  const python = ['/usr/bin/python3', 'python3'].find(
    program => Bun.spawnSync([program, '-c', 'import pandas, requests'], { stderr: 'ignore' }).exitCode === 0,
  )
  if (python === undefined) console.warn('skipped: no python3 with pandas and requests on this machine')

  test.skipIf(python === undefined)('shows what pandas really gets', async () => {
    const [, code, shown] = /```python\n([^`]*)```\s*```text\n([^`]*)```/.exec(readme) ?? []
    const here = code.replaceAll('http://localhost:3000', server.address)
    const run = Bun.spawn([python ?? '', '-c', here], {
      cwd: resolve(import.meta.dir, '..'),
      stdout: 'pipe',
      env: { ...process.env, KEY: /asf_live_\w+/.exec(server.said())?.[0] ?? '' },
    })
    expect(await new Response(run.stdout).text()).toBe(shown)
  })

  test('names only commands that exist', async () => {
    const named = [...readme.matchAll(/run asfiled (\w+(?: (?:create|list|revoke|import|us)\b)?)/g)].map(
      match => match[1],
    )
    expect(named.length).toBeGreaterThan(5)
    for (const words of new Set(named)) {
      const help = await runCommand(dataDir, ...words.split(' '), '--help')
      expect([words, help.code, help.out.includes(`Usage: asfiled ${words}`)]).toEqual([words, 0, true])
    }
  }, 60_000)

  test('every setting of .env.example is read, and every setting that is read is there', async () => {
    const listed =
      (await Bun.file(resolve(import.meta.dir, '../.env.example')).text()).match(/^[A-Z_]+(?==)/gm) ?? []
    const config = await Bun.file(resolve(import.meta.dir, '../src/config.ts')).text()
    const read = [...config.matchAll(/(?:text|integer|list)\('([A-Z_]+)'|environment\.([A-Z_]+)/g)].map(
      match => match[1] ?? match[2],
    )
    expect([...new Set(read)].sort()).toEqual([...listed].sort())
  })
})
