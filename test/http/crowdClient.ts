import { connect, type Socket } from 'node:net'

/** A crowd of connections in a process of its own, so that it does not use the time of the client that is measured. Each sends
 * `bytes` and then a byte every `dripMs`. Prints `open` when all are connected and have sent, and at the end of its standard input
 * what became of them. */
export interface CrowdTask {
  port: number
  connections: number
  /** The address that they come from; of several, each in turn. */
  source: string | readonly string[]
  bytes: string
  /** Padding after `bytes`. */
  padding?: number
  dripMs?: number
  /** A connection that the server has closed is opened again after so long. */
  reopenMs?: number
}

export interface CrowdOutcome {
  /** Connections that were opened. */
  open: number
  closed: number
  /** Seconds from connected to closed, of the last to be closed. */
  lastClosedAfter: number
  statuses: Record<string, number>
}

export interface Crowd {
  /** What became of the connections until now; ends the crowd. */
  leave(): Promise<CrowdOutcome>
}

/** Starts a crowd, and returns when it is connected. */
export async function startCrowd(task: CrowdTask): Promise<Crowd> {
  // `nice`: real crowds do not share the processor with the server.
  const child = Bun.spawn(['nice', '-n', '19', 'bun', import.meta.path, JSON.stringify(task)], {
    stdin: 'pipe',
    stdout: 'pipe',
  })
  const lines = child.stdout.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const readUntil = async (mark: string) => {
    while (!text.includes(mark)) {
      const { done, value } = await lines.read()
      if (done) throw new Error(`The crowd ended early: ${text}`)
      text += decoder.decode(value, { stream: true })
    }
  }
  await readUntil('open\n')
  return {
    leave: async () => {
      child.stdin.end()
      await readUntil('}\n')
      await child.exited
      return JSON.parse(text.slice(text.indexOf('{')))
    },
  }
}

const maxConnectMs = 20_000

async function runCrowd(task: CrowdTask): Promise<void> {
  const { port, connections, source, bytes, padding = 0, dripMs, reopenMs } = task
  const outcome: CrowdOutcome = { open: 0, closed: 0, lastClosedAfter: 0, statuses: {} }
  const message = Buffer.from(bytes + 'a'.repeat(padding))
  const sources = typeof source === 'string' ? [source] : source
  const settled: Promise<void>[] = []
  const sockets = new Set<Socket>()
  const open = (index: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const localAddress = sources[index % sources.length]
    const socket = connect({
      port,
      host: '127.0.0.1',
      ...(localAddress === undefined ? {} : { localAddress }),
    })
    let openedAt = 0
    socket.on('connect', () => {
      openedAt = performance.now()
      outcome.open++
      // Not before: what is written while it connects nests until the stack is full.
      sockets.add(socket)
      socket.write(message, () => resolve())
    })
    socket.on('data', chunk => {
      const status = chunk.toString('latin1').slice(9, 12)
      outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      outcome.closed++
      outcome.lastClosedAfter = (performance.now() - openedAt) / 1_000
      sockets.delete(socket)
      resolve()
      if (reopenMs !== undefined) setTimeout(open, reopenMs, index)
    })
    return promise
  }
  for (let index = 0; index < connections; index++) settled.push(open(index))
  await Promise.race([Promise.all(settled), Bun.sleep(maxConnectMs)])
  console.log('open')
  if (dripMs !== undefined) dripInTurn(sockets, dripMs)
  for await (const _ of Bun.stdin.stream()) {
    // Nothing is sent: the end of the stream ends the crowd.
  }
  console.log(JSON.stringify(outcome))
  process.exit(0)
}

const turns = 20

/** A byte to each socket in each period, not to all at the same moment. */
function dripInTurn(sockets: ReadonlySet<Socket>, dripMs: number): void {
  let turn = 0
  setInterval(() => {
    turn = (turn + 1) % turns
    // Not behind bytes that still wait: those nest, too.
    for (const [index, socket] of [...sockets].entries())
      if (index % turns === turn && socket.writable && socket.writableLength === 0) socket.write('a')
  }, dripMs / turns)
}

if (import.meta.main) await runCrowd(JSON.parse(Bun.argv[2]))
