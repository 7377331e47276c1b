import { connect } from 'node:net'
import {
  type Abuse,
  type AbuseKind,
  addressOf,
  asDemo,
  csvType,
  equalRows,
  flood,
  joinPath,
} from '../abuse.ts'

const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

export const slowTools: AbuseKind = {
  about: '200 messages to /mcp, a byte every half second',
  prepare: () => abuse =>
    flood(abuse, 200, sender => ({
      source: addressOf(4, sender),
      method: 'POST',
      path: '/mcp',
      headers: { ...asDemo, ...json },
      body: new Uint8Array(10_000).fill(0x20),
      drip: { bytes: 1, everyMs: 500 },
    })),
}

export const slowUploads: AbuseKind = {
  about: '24 uploads with the demo key that announce 256 MB and arrive barely faster than the minimum speed',
  prepare: () => {
    const body = equalRows(1_000_000)
    return abuse =>
      flood(abuse, 24, sender => ({
        source: addressOf(5, sender),
        method: 'POST',
        path: joinPath,
        headers: { ...asDemo, ...csvType },
        body,
        announcedBytes: 256 * 1_024 * 1_024,
        drip: { bytes: 20_000, everyMs: 1_000 },
      }))
  },
}

export const unfinishedHeads: AbuseKind = {
  about:
    '400 connections from four addresses that send nothing, or one header line per second without ever ending the head',
  prepare: () => abuse =>
    Promise.all(
      Array.from({ length: 400 }, (_, n) =>
        holdHead(abuse, addressOf(6, n % 4), n % 2 === 0 ? null : 'X-Wait: a\r\n'),
      ),
    ),
}

/** Opens a connection, and opens another one whenever the server closes it. */
async function holdHead({ port, over, count }: Abuse, source: string, line: string | null): Promise<void> {
  while (!over.aborted) {
    const closed = Promise.withResolvers<void>()
    const socket = connect({ port, host: '127.0.0.1', localAddress: source })
    const leave = () => socket.destroy()
    over.addEventListener('abort', leave)
    socket.on('error', () => {})
    socket.on('close', () => closed.resolve())
    if (line !== null) socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`)
    const timer = setInterval(() => {
      if (line !== null && !socket.destroyed) socket.write(line)
    }, 1_000)
    await closed.promise
    clearInterval(timer)
    over.removeEventListener('abort', leave)
    count(over.aborted ? 'open until the end' : 'closed by the server')
    if (!over.aborted) await Bun.sleep(200)
  }
}

export const slowReaders: AbuseKind = {
  about:
    '40 readers of large answers at 2 KB a second; some send four requests at once, and some disconnect midway',
  prepare: () => {
    const body = equalRows(100_000)
    return abuse =>
      flood(abuse, 40, (sender, sent) => {
        const source = addressOf(7, sender)
        const join = {
          source,
          method: 'POST',
          path: joinPath,
          headers: { ...asDemo, ...csvType },
          body,
        } as const
        if (sender % 4 === 0) return { ...join, readBytesPerSecond: 2_000, pipelined: 4 }
        if (sender % 4 === 1) return { ...join, leaveAfterBytes: 100_000 }
        if (sender % 4 === 2) return { ...join, readBytesPerSecond: 2_000 }
        const path = ['/openapi.json', '/companies/AAPL/download', '/companies/AAPL'][sent % 3]
        return { source, path, readBytesPerSecond: 2_000, pipelined: 4 }
      })
  },
}
