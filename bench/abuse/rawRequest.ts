import { connect } from 'node:net'

/** One request over its own connection, which may misbehave in the ways below. `fetch` never misbehaves, and always sends
 * from the same address. */
export interface RawRequest {
  readonly port: number
  /** The address of this machine from which it is sent. */
  readonly source: string
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** The Content-Length to announce, if it is not the length of the body. */
  readonly announcedBytes?: number
  /** Sends the body slowly, `bytes` every `everyMs`. By default it is sent as fast as possible. */
  readonly drip?: { readonly bytes: number; readonly everyMs: number }
  /** Sends the request this many times at once on one connection. */
  readonly pipelined?: number
  /** Reads the answer slowly. By default it is read as fast as possible. */
  readonly readBytesPerSecond?: number
  /** Closes the connection after this many bytes of the answer. */
  readonly leaveAfterBytes?: number
}

/** The status of the first response, or what happened instead. */
export type RawOutcome = string

const sliceBytes = 256 * 1_024

/** Sends a request. Resolves when the connection is closed, or at the latest when `over` aborts. */
export async function sendRaw(request: RawRequest, over: AbortSignal): Promise<RawOutcome> {
  const { port, source, readBytesPerSecond, leaveAfterBytes = Number.POSITIVE_INFINITY } = request
  const closed = Promise.withResolvers<void>()
  const socket = connect({ port, host: '127.0.0.1', localAddress: source })
  let outcome = 'closed without an answer'
  let received = 0
  const leave = () => socket.destroy()
  over.addEventListener('abort', leave)
  socket.on('error', () => {})
  socket.on('close', () => closed.resolve())
  socket.on('data', (chunk: Buffer) => {
    if (received === 0) outcome = chunk.toString('latin1', 9, 12)
    received += chunk.length
    if (received >= leaveAfterBytes) return leave()
    if (readBytesPerSecond === undefined) return
    socket.pause()
    setTimeout(() => socket.resume(), (1_000 * chunk.length) / readBytesPerSecond)
  })
  socket.on('connect', () => {
    writeAll(socket, request, closed.promise).catch(leave)
  })
  await closed.promise
  over.removeEventListener('abort', leave)
  return over.aborted && received === 0 ? 'no answer until the end' : outcome
}

/** The request line and headers. */
export function headOf({
  port,
  method = 'GET',
  path,
  headers,
  body,
  announcedBytes,
  pipelined = 1,
}: RawRequest) {
  const length = announcedBytes ?? body?.length
  const fields = {
    Host: `127.0.0.1:${port}`,
    ...(pipelined > 1 ? {} : { Connection: 'close' }),
    ...(length === undefined ? {} : { 'Content-Length': `${length}` }),
    ...headers,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
}

async function writeAll(
  socket: ReturnType<typeof connect>,
  request: RawRequest,
  closed: Promise<void>,
): Promise<void> {
  const { body = new Uint8Array(0), drip, pipelined = 1 } = request
  const step = drip?.bytes ?? sliceBytes
  for (let copy = 0; copy < pipelined; copy++) {
    socket.write(headOf(request))
    for (let at = 0; at < body.length && !socket.destroyed; at += step) {
      const isTaken = socket.write(body.subarray(at, at + step))
      if (drip !== undefined) await Promise.race([Bun.sleep(drip.everyMs), closed])
      // Waits until the socket has drained, so that a body of many megabytes is not buffered here as well.
      else if (!isTaken) await Promise.race([drained(socket), closed])
    }
  }
}

const drained = (socket: ReturnType<typeof connect>) =>
  new Promise<void>(resolve => {
    socket.once('drain', () => resolve())
  })
