import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PostgresNode } from '../../../deploy/cluster/postgresNode.ts'
import { freePorts } from '../../../deploy/cluster/processes.ts'
import { connect, type Sql } from '../../../src/postgres/client.ts'
import { migrate } from '../../../src/postgres/migrations.ts'
import { leaveEmpty } from '../../database.ts'

export interface ReplicaPair {
  readonly primary: PostgresNode
  readonly replica: PostgresNode
  /** An address that leads to one of the nodes, as HAProxy's does. */
  readonly door: Door
  /** The primary's, through the door. */
  readonly url: string
  /** Statements of the superuser on the replica. */
  onReplica<T extends object>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Waits until the replica has replayed what the primary has. */
  caughtUp(): Promise<void>
  close(): Promise<void>
}

/** A migrated primary, in which a server loads no sample, and a streaming replica of it. Nothing waits for a disk. */
export async function startPair(): Promise<ReplicaPair> {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-pair-'))
  const [one, two] = freePorts(2)
  const fast = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'shared_buffers=32MB']
  const primary = await PostgresNode.primary('db-one', resolve(folder, 'one'), one, fast)
  const sql = connect({ url: primary.serviceUrl, connections: 2, statementTimeoutMs: 60_000 })
  await migrate(sql)
  await leaveEmpty(sql)
  await sql.end()
  const replica = await PostgresNode.replica('db-two', resolve(folder, 'two'), two, primary)
  await replica.start()
  const door = new Door(one)
  const url = Object.assign(new URL(primary.serviceUrl), { port: String(door.port) }).href
  const admin = replica.admin()
  return {
    primary,
    replica,
    door,
    url,
    onReplica: work => work(admin),
    caughtUp: () => replica.untilReplayed(primary),
    async close() {
      await admin.end({ timeout: 0 })
      await Promise.all([primary.end('SIGKILL'), replica.end('SIGKILL')])
      door.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Forwards connections to a port of loopback that can be changed. */
export class Door {
  #target: number
  readonly #open = new Set<Bun.Socket<Passage>>()
  readonly #listener: Bun.TCPSocketListener<Passage>

  constructor(target: number) {
    this.#target = target
    const open = this.#open
    const leadTo = () => this.#target
    this.#listener = Bun.listen<Passage>({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open(socket) {
          open.add(socket)
          socket.data = { inner: null, waiting: [] }
          Bun.connect<null>({
            hostname: '127.0.0.1',
            port: leadTo(),
            data: null,
            socket: {
              open(inner) {
                socket.data.inner = inner
                for (const chunk of socket.data.waiting) inner.write(chunk)
              },
              data: (_, chunk) => void socket.write(chunk),
              close: () => void socket.end(),
              connectError: () => void socket.end(),
            },
          }).catch(() => socket.end())
        },
        data(socket, chunk) {
          const { inner, waiting } = socket.data
          if (inner === null) waiting.push(Buffer.from(chunk))
          else inner.write(chunk)
        },
        close(socket) {
          open.delete(socket)
          socket.data.inner?.end()
        },
      },
    })
  }

  get port(): number {
    return this.#listener.port
  }

  /** Ends every connection; new ones lead to the port. */
  turnTo(port: number): void {
    this.#target = port
    for (const socket of this.#open) socket.end()
  }

  close(): void {
    this.#listener.stop(true)
  }
}

interface Passage {
  inner: Bun.Socket<null> | null
  readonly waiting: Buffer[]
}
