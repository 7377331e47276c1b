import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream'
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
  const door = await Door.openTo(one)
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
  readonly #open = new Set<Socket>()
  readonly #listener: Server

  private constructor(listener: Server) {
    this.#listener = listener
  }

  static async openTo(target: number): Promise<Door> {
    const listener = createServer()
    const door = new Door(listener)
    door.turnTo(target)
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    return door
  }

  get port(): number {
    const address = this.#listener.address()
    if (address === null || typeof address === 'string') throw new Error('The door is closed.')
    return address.port
  }

  /** Ends every connection; new ones lead to the port. */
  turnTo(port: number): void {
    this.#listener.removeAllListeners('connection')
    this.#listener.on('connection', outer => this.#forward(outer, port))
    for (const socket of this.#open) socket.destroy()
  }

  #forward(outer: Socket, port: number): void {
    const inner = createConnection({ host: '127.0.0.1', port, noDelay: true })
    outer.setNoDelay()
    this.#open.add(outer)
    // What one side cannot take yet must wait: a lost part of a statement would leave the server waiting for it.
    pipeline(outer, inner, outer, () => {
      this.#open.delete(outer)
      outer.destroy()
      inner.destroy()
    })
  }

  close(): void {
    this.#listener.close()
    for (const socket of this.#open) socket.destroy()
  }
}
