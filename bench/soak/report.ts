import type { WrongAnswer } from '../../deploy/cluster/judge.ts'
import { type Span, spanTable } from '../../deploy/cluster/load.ts'
import type { LimitTally } from './limits.ts'
import type { MemoryTrend } from './memory.ts'
import type { SyncTally } from './syncs.ts'
import type { WriteTally } from './writers.ts'

export interface SoakOutcome {
  readonly minutes: number
  readonly spans: readonly Span[]
  readonly kinds: ReadonlyMap<string, number>
  readonly examples: readonly string[]
  readonly compared: number
  readonly same: number
  readonly skipped: number
  readonly wrong: readonly WrongAnswer[]
  readonly writes: readonly WriteTally[]
  readonly limits: LimitTally
  readonly syncs: SyncTally
  readonly memory: readonly MemoryTrend[]
  readonly backtests: Readonly<Record<string, number>>
  /** Processes that ended by themselves, and after how many seconds each time. */
  readonly ended: Readonly<Record<string, readonly number[]>>
}

const maxStartSeconds = 90
/** The shortest run in which the first server lives long enough for its memory to be judged. */
const judgedMinutes = 50

/** Lists the requirements that the soak did not meet. An empty list means that it passed. */
export function faultsOf(outcome: SoakOutcome): string[] {
  const { wrong, writes, limits, memory, compared, syncs, ended } = outcome
  const faults: string[] = []
  if (wrong.length > 0) faults.push(`${wrong.length} wrong answers`)
  if (compared === 0) faults.push('no answer was compared')
  for (const { what, acknowledged, lost } of writes) {
    if (lost > 0) faults.push(`${lost} of ${acknowledged} acknowledged ${what} are lost`)
    if (acknowledged === 0) faults.push(`no ${what} were written`)
  }
  if (limits.over > 0) faults.push(`${limits.over} requests above a limit were answered`)
  if (limits.unexplained > 0) faults.push(`${limits.unexplained} limits ended early without a cause`)
  for (const { name, isFlat, firstMb, lastMb } of memory)
    if (isFlat === false)
      faults.push(`the memory of ${name} grew from ${firstMb.toFixed(0)} to ${lastMb.toFixed(0)} MB`)
  for (const [market, code] of Object.entries(syncs.last))
    if (code !== 0) faults.push(`the last sync of ${market} failed`)
  if (
    outcome.minutes >= judgedMinutes &&
    !memory.some(({ name, isFlat }) => name === 'server-one' && isFlat !== null)
  )
    faults.push('the memory of server-one was not judged')
  // A process cannot start while the database is down, and its supervisor starts it again.
  for (const [name, seconds] of Object.entries(ended))
    for (const after of seconds)
      if (after > maxStartSeconds) faults.push(`${name} ended by itself after ${after} s`)
  return faults
}

export function soakReport(outcome: SoakOutcome, machine: string, command: string): string {
  const { spans, kinds, examples, compared, same, skipped, wrong, writes, limits, syncs, memory } = outcome
  const faults = faultsOf(outcome)
  const sum = (of: (span: Span) => number) => spans.reduce((total, span) => total + of(span), 0)
  const failed = sum(span => Object.values(span.failures).reduce((total, count) => total + count, 0))
  const requests = sum(span => span.requests)
  return `# The soak

Two servers, a worker, a primary, a streaming replica and HAProxy on one machine, under a mixed load of every
route, with imports, syncs against recorded registers, submitted sweeps, and the parts killed one after the other. This
file is the output of the last \`${command}\`.

${machine}

**${faults.length === 0 ? 'Passed' : `Failed: ${faults.join('; ')}`}.** ${requests.toLocaleString('en-US')} requests in ${outcome.minutes} minutes.

| what | outcome |
|---|---|
| wrong answers | ${wrong.length}: ${compared.toLocaleString('en-US')} compared with what the primary answers for the same data version, ${same.toLocaleString('en-US')} with another answer to the same request${skipped === 0 ? '' : `, ${skipped} left out because too many waited or the day ended`} |
| requests that failed | ${failed}, by event below |
| refused with 503 and Retry-After | ${sum(span => span.refused)}, while the primary was away or its disk full |
${writes.map(({ what, acknowledged, refused, lost }) => `| acknowledged ${what} | ${acknowledged}, ${lost} lost (${refused} were refused) |`).join('\n')}
| limits | ${limits.rounds} keys with a daily limit, sent to both servers: ${limits.exact} got exactly it, ${limits.over} requests above one; ${limits.under} counted and not answered, because a part was killed meanwhile${limits.overMidnight === 0 ? '' : `; ${limits.overMidnight} sent over midnight, answered at most twice the limit`} |
| syncs | ${syncs.runs} runs, ${syncs.failed} failed while the database was away, the last of each market succeeded: ${Object.values(syncs.last).every(code => code === 0) ? 'yes' : 'no'} |
| processes that ended by themselves | ${
    Object.entries(outcome.ended)
      .map(([name, seconds]) => `${name} after ${seconds.join(', ')} s`)
      .join('; ') || 'none'
  } |
| backtests of one client | ${Object.entries(outcome.backtests)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ')} |

## Events

An event is what happened at the beginning of a span. The longest gap is the longest time in which no request of any client succeeded.

${spanTable(spans)}

## Memory

Resident memory in MB, as the lowest value of each 30 seconds, over the second half of the time since the process's last
start. A process that ran for less than 20 minutes is not judged. The last column has the lowest value of each three
minutes since that start.

| process | first | last | highest | slope | flat | life |
|---|---|---|---|---|---|---|
${memory.map(memoryRow).join('\n')}

## Requests

${[...kinds].map(([kind, count]) => `${kind} ${count.toLocaleString('en-US')}`).join(', ')}.
${list(
  'Wrong answers',
  wrong.map(({ path, why, at }) => `${new Date(at).toISOString()} ${path}: ${why}`),
)}${list('Failures', examples)}${list('Syncs that failed', syncs.reasons)}`
}

function memoryRow({ name, firstMb, lastMb, maxMb, slopeMbPerHour, seriesMb, isFlat }: MemoryTrend): string {
  const slope = slopeMbPerHour === null ? 'too short' : `${slopeMbPerHour.toFixed(0)} MB/hour`
  const flat = isFlat === null ? 'not judged' : isFlat ? 'yes' : 'no'
  const life = seriesMb.map(mb => mb.toFixed(0)).join(' ')
  return `| ${name} | ${shown(firstMb)} | ${shown(lastMb)} | ${maxMb.toFixed(0)} | ${slope} | ${flat} | ${life} |`
}

/** A process that was killed just before the end has no samples, so 0 MB means that its memory was never measured. */
const shown = (mb: number) => (mb === 0 ? 'not seen' : mb.toFixed(0))

function list(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  return `\n## ${title}\n\n${lines.map(line => `- \`${line.replaceAll('`', "'").replaceAll(/\s+/g, ' ').slice(0, 300)}\``).join('\n')}\n`
}
