import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import {
  makeDataDir,
  removeDataDir,
  runCommand,
  type ServerProcess,
  startServerProcess,
} from '../../test/boot/serverProcess.ts'
import { residentMb } from '../memory/load.ts'
import { startAbuser } from './abuser.ts'
import { type Innocent, innocents, runInnocents } from './innocents.ts'
import { isKind, type KindName, kindNames, kinds } from './kinds/all.ts'
import { abuseReport, joinWindows, judge, quantile, type Window, type WindowOutcome } from './report.ts'

const help = `Paid, innocent requests beside each kind of abuse, and beside all of them at once: bun bench/abuse/run.ts [OPTIONS]

  --minutes   how long the whole takes, roughly (default 8)
  --kinds     only these kinds of abuse, comma-separated; "all" runs those that are named, or every one, at once (default: each, then all)
  --out       a file for the report (Markdown), which standard output has in any case
  --json      a file for the same figures as JSON
  --list      show the kinds of abuse

The server, the abusers and the innocents are processes of this machine and use its loopback addresses only. Exit code 1: an innocent request
failed or took too long.
`

/** The idle server is measured for this many windows before the abuse and for as many after it. All other windows are
 * compared with it, and a machine with other work is not equally busy all the time. The window with every kind of abuse at
 * once is longer as well. */
const idleWindows = 1.5
const allWindows = 2
/** The longest pause between two windows, during which the server becomes idle again. */
const maxRestMs = 20_000
const warmUpMs = 5_000
const ticksPerSecond = 100

interface RunOptions {
  readonly minutes: number
  /** Measured one after the other. */
  readonly chosen: readonly KindName[]
  /** Measured all at the same time, at the end. If empty, this window is skipped. */
  readonly together: readonly KindName[]
  readonly report: (line: string) => void
}

interface Outcome {
  readonly idle: WindowOutcome
  readonly windows: readonly WindowOutcome[]
}

async function run({ minutes, chosen, together, report }: RunOptions): Promise<Outcome> {
  const folder = makeDataDir()
  const server = await startServerProcess(folder, { LOG_LEVEL: 'silent' })
  try {
    const people = innocents(await paidKey(folder))
    const port = Number(new URL(server.address).port)
    const windows = 2 * idleWindows + chosen.length + (together.length > 0 ? allWindows : 0)
    const restsMs = 5_000 * (chosen.length + 2)
    const windowMs = Math.max(5_000, Math.round((minutes * 60_000 - restsMs - warmUpMs) / windows))
    await runInnocents(port, people, warmUpMs)
    const windowsBeside: Window[] = []
    const runBeside = async (plan: WindowPlan) => {
      await untilQuiet(server)
      const window = await measure(people, port, plan)
      report(lineOf(window, server.pid))
      return window
    }
    const ofIdle = {
      name: 'idle',
      about: 'No abuse, before and after all others',
      kinds: [],
      ms: idleWindows * windowMs,
    }
    const idleBefore = await runBeside(ofIdle)
    for (const kind of chosen)
      windowsBeside.push(
        await runBeside({ name: kind, about: kinds[kind].about, kinds: [kind], ms: windowMs }),
      )
    if (together.length > 0)
      windowsBeside.push(
        await runBeside({
          name: 'all',
          about: 'All of these at once',
          kinds: chosen,
          ms: allWindows * windowMs,
        }),
      )
    const idle = joinWindows(idleBefore, await runBeside(ofIdle))
    return {
      idle: judge(idle, idle.innocents),
      windows: windowsBeside.map(window => judge(window, idle.innocents)),
    }
  } finally {
    server.signal('SIGTERM')
    await Promise.race([server.exited, Bun.sleep(20_000).then(() => server.signal('SIGKILL'))])
    removeDataDir(folder)
  }
}

/** A key with the quant plan and limits that no innocent reaches. */
async function paidKey(folder: string): Promise<string> {
  const terms = ['--licence', 'oem', '--quant', '--per-minute', '900000', '--email', 'innocent@bench.example']
  const { code, out, err } = await runCommand(folder, 'keys', 'create', ...terms, '--json')
  if (code !== 0) throw new Error(`No key was created: ${err}`)
  const { key }: { key: string } = JSON.parse(out)
  return key
}

interface WindowPlan {
  readonly name: string
  readonly about: string
  readonly kinds: readonly KindName[]
  readonly ms: number
}

async function measure(
  people: readonly Innocent[],
  port: number,
  { name, about, kinds, ms }: WindowPlan,
): Promise<Window> {
  // The abuse lasts longer than the innocents, so that it covers their last requests as well.
  const abusers = await Promise.all(kinds.map(kind => startAbuser(kind, port, ms + 1_000)))
  const times = await runInnocents(port, people, ms)
  const abuse: Record<string, number> = {}
  for (const { ended } of abusers)
    for (const [outcome, count] of Object.entries(await ended)) abuse[outcome] = (abuse[outcome] ?? 0) + count
  return { name, about, innocents: times, abuse }
}

/** Waits until the server uses less than a third of a processor, so that work left over from one kind of abuse does not
 * count against the next. */
async function untilQuiet({ pid }: ServerProcess): Promise<void> {
  const endMs = performance.now() + maxRestMs
  let before = processorSeconds(pid)
  while (performance.now() < endMs) {
    await Bun.sleep(2_000)
    const now = processorSeconds(pid)
    if (now - before < 0.6) return
    before = now
  }
}

function processorSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

function lineOf({ name, innocents }: Window, pid: number): string {
  const all = Object.values(innocents)
  const errors = all.reduce((sum, one) => sum + one.errors.length, 0)
  const worst = Object.entries(innocents)
    .map(([innocent, { times }]) => ({ innocent, p99Ms: quantile(times, 0.99) }))
    .reduce((slow, one) => (one.p99Ms > slow.p99Ms ? one : slow))
  return `${name}: ${errors} errors, the worst p99 ${worst.p99Ms.toFixed(0)} ms (${worst.innocent}); server ${residentMb(pid).toFixed(0)} MB`
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '8' },
      kinds: { type: 'string' },
      out: { type: 'string' },
      json: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help || values.list) {
    const list = kindNames.map(name => `  ${name.padEnd(22)}${kinds[name].about}`)
    console.log(values.help ? help : list.join('\n'))
    process.exit(0)
  }
  const wanted = values.kinds?.split(',') ?? [...kindNames, 'all']
  const unknown = wanted.find(name => name !== 'all' && !isKind(name))
  const minutes = Number(values.minutes)
  if (unknown !== undefined || !(minutes > 0)) {
    console.error(
      unknown === undefined
        ? `--minutes ${values.minutes} is not allowed: give a number above 0.`
        : `There is no kind of abuse ${unknown}. Kinds: ${kindNames.join(', ')}, all.`,
    )
    process.exit(2)
  }
  const chosen = wanted.filter(isKind)
  const everyOrChosen = chosen.length === 0 ? kindNames : chosen
  const together = wanted.includes('all') ? everyOrChosen : []
  const startedAt = performance.now()
  const report = (line: string) =>
    console.error(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${line}`)
  const before = loadavg()[0]
  const { idle, windows } = await run({
    minutes,
    chosen,
    together,
    report,
  })
  const commit = Bun.spawnSync(['git', 'rev-parse', '--short', 'HEAD']).stdout.toString().trim()
  const machine = `Commit ${commit}, ${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores, ${Math.round(totalmem() / 1e9)} GB; load average ${before.toFixed(1)} before it. \`bun bench/abuse/run.ts --minutes ${minutes}\``
  const text = abuseReport(idle, windows, machine)
  if (values.out !== undefined) await Bun.write(values.out, text)
  if (values.json !== undefined)
    await Bun.write(values.json, `${JSON.stringify({ machine, idle, windows }, null, 2)}\n`)
  console.log(text)
  process.exit(idle.isMet && windows.every(({ isMet }) => isMet) ? 0 : 1)
}
