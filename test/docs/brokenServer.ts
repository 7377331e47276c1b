import type { Socket } from 'bun'

/** What the proxy does to one answer.
 *
 * - `cut`: half of the body, then the connection breaks
 * - `truncate`: half of the body as if it were all, as of a proxy that lost the rest
 * - `error`: 500 with JSON in the body
 * - `wait`: 429 with Retry-After */
export type Fault = 'cut' | 'truncate' | 'error' | 'wait' | 'none'

export interface Seen {
  readonly name: string
  readonly range: string | null
  readonly ifRange: string | null
}

export interface BrokenServer {
  readonly url: string
  readonly seen: Seen[]
  /** The fault of each request; `count` is how often the same name was requested before. */
  faultOf: (name: string, count: number) => Fault
  /** Another content in place of a file, which counts from now on. */
  readonly replaced: Map<string, Uint8Array>
  /** Answers a range whatever `If-Range` says, as some servers do. */
  ignoresIfRange: boolean
  stop(): void
}

interface State {
  received: string
}

/**
 * A proxy that breaks the responses of `target`. It writes HTTP by hand, because a library would not send
 * less than it announced.
 */
export function brokenServer(target: string): BrokenServer {
  const listener = Bun.listen<State>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { received: '' }
      },
      async data(socket, bytes) {
        socket.data.received += bytes.toString('latin1')
        if (!socket.data.received.includes('\r\n\r\n')) return
        const [line = '', ...lines] = socket.data.received.split('\r\n')
        await answer(socket, line.split(' ')[1] ?? '/', lines)
      },
    },
  })
  const server: BrokenServer = {
    url: `http://127.0.0.1:${listener.port}`,
    seen: [],
    faultOf: () => 'none',
    replaced: new Map(),
    ignoresIfRange: false,
    stop: () => listener.stop(true),
  }

  async function answer(socket: Socket<State>, path: string, lines: readonly string[]): Promise<void> {
    const sent = new Headers()
    for (const [, name = '', value = ''] of lines.flatMap(line => [/^([\w-]+): (.*)$/.exec(line) ?? []]))
      if (name !== '') sent.set(name, value)
    const name = path.split('/').at(-1) ?? ''
    const count = server.seen.filter(seen => seen.name === name).length
    server.seen.push({ name, range: sent.get('range'), ifRange: sent.get('if-range') })
    const fault = server.faultOf(name, count)
    if (fault === 'error')
      return write(socket, '500 Internal Server Error', { 'Retry-After': '1' }, text('{"error":{}}'), false)
    if (fault === 'wait')
      return write(socket, '429 Too Many Requests', { 'Retry-After': '1' }, text('{"error":{}}'), false)
    const { status, headers, body } = await contentOf(path, name, sent)
    const half = body.subarray(0, Math.floor(body.length / 2))
    if (fault === 'truncate') return write(socket, status, headers, half, false)
    if (fault === 'cut')
      return write(socket, status, { ...headers, 'Content-Length': String(body.length) }, half, true)
    write(socket, status, headers, body, false)
  }

  async function contentOf(path: string, name: string, sent: Headers) {
    const other = path.includes('/latest/') ? undefined : server.replaced.get(name)
    if (other !== undefined) return replacedAnswer(other, sent, server.ignoresIfRange)
    const passed = ['authorization', 'range', 'if-range'].flatMap(key => {
      const value = sent.get(key)
      return value === null ? [] : [[key, value]]
    })
    const response = await fetch(target + path, { headers: Object.fromEntries(passed), redirect: 'manual' })
    const headers = Object.fromEntries(
      ['Content-Type', 'ETag', 'Content-Range', 'Location'].flatMap(key => {
        const value = response.headers.get(key)
        return value === null ? [] : [[key, value]]
      }),
    )
    return { status: `${response.status} Status`, headers, body: await response.bytes() }
  }

  return server
}

const text = (content: string) => new TextEncoder().encode(content)

/** The answer of a server that has other bytes in place of a file by now. */
function replacedAnswer(other: Uint8Array, sent: Headers, ignoresIfRange: boolean) {
  const tag = `"${new Bun.CryptoHasher('sha256').update(other).digest('hex')}"`
  const first = Number(/^bytes=(\d+)-$/.exec(sent.get('range') ?? '')?.[1] ?? 0)
  const isSame = ignoresIfRange || sent.get('if-range') === null || sent.get('if-range') === tag
  if (first === 0 || first >= other.length || !isSame)
    return { status: '200 OK', headers: { ETag: tag }, body: other }
  const range = `bytes ${first}-${other.length - 1}/${other.length}`
  return {
    status: '206 Partial Content',
    headers: { ETag: tag, 'Content-Range': range },
    body: other.subarray(first),
  }
}

function write(
  socket: Socket<State>,
  status: string,
  headers: Record<string, string>,
  body: Uint8Array,
  breaks: boolean,
): void {
  const all: Record<string, string> = {
    'Content-Length': String(body.length),
    Connection: 'close',
    ...headers,
  }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const content = Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${head.join('')}\r\n`), body])
  send(socket, content, breaks)
}

/** A socket takes what fits into its buffer; the rest goes when there is room. */
function send(socket: Socket<State>, content: Buffer, breaks: boolean): void {
  const written = socket.write(content)
  if (written >= 0 && written < content.length) {
    setTimeout(() => send(socket, content.subarray(written), breaks), 5)
    return
  }
  socket.flush()
  socket.end()
}
