import { mkdtempSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Cluster, removeFolder } from '../../deploy/cluster/cluster.ts'
import { importedCompanies, importedTicker, importRandomFiling } from '../../deploy/cluster/imports.ts'
import { Judge } from '../../deploy/cluster/judge.ts'
import { Load } from '../../deploy/cluster/load.ts'
import { makeMix } from '../../deploy/cluster/requests.ts'
import { startBacktests } from './backtests.ts'
import { mountDisk } from './disk.ts'
import { makeEvents } from './events.ts'
import { LimitWatch } from './limits.ts'
import { MemoryWatch } from './memory.ts'
import { faultsOf, type SoakOutcome, soakReport } from './report.ts'
import { startSyncs } from './syncs.ts'
import { Writers } from './writers.ts'

const help = `An hour, or another time, of everything at once on a cluster of this machine: bun bench/soak/run.ts [--minutes 60] [--over-midnight] [--out FILE]

  --minutes N      how long the load lasts; preparing it and looking for every write afterwards takes some minutes more
  --out FILE       a file for the report (Markdown), which standard output has in any case
  --over-midnight  all processes get a clock that reaches midnight in the middle of the load (needs Debian's faketime)
  --clients N      clients that send requests, each with a pause of 20 ms (default 6)

Kills a server, the worker, the replica or the primary every two minutes (more often where the time is short) and fills the disk of
the primary once, where this account may mount one. Needs haproxy. Exit code 1: a wrong answer, a lost write, a limit that was not
exact, memory that grew, a last sync that failed, or a process that ended by itself.
`

const diskMegabytes = 2_500
const maxBulkFiles = 10

interface SoakOptions {
  readonly minutes: number
  readonly clients: number
  readonly folder: string
  readonly report: (line: string) => void
}

async function soak({ minutes, clients, folder, report }: SoakOptions): Promise<SoakOutcome> {
  const diskFolder = resolve(folder, 'disk')
  const disk = mountDisk(diskFolder, diskMegabytes)
  if (disk === null) report('This account may not mount a small disk: none is filled up.')
  let cluster: Cluster | null = null
  try {
    cluster = await Cluster.start({
      folder,
      report,
      settings: { BULK_DIR: resolve(folder, 'bulk') },
      ...(disk === null ? {} : { primaryFolder: resolve(diskFolder, 'db') }),
    })
    return await runLoad(cluster, disk, { minutes, clients, folder, report })
  } finally {
    await cluster?.stop()
    disk?.unmount()
  }
}

async function runLoad(
  cluster: Cluster,
  disk: ReturnType<typeof mountDisk>,
  { minutes, clients, folder, report }: SoakOptions,
): Promise<SoakOutcome> {
  const key = await cluster.newKey()
  for (let number = 1; number <= importedCompanies; number++) await importRandomFiling(cluster.sql, number, 0)
  const files = await buildBulk(cluster, key)
  const judge = new Judge(cluster.referenceAddress, key)
  const mix = makeMix({
    changing: Array.from({ length: importedCompanies }, (_, n) => importedTicker(n + 1)),
    steady: ['SNOW', 'ABT', 'HPQ', 'IBM', 'JPM', 'XOM'],
    today: new Date().toISOString().slice(0, 10),
    files,
  })
  const load = new Load({ address: cluster.address, key, clients, pauseMs: 20, next: mix, judge })
  const writers = new Writers(cluster, await cluster.newKey())
  const syncs = await startSyncs(cluster, folder)
  const backtests = await startBacktests(cluster)
  const parts = [...cluster.servers, cluster.worker, cluster.proxy, cluster.reference]
  const memory = new MemoryWatch(parts)
  let disturbedAt = Number.NEGATIVE_INFINITY
  let isDisturbed = false
  const limits = new LimitWatch(cluster, at => isDisturbed || disturbedAt > at)
  const endAt = performance.now() + minutes * 60_000
  const everyMs = Math.min(120_000, (minutes * 60_000) / 10)
  let cutAt = performance.now()
  let lastName = 'none'
  for (const { name, happen } of makeEvents(cluster, disk, minutes * 60_000, everyMs)) {
    await Bun.sleep(Math.max(0, cutAt + everyMs - performance.now()))
    if (performance.now() > endAt - everyMs / 2) break
    report(JSON.stringify(load.cut(lastName)))
    cutAt = performance.now()
    lastName = name
    isDisturbed = true
    await happen()
    isDisturbed = false
    disturbedAt = performance.now()
    report(
      `${name}: over after ${((disturbedAt - cutAt) / 1_000).toFixed(1)} s; ${judge.compared} compared, ${judge.wrong.length} wrong ${judge.wrong.at(-1)?.path ?? ''} ${judge.wrong.at(-1)?.why ?? ''}`,
    )
  }
  await Bun.sleep(Math.max(0, endAt - performance.now()))
  report('The end: what was acknowledged is looked for.')
  await load.stop()
  load.cut(lastName)
  const [limitTally, backtestTally, syncTally] = await Promise.all([
    limits.stop(),
    backtests.stop(),
    syncs.stop(),
    writers.stop(),
  ])
  const trends = memory.stop()
  const writes = await writers.count()
  await judge.close()
  return {
    minutes,
    spans: load.spans,
    kinds: load.kinds,
    examples: load.examples,
    compared: judge.compared,
    same: judge.same,
    skipped: judge.skipped,
    wrong: judge.wrong,
    writes,
    limits: limitTally,
    syncs: syncTally,
    memory: trends,
    backtests: backtestTally,
    ended: Object.fromEntries(
      parts.filter(part => part.endedAfter.length > 0).map(part => [part.name, part.endedAfter]),
    ),
  }
}

/** The paths of the files of a release. */
async function buildBulk(cluster: Cluster, key: string): Promise<string[]> {
  const child = Bun.spawn(['bun', 'src/cli.ts', 'bulk', 'build'], {
    cwd: resolve(import.meta.dir, '../..'),
    env: { ...process.env, ...cluster.environment },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    timeout: 300_000,
  })
  if ((await child.exited) !== 0) throw new Error('The bulk files could not be built.')
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(cluster.address + path, { headers: { Authorization: `Bearer ${key}` } })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response.json()
  }
  const [manifest] =
    JSON.stringify(await read('/api/v1/bulk')).match(/\/api\/v1\/bulk\/\d+\/manifest\.json/) ?? []
  if (manifest === undefined) throw new Error('There is no bulk release.')
  const names = JSON.stringify(await read(manifest)).matchAll(/"path":"([^"]+\.parquet)"/g)
  const files = [...names].map(([, name]) => manifest.replace('manifest.json', name))
  return [manifest, ...files.slice(0, maxBulkFiles)]
}

const preparingMs = 60_000
const dayMs = 86_400_000

/** Runs this script again with another clock, which its processes inherit. Returns the exit code. */
async function runOverMidnight(minutes: number): Promise<number> {
  const toMidnightMs = dayMs - (Date.now() % dayMs)
  const offset = Math.round((toMidnightMs - preparingMs - (minutes * 60_000) / 2) / 1_000)
  const env = {
    ...process.env,
    LD_PRELOAD: '/usr/$LIB/faketime/libfaketimeMT.so.1',
    FAKETIME: `${offset < 0 ? '' : '+'}${offset}s`,
    // Waits measure with the monotonic clock, which need not change.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  const shown = Number(Bun.spawnSync(['date', '+%s'], { env }).stdout.toString())
  if (!(Math.abs(shown - Date.now() / 1_000 - offset) < 60))
    throw new Error("The clock could not be changed: --over-midnight needs Debian's package faketime.")
  const child = Bun.spawn([process.execPath, ...process.argv.slice(1)], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  return child.exited
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      clients: { type: 'string', default: '6' },
      out: { type: 'string' },
      'over-midnight': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(help)
    process.exit(0)
  }
  const minutes = Number(values.minutes)
  if (values['over-midnight'] && process.env.FAKETIME === undefined)
    process.exit(await runOverMidnight(minutes))
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-soak-'))
  const startedAt = performance.now()
  const report = (line: string) =>
    console.error(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${line}`)
  let code = 1
  try {
    const before = loadavg()[0]
    const outcome = await soak({ minutes, clients: Number(values.clients), folder, report })
    const commit = Bun.spawnSync(['git', 'rev-parse', '--short', 'HEAD']).stdout.toString().trim()
    const machine = `Commit ${commit}, ${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores, ${Math.round(totalmem() / 1e9)} GB; load average ${before.toFixed(1)} before it, ${loadavg()[0].toFixed(1)} at its end.`
    const text = soakReport(
      outcome,
      machine,
      `bun bench/soak/run.ts --minutes ${minutes}${values['over-midnight'] ? ' --over-midnight' : ''}`,
    )
    if (values.out !== undefined) await Bun.write(values.out, text)
    console.log(text)
    code = faultsOf(outcome).length === 0 ? 0 : 1
  } finally {
    removeFolder(folder)
  }
  process.exit(code)
}
