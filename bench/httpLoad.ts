import { AnswerReader } from './httpLoad/AnswerReader.ts'
import { AnswerRecord } from './httpLoad/AnswerRecord.ts'
import { type Latencies, latencies } from './httpLoad/latencies.ts'

/** The load for bench/http.ts, bench/service.ts and bench/scale.ts, in a process of its own so that it takes no time from the
 * server it measures: keep-alive connections over plain sockets, each sending its next request when it has read the whole
 * answer. Reads its task as JSON from the first argument, prints the outcome as JSON. SIGTERM ends it before its time. */

interface SharedTask {
  port: number
  headers: Record<string, string>
  connections: number
  ms: number
  /** JSON to POST; a GET without it. */
  body?: string
  /** Each connection rests this long after an answer. */
  restMs?: number
  /** A file that takes the answers to requests that ask for it, each that differs from those before (`RecordedAnswer`, a
   * line each). */
  record?: string
}

/** The same request again and again. */
interface OneRequest extends SharedTask {
  path: string
}

/** Requests in turns, of all connections together. */
interface ManyRequests extends SharedTask {
  /** A file with one `LoadRequest` a line. */
  requests: string
  /** Ends when all were sent; else the first follows the last. */
  once?: boolean
}

export type LoadTask = OneRequest | ManyRequests

export interface LoadRequest {
  readonly path: string
  /** Requests of a kind are also counted by themselves. */
  readonly kind?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Answers are recorded under this name. */
  readonly recordAs?: string
}

export interface LoadOutcome extends Latencies {
  perSecond: number
  /** Answers other than 200, answers that did not come, and connections that were closed. */
  failures: number
  /** The first of them. */
  failed: string[]
  bytes: number
  /** What this process took of a processor while it asked. */
  cpuSeconds: number
  kinds: Record<string, Latencies>
  slowest: { path: string; ms: number }[]
  /** Answers for which the record had no room. */
  lost: number
}

const slowestNamed = 5
const failuresNamed = 5
/** How long what is under way at the end is waited for. */
const patienceMs = 15_000

interface Sent {
  readonly kind: string | null
  readonly recordAs: string | null
  readonly path: string
  readonly bytes: Buffer
}

async function readRequests(task: LoadTask): Promise<Sent[]> {
  const lines = 'path' in task ? [] : (await Bun.file(task.requests).text()).split('\n').filter(line => line)
  const requests: LoadRequest[] = 'path' in task ? [{ path: task.path }] : lines.map(line => JSON.parse(line))
  return requests.map(({ path, kind, headers, recordAs }) => {
    const fields = Object.entries({ Host: `127.0.0.1:${task.port}`, ...task.headers, ...headers })
    const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const bytes = Buffer.from(
      task.body === undefined
        ? `GET ${path} HTTP/1.1\r\n${head}\r\n`
        : `POST ${path} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(task.body)}\r\n\r\n${task.body}`,
    )
    return { kind: kind ?? null, recordAs: recordAs ?? null, path, bytes }
  })
}

async function load(task: LoadTask): Promise<LoadOutcome> {
  const requests = await readRequests(task)
  const record = task.record === undefined ? null : new AnswerRecord()
  const times: number[] = []
  const ofKinds: Record<string, number[]> = {}
  const slowest: { path: string; ms: number }[] = []
  const failed: string[] = []
  let failures = 0
  let bytes = 0
  let next = 0
  let underWay = 0
  let running = true
  let ended = 0
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const fail = (what: string) => {
    failures++
    if (failed.length < failuresNamed) failed.push(what)
  }
  const stop = () => {
    if (ended === 0) ended = performance.now()
    running = false
    end()
  }
  const isOnce = 'once' in task && task.once === true
  const note = ({ kind, path }: Sent, ms: number) => {
    times.push(ms)
    if (kind !== null) {
      ofKinds[kind] ??= []
      ofKinds[kind].push(ms)
    }
    if (slowest.length < slowestNamed || ms > slowest[slowest.length - 1].ms) {
      slowest.push({ path, ms })
      slowest.sort((a, b) => b.ms - a.ms)
      slowest.length = Math.min(slowest.length, slowestNamed)
    }
  }
  const start = performance.now()
  const cpuBefore = process.cpuUsage()
  process.on('SIGTERM', stop)
  const sockets = await Promise.all(
    Array.from({ length: task.connections }, () => {
      const reader = new AnswerReader(record !== null)
      let sentAt = 0
      let sent: Sent | null = null
      const send = (socket: { write(data: Buffer): number }) => {
        if (!running) return
        if (isOnce && next >= requests.length) {
          if (underWay === 0) stop()
          return
        }
        sent = requests[next++ % requests.length]
        underWay++
        sentAt = performance.now()
        socket.write(sent.bytes)
      }
      return Bun.connect({
        hostname: '127.0.0.1',
        port: task.port,
        socket: {
          open: send,
          data(socket, chunk) {
            bytes += chunk.length
            if (!reader.feed(chunk) || sent === null) return
            note(sent, performance.now() - sentAt)
            if (!reader.ok) fail(`${sent.path}: ${reader.head.split('\r\n')[0]}`)
            else if (sent.recordAs !== null) record?.add(sent.recordAs, reader.header('etag'), reader.body)
            sent = null
            underWay--
            if (task.restMs === undefined) send(socket)
            else setTimeout(() => send(socket), task.restMs)
          },
          close() {
            if (sent !== null) {
              fail(`${sent.path}: the connection was closed`)
              sent = null
              underWay--
            } else if (running) fail('a connection was closed between two requests')
          },
        },
      })
    }),
  )
  await Promise.race([over, Bun.sleep(task.ms)])
  stop()
  const cpu = process.cpuUsage(cpuBefore)
  const seconds = (ended - start) / 1_000
  const inTime = times.length
  while (underWay > 0 && performance.now() < ended + patienceMs) await Bun.sleep(10)
  for (let i = 0; i < underWay; i++) fail(`no answer for ${patienceMs / 1_000} s`)
  for (const socket of sockets) socket.end()
  if (task.record !== undefined) await record?.write(task.record)
  return {
    ...latencies(times),
    perSecond: inTime / seconds,
    failures,
    failed,
    bytes,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    kinds: Object.fromEntries(Object.entries(ofKinds).map(([kind, found]) => [kind, latencies(found)])),
    slowest,
    lost: record?.lost ?? 0,
  }
}

if (import.meta.main) {
  const outcome = await load(JSON.parse(Bun.argv[2]))
  console.log(JSON.stringify(outcome))
  process.exit(0)
}
