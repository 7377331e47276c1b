import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { connect } from '../../src/postgres/client.ts'

const repository = resolve(import.meta.dir, '../..')

/** In a PID namespace of its own numbers are low and come again, as in a container. */
const unshare = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child']

/** Whether this machine lets the test make PID namespaces. */
export const hasNamespaces =
  process.platform === 'linux' && Bun.spawnSync([...unshare, 'true'], { stderr: 'ignore' }).exitCode === 0

function startInNamespace(dataDir: string) {
  return Bun.spawn([...unshare, 'bun', 'src/main.ts'], {
    cwd: repository,
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      DATABASE_URL: '',
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'silent',
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

const readyTimeoutMs = 90_000

/** Waits until the server has said that it is ready. Throws with its output if it ends before. */
async function untilReady(server: ReturnType<typeof startInNamespace>): Promise<void> {
  const timer = setTimeout(() => server.kill('SIGKILL'), readyTimeoutMs)
  let output = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of server.stdout) {
      output += decoder.decode(chunk, { stream: true })
      if (output.includes('is ready at')) return
    }
  } finally {
    clearTimeout(timer)
  }
  throw new Error(`not ready: ${output}${await new Response(server.stderr).text()}`)
}

/** Commits one row over the embedded database's own port and returns how many there are. */
async function commitRow(dataDir: string): Promise<number> {
  const database = join(dataDir, 'database')
  const port = readFileSync(join(database, 'cluster/postmaster.pid'), 'utf8').split('\n')[3]
  const [role, file] = existsSync(join(database, 'service-password'))
    ? ['asfiled_service', 'service-password']
    : ['asfiled', 'password']
  const password = readFileSync(join(database, file), 'utf8').trim()
  const url = `postgres://${role}:${password}@127.0.0.1:${port}/asfiled`
  const sql = connect({ url, connections: 1, statementTimeoutMs: 10_000 })
  try {
    await sql`create table if not exists committed (n integer)`
    await sql`insert into committed values (1)`
    const [{ count }] = await sql<{ count: number }[]>`select count(*)::int as count from committed`
    return count
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Stops a server hard at a random moment of its start, `rounds` times, and each time starts another that must be ready, with
 * every committed row. That one is stopped hard at a random moment, too. Returns what went wrong. */
export async function restartHard(dataDir: string, rounds: number): Promise<string[]> {
  const faults: string[] = []
  let committed = 0
  for (let round = 1; round <= rounds; round++) {
    const first = startInNamespace(dataDir)
    await Bun.sleep(Math.random() * 2_000)
    first.kill('SIGKILL')
    await first.exited
    const second = startInNamespace(dataDir)
    try {
      await untilReady(second)
      const rows = await commitRow(dataDir)
      if (rows !== committed + 1) faults.push(`round ${round}: ${rows} rows, ${committed + 1} expected`)
      committed = rows
      await Bun.sleep(Math.random() * 1_000)
    } catch (error) {
      faults.push(`round ${round}: ${error instanceof Error ? error.message : error}`)
    }
    second.kill('SIGKILL')
    await second.exited
  }
  return faults
}
