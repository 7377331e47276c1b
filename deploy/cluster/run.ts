import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Cluster, removeFolder } from './cluster.ts'
import { importedCompanies, importedTicker, importRandomFiling } from './imports.ts'
import { Judge } from './judge.ts'
import { Load, type Span, spanTable } from './load.ts'
import { until } from './processes.ts'
import { makeMix } from './requests.ts'

const help = `Starts two servers, a worker, a primary, a streaming replica and HAProxy on this machine, on loopback ports and in a folder of
their own, puts load on them, and kills one part after the other. Prints what each event cost, and every wrong answer: each answer
is compared with what a server of the primary alone answers for the data version that it names.

  bun deploy/cluster/run.ts [--seconds 8] [--clients 8] [--folder FOLDER]

  --seconds   the time of each event
  --clients   how many clients send requests, each with a pause of 10 ms
  --folder    for data, logs and configuration; by default one that is removed at the end

Needs haproxy (Debian: apt-get install haproxy). Exit code 1: a wrong answer or a lost job. Failed
requests are in the table: a request that a killed server works on may fail.
`

interface RunOptions {
  readonly seconds: number
  readonly clients: number
  readonly folder: string
  readonly report: (line: string) => void
}

interface RunOutcome {
  readonly spans: readonly Span[]
  readonly wrong: Judge['wrong']
  readonly compared: number
  readonly same: number
  readonly imports: number
  readonly jobs: { readonly submitted: number; readonly lost: number }
  readonly examples: readonly string[]
}

export async function proveCluster({ seconds, clients, folder, report }: RunOptions): Promise<RunOutcome> {
  const cluster = await Cluster.start({ folder, report })
  let isImporting = true
  let imports = 0
  try {
    const key = await cluster.newKey()
    for (let number = 1; number <= importedCompanies; number++)
      await importRandomFiling(cluster.sql, number, 0)
    await cluster.replica.untilReplayed(cluster.primary)
    const judge = new Judge(cluster.referenceAddress, key)
    const changing = Array.from({ length: importedCompanies }, (_, n) => importedTicker(n + 1))
    const next = makeMix({
      changing,
      steady: ['AAPL', 'E02367.JP', '005930.KS', 'SNOW'],
      today: new Date().toISOString().slice(0, 10),
    })
    const load = new Load({ address: cluster.address, key, clients, pauseMs: 10, next, judge })
    const importing = (async () => {
      for (let serial = 1; isImporting; serial++) {
        await importRandomFiling(cluster.sql, 1 + (serial % importedCompanies), serial).then(
          () => imports++,
          () => {},
        )
        await Bun.sleep(600)
      }
    })()
    const pass = () => Bun.sleep(seconds * 1_000)
    const jobs: string[] = []
    const event = async (name: string, happen: () => Promise<void>) => {
      const startedAt = performance.now()
      await happen()
      const left = seconds * 1_000 - (performance.now() - startedAt)
      if (left > 0) await Bun.sleep(left)
      report(`${name}: ${JSON.stringify(load.cut(name))}`)
    }
    await event('warm-up', pass)
    await event('nothing', pass)
    for (const [place, server] of cluster.servers.entries()) {
      await event(`${server.name}: kill -9`, () => server.end('SIGKILL'))
      await event(`${server.name}: back`, async () => {
        server.start()
        await cluster.untilReady(cluster.serverAddresses[place])
      })
    }
    await event('worker: kill -9 during a job, and back', async () => {
      const job = await submit(cluster.address, key)
      if (job !== null) jobs.push(job)
      await cluster.worker.end('SIGKILL')
      cluster.worker.start()
    })
    await event('replica: kill -9', () => cluster.replica.end('SIGKILL'))
    await event('replica: back', () => cluster.replica.start())
    await event('replica: hangs (SIGSTOP)', async () => cluster.replica.signalAll('SIGSTOP'))
    await event('replica: goes on', async () => cluster.replica.signalAll('SIGCONT'))
    await event('replica: replay paused', () => pauseReplay(cluster, true))
    await event('replica: replay resumed', () => pauseReplay(cluster, false))
    await event('primary: kill -9, back after 3 s', async () => {
      await cluster.primary.end('SIGKILL')
      await Bun.sleep(3_000)
      await cluster.primary.start()
    })
    await event('after it', () => cluster.untilReady())
    // Commits that the replica has not received are lost with the primary, unless commits wait for a replica (docs/scaling.md).
    isImporting = false
    await importing
    await cluster.replica.untilReplayed(cluster.primary)
    await event('primary: kill -9, the replica is promoted', async () => {
      await cluster.primary.end('SIGKILL')
      await cluster.promote()
      await cluster.untilReady()
    })
    await event('the former primary is made a replica', async () => {
      await cluster.replica.copyFrom(cluster.primary)
      await cluster.replica.start()
    })
    await event('after it', pass)
    await load.stop()
    await judge.close()
    const lost = await countLost(cluster.address, key, jobs)
    return {
      ...{ spans: load.spans, wrong: judge.wrong, compared: judge.compared, same: judge.same, imports },
      ...{ jobs: { submitted: jobs.length, lost }, examples: load.examples },
    }
  } finally {
    isImporting = false
    await cluster.stop()
  }
}

async function pauseReplay(cluster: Cluster, isPaused: boolean): Promise<void> {
  const admin = cluster.replica.admin()
  try {
    if (isPaused) await admin`select pg_wal_replay_pause()`
    else await admin`select pg_wal_replay_resume()`
  } finally {
    await admin.end({ timeout: 1 })
  }
}

/** Submits a sweep that takes some seconds. Returns null if it was refused. */
async function submit(address: string, key: string): Promise<string | null> {
  const response = await fetch(`${address}/api/v1/backtest`, {
    method: 'POST',
    headers: {
      ...{ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Prefer: 'respond-async' },
      'Idempotency-Key': crypto.randomUUID(),
    },
    body: JSON.stringify({ sweep: true, source: { market: 'US' } }),
    signal: AbortSignal.timeout(20_000),
  }).catch(() => null)
  if (response?.status !== 202) return null
  const { id }: { id: string } = await response.json()
  return id
}

/** Returns how many of the jobs do not succeed within a minute. */
async function countLost(address: string, key: string, jobs: readonly string[]): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` }
  let lost = 0
  for (const id of jobs)
    await until(`the job ${id} has succeeded`, async () => {
      const { state }: { state: string } = await (
        await fetch(`${address}/api/v1/backtests/${id}`, { headers })
      ).json()
      return state === 'succeeded'
    }).catch(() => lost++)
  return lost
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '8' },
      clients: { type: 'string', default: '8' },
      folder: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(help)
    process.exit(0)
  }
  const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'asfiled-cluster-'))
  const startedAt = performance.now()
  const report = (line: string) =>
    console.error(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${line}`)
  try {
    const outcome = await proveCluster({
      ...{ seconds: Number(values.seconds), clients: Number(values.clients), folder, report },
    })
    const { spans, wrong, compared, same, imports, jobs, examples } = outcome
    console.log(spanTable(spans))
    console.log(
      `\n${compared} answers compared with the primary's, ${same} with another to the same request, during ${imports} imports: ${wrong.length} wrong. ${jobs.submitted} jobs, ${jobs.lost} lost.`,
    )
    for (const { path, why } of wrong.slice(0, 20)) console.log(`WRONG ${path}: ${why}`)
    for (const example of examples) console.log(`failed: ${example}`)
    process.exitCode = wrong.length + jobs.lost > 0 ? 1 : 0
  } finally {
    if (values.folder === undefined) removeFolder(folder)
  }
}
