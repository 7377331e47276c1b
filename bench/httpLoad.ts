/** The load for bench/http.ts and bench/service.ts, in a process of its own so that it takes no time from the server it measures:
 * keep-alive connections over plain sockets, each sending its next request when it has read the whole answer.
 * Reads its task as JSON from the first argument, prints the outcome as JSON. */
export interface LoadTask {
  port: number
  path: string
  headers: Record<string, string>
  connections: number
  ms: number
  /** JSON to POST; a GET without it. */
  body?: string
  /** Each connection rests this long after an answer. */
  restMs?: number
}

export interface LoadOutcome {
  requests: number
  perSecond: number
  /** Answers other than 200. */
  failures: number
  bytes: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** What this process took of a processor while it asked. */
  cpuSeconds: number
}

const headerEnd = Buffer.from('\r\n\r\n')

/** Follows one connection: says when an answer is complete. Answers come one at a time. */
class AnswerReader {
  #pending: Buffer | null = null
  #bodyLeft = -1
  ok = true

  /** True when the chunk completed the answer. */
  feed(chunk: Buffer): boolean {
    if (this.#bodyLeft >= 0) {
      this.#bodyLeft -= chunk.length
      return this.#done()
    }
    const bytes = this.#pending === null ? chunk : Buffer.concat([this.#pending, chunk])
    const end = bytes.indexOf(headerEnd)
    if (end < 0) {
      this.#pending = bytes
      return false
    }
    const head = bytes.toString('latin1', 0, end)
    this.ok = head.startsWith('HTTP/1.1 200')
    this.#pending = null
    this.#bodyLeft = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) - (bytes.length - end - 4)
    return this.#done()
  }

  #done(): boolean {
    if (this.#bodyLeft > 0) return false
    this.#bodyLeft = -1
    return true
  }
}

async function load(task: LoadTask): Promise<LoadOutcome> {
  const lines = Object.entries({ Host: `127.0.0.1:${task.port}`, ...task.headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const request = Buffer.from(
    task.body === undefined
      ? `GET ${task.path} HTTP/1.1\r\n${head}\r\n`
      : `POST ${task.path} HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(task.body)}\r\n\r\n${task.body}`,
  )
  const times: number[] = []
  let failures = 0
  let bytes = 0
  let running = true
  const start = performance.now()
  const cpuBefore = process.cpuUsage()
  const sockets = await Promise.all(
    Array.from({ length: task.connections }, () => {
      const reader = new AnswerReader()
      let sent = 0
      const send = (socket: { write(data: Buffer): number }) => {
        sent = performance.now()
        socket.write(request)
      }
      return Bun.connect({
        hostname: '127.0.0.1',
        port: task.port,
        socket: {
          open: send,
          data(socket, chunk) {
            bytes += chunk.length
            if (!reader.feed(chunk) || !running) return
            times.push(performance.now() - sent)
            if (!reader.ok) failures++
            if (task.restMs === undefined) send(socket)
            else setTimeout(() => running && send(socket), task.restMs)
          },
        },
      })
    }),
  )
  await Bun.sleep(task.ms)
  running = false
  const seconds = (performance.now() - start) / 1_000
  const cpu = process.cpuUsage(cpuBefore)
  for (const socket of sockets) socket.end()
  const sorted = Float64Array.from(times).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return {
    requests: times.length,
    perSecond: times.length / seconds,
    failures,
    bytes,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  }
}

if (import.meta.main) {
  const outcome = await load(JSON.parse(Bun.argv[2]))
  console.log(JSON.stringify(outcome))
  process.exit(0)
}
