import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestServer } from './database.ts'
import { failedFiles, type Outcome, outcomeOf, summary } from './outcome.ts'

/** `bun run test`: the tests on all cores and one PostgreSQL. `bun test FILE` runs without this, and starts its own. Arguments are
 * those of `bun test`. A file that fails among the others runs once more, alone: some 3,900 tests on a busy machine wait for one
 * another's processes and disk. The end names each such file, whether it passes then or not, and more than three fail the run. */

const mostAgain = 3
const server = await startTestServer()
const folder = mkdtempSync(join(tmpdir(), 'asfiled-tests-'))
let running: Bun.Subprocess | undefined
let stopped = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stopped = true
    running?.kill(signal)
  })

// The timeout is for a busy machine. Workers keep modules between files: loading them again for each file would take as long as the tests.
const parallel = [`--parallel=${Math.min(4, availableParallelism())}`, '--no-isolate']
const first = await run([...parallel, ...process.argv.slice(2)], 'first.xml')
const files = failedFiles(first)
const again = files.length > 0 && files.length <= mostAgain && !stopped ? await runAgain(files) : undefined
if (first.code !== 0 && !stopped) console.error(summary(first, again))
await server.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(again?.code ?? first.code)

async function runAgain(files: readonly string[]): Promise<Outcome> {
  console.error(`\nOnce more, alone: ${files.join(', ')}`)
  return run(
    files.map(file => `./${file}`),
    'again.xml',
  )
}

/** Runs `bun test` with a report in JUnit's format, and shows its output as it comes. */
async function run(args: readonly string[], report: string): Promise<Outcome> {
  const path = join(folder, report)
  const tests = Bun.spawn(
    [process.execPath, 'test', '--timeout=60000', '--reporter=junit', `--reporter-outfile=${path}`, ...args],
    {
      cwd: `${import.meta.dir}/..`,
      env: {
        ...(process.stderr.isTTY ? { FORCE_COLOR: '1' } : {}),
        ...process.env,
        TEST_POSTGRES: server.urls.service,
        TEST_POSTGRES_ADMIN: server.urls.admin,
      },
      stdio: ['inherit', 'inherit', 'pipe'],
    },
  )
  running = tests
  let end = ''
  const decoder = new TextDecoder()
  for await (const bytes of tests.stderr) {
    process.stderr.write(bytes)
    end = (end + decoder.decode(bytes, { stream: true })).slice(-4_000)
  }
  const file = Bun.file(path)
  return outcomeOf(await tests.exited, end, (await file.exists()) ? await file.text() : '')
}
