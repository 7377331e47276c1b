import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startPageCheck } from '../src/boot/pageCheck.ts'
import { startServer } from '../src/boot/startServer.ts'
import { readConfig } from '../src/config.ts'
import { connect } from '../src/postgres/client.ts'
import { openCluster } from '../src/postgres/embedded/cluster.ts'

/** Measures how much the page check slows down readers, by sending the same requests to one server in alternating windows
 * with and without the check.
 * `bun bench/pageCheck.ts [windows of each kind] [seconds of a window] [MB/s]`. */
const [first = '5', seconds = '10', rate = '8', clientKey = ''] = process.argv.slice(2)
const fillerRows = 400_000

/** Stays within the key's limit of 50 requests per second. */
const pauseMs = 25

/** Sends requests one after the other, each for a different day, so that no answer comes from memory. */
async function client(address: string, key: string, durationMs: number): Promise<number[]> {
  const times: number[] = []
  const endMs = performance.now() + durationMs
  for (let n = 0; performance.now() < endMs; n++) {
    const day = new Date(Date.UTC(2012, 0, 1) + ((n * 7_919 + Math.floor(endMs)) % 4_000) * 86_400_000)
    const startedMs = performance.now()
    const url = `${address}/api/v1/fundamentals?ticker=AAPL&as_of=${day.toISOString().slice(0, 10)}`
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${key}` } })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
    times.push(performance.now() - startedMs)
    await Bun.sleep(pauseMs)
  }
  return times
}

const quantile = (times: readonly number[], q: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(q * times.length)]

if (first.startsWith('http')) {
  console.log(JSON.stringify(await client(first, clientKey, Number(seconds) * 1_000)))
} else {
  const dataDir = mkdtempSync(join(tmpdir(), 'asfiled-page-check-'))
  const config = readConfig({
    ...{
      DATA_DIR: dataDir,
      PORT: '0',
      PAGE_CHECK_MB_PER_SECOND: '0',
      LOG_LEVEL: 'error',
      COMPUTE_THREADS: '1',
    },
    JOB_CONCURRENCY: '0',
  })
  const server = await startServer(
    config,
    () => new Date().toISOString().slice(0, 10),
    () => {},
  )
  const cluster = await openCluster(dataDir, () => {})
  const sql = connect({ url: cluster.url, connections: 1, statementTimeoutMs: 0 })
  try {
    // Adds half a gigabyte for a pass to read.
    await sql`create table filler as select n, repeat(md5(n::text), 38) as text from generate_series(1, ${fillerRows}::int) n`
    await sql`vacuum analyze filler`
    const key = server.ownerKey !== null && 'key' in server.ownerKey ? server.ownerKey.key : ''
    const window = async () => {
      const child = Bun.spawn(['bun', import.meta.path, server.address, seconds, rate, key], {
        stdout: 'pipe',
        stderr: 'inherit',
      })
      const cpu = process.cpuUsage()
      const times: number[] = JSON.parse(await new Response(child.stdout).text())
      const { user, system } = process.cpuUsage(cpu)
      return { times, cpuShare: (user + system) / 1e6 / Number(seconds) }
    }
    await window()
    const found = { off: [] as number[], on: [] as number[] }
    for (let n = 0; n < Number(first) * 2; n++) {
      const kind = n % 2 === 0 ? 'off' : 'on'
      // A pass that was stopped continues in the next window.
      await sql`delete from page_check where ended_at is not null`
      const stop =
        kind === 'off'
          ? async () => {}
          : startPageCheck({
              config: { pageCheckMbPerSecond: Number(rate), pageCheckHours: 1 },
              ...{
                url: cluster.url,
                folder: cluster.location.cluster,
                log: pino({ level: 'error' }),
                lookEveryMs: 20,
              },
              damage: { note: error => console.error(error), takeNews: () => false },
            })
      const { times, cpuShare } = await window()
      await stop()
      const [read] = await sql<
        { mb: number }[]
      >`select coalesce(max(pages), 0) * 8192 / 1e6 as mb from page_check`
      found[kind].push(...times)
      const ms = (q: number) => quantile(times, q).toFixed(2)
      console.log(
        `${kind.padEnd(3)}  ${times.length} requests  p50 ${ms(0.5)} ms  p99 ${ms(0.99)} ms  processor ${(100 * cpuShare).toFixed(0)}%  read so far ${Number(read.mb).toFixed(0)} MB`,
      )
    }
    for (const q of [0.5, 0.99])
      console.log(
        `p${q * 100}: ${quantile(found.off, q).toFixed(2)} ms without, ${quantile(found.on, q).toFixed(2)} ms with the check: x${(quantile(found.on, q) / quantile(found.off, q)).toFixed(3)}`,
      )
  } finally {
    await sql.end()
    await server.stop()
    await cluster.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
