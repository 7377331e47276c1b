import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  /** Everything that came back, as text. */
  text: string
  status: number
  ms: number
}

interface RawOptions {
  timeoutMs?: number
  /** May go on sending. */
  after?: (socket: Socket) => void
  /** Whether what came back is all that is waited for; usually one answer with Content-Length. */
  isWhole?: (text: string) => boolean
}

/** Sends bytes as they are and gathers what comes back until it is whole or the server closes. */
export function rawRequest(
  port: number,
  bytes: string | Uint8Array,
  options: RawOptions = {},
): Promise<RawAnswer> {
  const startMs = performance.now()
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    let settled = false
    const end = () => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      socket.destroy()
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)
      resolve({ text, status, ms: performance.now() - startMs })
    }
    const timer = setTimeout(end, options.timeoutMs ?? 10_000)
    socket.on('connect', () => {
      socket.write(bytes)
      options.after?.(socket)
    })
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      if ((options.isWhole ?? isOneAnswer)(text)) end()
    })
    socket.on('error', () => {})
    socket.on('close', end)
  })
}

function isOneAnswer(text: string): boolean {
  const head = text.indexOf('\r\n\r\n')
  if (head < 0 || text.startsWith('HTTP/1.1 100')) return false
  const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1]
  return length !== undefined && text.length >= head + 4 + Number(length)
}
