import { type Latencies, latencies } from './httpLoad/latencies.ts'
import { ResponseReader } from './httpLoad/responseReader.ts'
import { ResponseRecorder } from './httpLoad/responseRecorder.ts'

/** The load generator of bench/http.ts, bench/service.ts and bench/scale.ts. It is its own process, so that it does not use
 * the time of the measured server. Keep-alive connections over plain sockets each send the next request after the whole
 * response, or requests arrive at a fixed rate. Reads its task as JSON from the first argument and prints the outcome as JSON. SIGTERM ends it early. */

interface SharedTask {
  port: number
  headers: Record<string, string>
  connections: number
  ms: number
  /** JSON to POST. Default: a GET request. */
  body?: string
  /** Pause of each connection after a response. */
  restMs?: number
  /** Requests arrive at this rate whether or not earlier ones have been answered, and latency counts from the arrival. A
   * request that finds all connections busy waits for the first free one. By default, each connection sends the next
   * request after a response. */
  arrivalsPerSecond?: number
  /** The file to which the distinct responses to requests with `recordAs` are written, one `RecordedResponse` per line. */
  record?: string
}

/** Repeats one request. */
interface OneRequest extends SharedTask {
  path: string
}

/** Sends a list of requests in order, distributed over all connections. */
interface ManyRequests extends SharedTask {
  /** A file with one `LoadRequest` per line. */
  requests: string
  /** Ends when all are sent. Default: starts over. */
  once?: boolean
}

export type LoadTask = OneRequest | ManyRequests

export interface LoadRequest {
  readonly path: string
  /** Requests of a kind are also reported separately. */
  readonly kind?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Records the responses under this name. */
  readonly recordAs?: string
}

export interface LoadOutcome extends Latencies {
  perSecond: number
  /** Responses other than 200, missing responses, and closed connections. */
  failures: number
  /** The first of the failures. */
  failed: string[]
  bytes: number
  /** Processor time of this process during the load. */
  cpuSeconds: number
  kinds: Record<string, Latencies>
  slowest: { path: string; ms: number }[]
  /** Responses that exceeded the limits of the recorder. */
  notRecorded: number
}

/** The maximum number of arrivals that wait for a connection. Any more count as failures. */
const maxWaiting = 20_000
const maxSlowest = 5
const maxFailed = 5
/** How long to wait for outstanding responses at the end. */
const drainMs = 15_000

interface PreparedRequest {
  readonly kind: string | null
  readonly recordAs: string | null
  readonly path: string
  readonly bytes: Buffer
}

async function readRequests(task: LoadTask): Promise<PreparedRequest[]> {
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
  const record = task.record === undefined ? null : new ResponseRecorder()
  const times: number[] = []
  const timesByKind: Record<string, number[]> = {}
  const slowest: { path: string; ms: number }[] = []
  const failed: string[] = []
  let failures = 0
  let bytes = 0
  let next = 0
  let outstanding = 0
  let running = true
  let ended = 0
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const fail = (what: string) => {
    failures++
    if (failed.length < maxFailed) failed.push(what)
  }
  const stop = () => {
    if (ended === 0) ended = performance.now()
    running = false
    end()
  }
  /** Arrivals that wait for a connection, and connections that wait for an arrival. */
  const waiting: number[] = []
  const idle: (() => void)[] = []
  const isOnce = 'once' in task && task.once === true
  const note = ({ kind, path }: PreparedRequest, ms: number) => {
    times.push(ms)
    if (kind !== null) {
      timesByKind[kind] ??= []
      timesByKind[kind].push(ms)
    }
    if (slowest.length < maxSlowest || ms > slowest[slowest.length - 1].ms) {
      slowest.push({ path, ms })
      slowest.sort((a, b) => b.ms - a.ms)
      slowest.length = Math.min(slowest.length, maxSlowest)
    }
  }
  const start = performance.now()
  const cpuBefore = process.cpuUsage()
  process.on('SIGTERM', stop)
  const sockets = await Promise.all(
    Array.from({ length: task.connections }, () => {
      const reader = new ResponseReader(record !== null)
      let sentAt = 0
      let sent: PreparedRequest | null = null
      const send = (socket: { write(data: Buffer): number }) => {
        if (!running) return
        const arrivedAt = task.arrivalsPerSecond === undefined ? performance.now() : waiting.shift()
        if (arrivedAt === undefined) {
          idle.push(() => send(socket))
          return
        }
        if (isOnce && next >= requests.length) {
          if (outstanding === 0) stop()
          return
        }
        sent = requests[next++ % requests.length]
        outstanding++
        sentAt = arrivedAt
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
            outstanding--
            if (task.restMs === undefined) send(socket)
            else setTimeout(() => send(socket), task.restMs)
          },
          close() {
            if (sent !== null) {
              fail(`${sent.path}: the connection was closed`)
              sent = null
              outstanding--
            } else if (running) fail('a connection was closed between two requests')
          },
        },
      })
    }),
  )
  const arriving =
    task.arrivalsPerSecond === undefined
      ? null
      : arrive(task.arrivalsPerSecond, at => {
          if (!running) return false
          if (waiting.length >= maxWaiting) fail('an arrival found too many others waiting')
          else waiting.push(at)
          idle.shift()?.()
          return true
        })
  await Promise.race([over, Bun.sleep(task.ms)])
  stop()
  await arriving
  const cpu = process.cpuUsage(cpuBefore)
  const seconds = (ended - start) / 1_000
  const completed = times.length
  while (outstanding > 0 && performance.now() < ended + drainMs) await Bun.sleep(10)
  for (let i = 0; i < outstanding; i++) fail(`no response for ${drainMs / 1_000} s`)
  for (const socket of sockets) socket.end()
  if (task.record !== undefined) await record?.write(task.record)
  return {
    ...latencies(times),
    perSecond: completed / seconds,
    failures,
    failed,
    bytes,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
    kinds: Object.fromEntries(Object.entries(timesByKind).map(([kind, found]) => [kind, latencies(found)])),
    slowest,
    notRecorded: record?.notRecorded ?? 0,
  }
}

/** Calls `begin` with the time of each arrival, at regular intervals, until it returns false. If a timer fires late, the
 * missed arrivals follow at once, each with the time at which it was due. */
async function arrive(perSecond: number, begin: (at: number) => boolean): Promise<void> {
  const start = performance.now()
  for (let count = 0; ; ) {
    const due = ((performance.now() - start) * perSecond) / 1_000
    for (; count < due; count++) if (!begin(start + (count / perSecond) * 1_000)) return
    await Bun.sleep(1)
  }
}

if (import.meta.main) {
  const outcome = await load(JSON.parse(Bun.argv[2]))
  console.log(JSON.stringify(outcome))
  process.exit(0)
}
