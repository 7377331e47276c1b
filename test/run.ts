import { availableParallelism } from 'node:os'
import { startTestServer } from './database.ts'

/** `bun run test`: the tests on all cores and one PostgreSQL. `bun test FILE` runs without this, and starts its own. Arguments are
 * those of `bun test`. */

const server = await startTestServer()
const tests = Bun.spawn(
  [
    process.execPath,
    'test',
    // For a busy machine: some 3,900 tests wait for one another's processes and disk.
    '--timeout=180000',
    // One more than cores: some files wait for processes, sockets and timeouts, while others compute.
    `--parallel=${Math.min(4, availableParallelism() + 1)}`,
    // Workers keep modules between files: loading them again for each file would take as long as the tests.
    '--no-isolate',
    ...process.argv.slice(2),
  ],
  {
    cwd: `${import.meta.dir}/..`,
    env: {
      ...process.env,
      TEST_POSTGRES: server.urls.service,
      TEST_POSTGRES_ADMIN: server.urls.admin,
      TEST_FOLDER: server.folder,
    },
    stdio: ['inherit', 'inherit', 'inherit'],
  },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
const code = await tests.exited
await server.stop()
process.exit(code)
