import { dlopen, FFIType, ptr } from 'bun:ffi'
import { readdir } from 'node:fs/promises'
import type { Logger } from 'pino'
import { clientAddressReader, proxyMatcher } from './clientAddress.ts'

/** Caps on open connections. Bun's listener has none, and none of our code runs before a request is complete.
 * Without caps, one client can use up the process's file descriptors and lock out every other client. So the
 * process inspects its own sockets twice a second and shuts down those over a cap. */

export interface ConnectionCaps {
  readonly total: number
  /** IPv6 addresses count by /64. */
  readonly perAddress: number
}

export interface Connection {
  readonly fd: number
  readonly address: string
}

/** The connections to close. The fifth connection of one address goes before the fourth of any other, so a
 * crowd from one address displaces only itself. Among equals, the highest descriptor goes, which is usually
 * the newest. */
export function connectionsOverCaps(
  connections: readonly Connection[],
  { total, perAddress }: ConnectionCaps,
): Connection[] {
  if (connections.length <= Math.min(total, perAddress)) return []
  const counts = new Map<string, number>()
  for (const { address } of connections) counts.set(address, (counts.get(address) ?? 0) + 1)
  if (connections.length <= total && [...counts.values()].every(count => count <= perAddress)) return []
  counts.clear()
  const ranked = connections
    .toSorted((a, b) => a.fd - b.fd)
    .map(connection => {
      const rank = (counts.get(connection.address) ?? 0) + 1
      counts.set(connection.address, rank)
      return { connection, rank }
    })
  ranked.sort((a, b) => b.rank - a.rank || b.connection.fd - a.connection.fd)
  const excess = ranked.length - total
  return ranked.filter(({ rank }, index) => index < excess || rank > perAddress).map(one => one.connection)
}

const everyMs = 500
const reportEveryMs = 10_000

export interface WatchedServer {
  readonly port: number
  readonly caps: ConnectionCaps
  /** Connections from these proxies are neither counted nor closed: a proxy has caps of its own. */
  readonly trustedProxies: readonly string[]
  readonly log: Logger
  /** Called with the number of connections closed. */
  readonly onClosed?: (count: number) => void
}

/** Closes connections to `port` of this process that exceed the caps. Returns a function that stops the
 * watch. */
export function capConnections({ port, caps, trustedProxies, log, onClosed }: WatchedServer): () => void {
  const sockets = openSystemSockets()
  if (sockets === null) {
    log.warn('Connections are not capped on this system. Put a proxy with connection limits in front.')
    return () => {}
  }
  const isExempt = proxyMatcher(trustedProxies)
  const keyOf = clientAddressReader([])
  const minCap = Math.min(caps.total, caps.perAddress)
  let closed = 0
  let reportedAt = Number.NEGATIVE_INFINITY
  const sweep = async () => {
    const descriptors = await sockets.descriptors()
    // No cap is exceeded even if a single client has all of these connections.
    if (descriptors.length <= minCap) return
    const connections: Connection[] = []
    const addressOf = (fd: number) => {
      const peer = sockets.peerOf(fd, port)
      return peer === null || isExempt(peer) ? null : keyOf(peer, null)
    }
    await inSlices(descriptors, fd => {
      const address = addressOf(fd)
      if (address !== null) connections.push({ fd, address })
    })
    // The descriptor may meanwhile belong to another client.
    const over = connectionsOverCaps(connections, caps).filter(({ fd, address }) => addressOf(fd) === address)
    for (const { fd } of over) sockets.close(fd)
    closed += over.length
    if (over.length > 0) onClosed?.(over.length)
    if (closed === 0 || performance.now() - reportedAt < reportEveryMs) return
    log.warn(
      { closed, address: over.at(0)?.address, open: connections.length - over.length },
      'Connections over MAX_CONNECTIONS, or over an eighth of it from one address, were closed.',
    )
    closed = 0
    reportedAt = performance.now()
  }
  const report = (err: unknown) => log.warn({ err }, 'The open connections could not be counted.')
  return repeatedly(() => sweep().catch(report), everyMs)
}

/** Runs `task` repeatedly, waiting `pauseMs` after each run. Returns a function that stops it. */
function repeatedly(task: () => Promise<void>, pauseMs: number): () => void {
  let timer: Timer
  let stopped = false
  const next = () => {
    if (!stopped) timer = setTimeout(run, pauseMs).unref()
  }
  const run = () => task().finally(next)
  next()
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

const sliceMs = 0.5
const betweenLooksAtClock = 16

/** Calls `look` for each item in slices: thousands of items take tens of milliseconds, so requests are served
 * in between. */
async function inSlices<T>(items: readonly T[], look: (item: T) => void): Promise<void> {
  let endMs = performance.now() + sliceMs
  for (const [index, item] of items.entries()) {
    look(item)
    if (index % betweenLooksAtClock !== 0 || performance.now() < endMs) continue
    await new Promise(resolve => setTimeout(resolve, 1))
    endMs = performance.now() + sliceMs
  }
}

interface SystemSockets {
  /** All file descriptors of this process. */
  descriptors(): Promise<number[]>
  /** The remote address if `fd` is a connection to our `port`, else null. */
  peerOf(fd: number, port: number): string | null
  /** Shuts the connection down as if the client had closed it; Bun then closes the descriptor itself. */
  close(fd: number): void
}

const shutBothWays = 2
const isMac = process.platform === 'darwin'
const muslArchitecture = process.arch === 'arm64' ? 'aarch64' : 'x86_64'
const systemLibraries = isMac ? ['libSystem.B.dylib'] : ['libc.so.6', `libc.musl-${muslArchitecture}.so.1`]

/** Returns null if the system's C library was not found. */
function openSystemSockets(): SystemSockets | null {
  for (const library of systemLibraries) {
    try {
      return systemSockets(library)
    } catch {}
  }
  return null
}

const maxAddressBytes = 128
const ipv4Bytes = 16

function systemSockets(library: string): SystemSockets {
  const name = { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 } as const
  const { symbols } = dlopen(library, {
    getsockname: name,
    getpeername: name,
    shutdown: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
  })
  // Each has its own ArrayBuffer: the engine may move the bytes of a small typed array, and the system would
  // write to the old address.
  const address = new Uint8Array(new ArrayBuffer(maxAddressBytes))
  const length = new Int32Array(new ArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const [addressAt, lengthAt] = [ptr(address), ptr(length)]
  return {
    descriptors: async () => (await readdir(isMac ? '/dev/fd' : '/proc/self/fd')).map(Number),
    peerOf(fd, port) {
      length[0] = maxAddressBytes
      if (symbols.getsockname(fd, addressAt, lengthAt) !== 0 || portOf(address) !== port) return null
      length[0] = maxAddressBytes
      if (symbols.getpeername(fd, addressAt, lengthAt) !== 0) return null
      return length[0] === ipv4Bytes ? ipv4Text(address) : ipv6Text(address)
    },
    close: fd => {
      symbols.shutdown(fd, shutBothWays)
    },
  }
}

/** In a socket address, the port and the IPv4 address have the same offset on all systems, as does the IPv6
 * address. */
const portOf = (address: Uint8Array) => address[2] * 256 + address[3]
const ipv4Text = (address: Uint8Array) => `${address[4]}.${address[5]}.${address[6]}.${address[7]}`

function ipv6Text(address: Uint8Array): string {
  const groups = Array.from(
    { length: 8 },
    (_, group) => address[8 + 2 * group] * 256 + address[9 + 2 * group],
  )
  return groups.map(group => group.toString(16)).join(':')
}
