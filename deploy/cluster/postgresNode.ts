import {
  appendFileSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { resolve } from 'node:path'
import { connect, type Sql } from '../../src/postgres/client.ts'
import { adminUrl, databaseName } from '../../src/postgres/embedded/admin.ts'
import { type ClusterLocation, prepareCluster } from '../../src/postgres/embedded/folder.ts'
import { serverEnvironment, wrap } from '../../src/postgres/embedded/identity.ts'
import { prepareDatabase } from '../../src/postgres/embedded/roles.ts'
import { childrenOf, Part, until } from './processes.ts'

/** The user of HAProxy's check. It may connect from this machine without a password, and has no rights. */
const checkUser = 'haproxy_check'

/** One PostgreSQL of the cluster, with its own folder and a port on the loopback interface. */
export class PostgresNode {
  readonly name: string
  readonly port: number
  readonly location: ClusterLocation
  readonly #part: Part
  #serviceUrl: string

  private constructor(
    name: string,
    port: number,
    location: ClusterLocation,
    serviceUrl: string,
    readonly more: readonly string[],
  ) {
    this.name = name
    this.port = port
    this.location = location
    this.#serviceUrl = serviceUrl
    const args = ['-D', location.cluster, ...[...settings(port), ...more].flatMap(setting => ['-c', setting])]
    const [program, programArgs, { uid, gid }] = wrap(location.account, location.binaries.postgres, args)
    // Bun cannot start a program as another user, but setpriv can.
    const command =
      uid === undefined
        ? [program, ...programArgs]
        : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', program, ...programArgs]
    this.#part = new Part(name, command, serverEnvironment, resolve(location.cluster, '..', 'postgres.log'))
  }

  /** A new primary with an empty database.
   *
   * @param more settings of this node and of its replicas */
  static async primary(
    name: string,
    folder: string,
    port: number,
    more: readonly string[] = [],
  ): Promise<PostgresNode> {
    mkdirSync(folder, { recursive: true, mode: 0o711 })
    const location = await prepareCluster(folder, () => {})
    // Placed before the lines of initdb, because the first matching line decides.
    const rules = resolve(location.cluster, 'pg_hba.conf')
    writeFileSync(rules, `host postgres ${checkUser} 127.0.0.1/32 trust\n${readFileSync(rules, 'utf8')}`)
    const node = new PostgresNode(name, port, location, '', more)
    await node.start()
    node.#serviceUrl = await prepareDatabase(location, port)
    const admin = node.admin('postgres')
    await admin.unsafe(`create role ${checkUser} login nosuperuser nocreatedb nocreaterole noreplication`)
    await admin.unsafe(`grant connect on database postgres to ${checkUser}`)
    await admin.end()
    return node
  }

  /** A streaming replica of `primary`, as docs/scaling.md describes it. PostgreSQL is not started. */
  static async replica(
    name: string,
    folder: string,
    port: number,
    primary: PostgresNode,
  ): Promise<PostgresNode> {
    const cluster = resolve(folder, 'database/cluster')
    const location = { ...primary.location, cluster, log: resolve(cluster, 'server.log') }
    const url = Object.assign(new URL(primary.serviceUrl), { port: String(port) }).href
    const node = new PostgresNode(name, port, location, url, primary.more)
    await node.copyFrom(primary)
    return node
  }

  /** Makes this node a replica of `primary`, whatever it was. It must not run. */
  async copyFrom(primary: PostgresNode): Promise<void> {
    const { cluster, account, password } = this.location
    rmSync(cluster, { recursive: true, force: true })
    mkdirSync(resolve(cluster, '..'), { recursive: true, mode: 0o711 })
    mkdirSync(cluster, { mode: 0o700 })
    const admin = primary.admin('postgres')
    // All on one connection, because the backup ends when it closes.
    const connection = await admin.reserve()
    try {
      await connection`select pg_backup_start('replica', fast => true)`
      for (const name of readdirSync(primary.location.cluster)) {
        if (name === 'postmaster.pid' || name === 'postmaster.opts') continue
        cpSync(resolve(primary.location.cluster, name), resolve(cluster, name), {
          ...{ recursive: true, force: true, verbatimSymlinks: true },
          // The primary adds and removes WAL files during the copy.
          filter: source => !/\/pg_wal\/.|\/pgsql_tmp|\/pg_replslot\/.|\/pg_stat_tmp\/./.test(source),
        })
      }
      const [{ label }] = await connection<
        { label: string }[]
      >`select labelfile as label from pg_backup_stop(false)`
      writeFileSync(resolve(cluster, 'backup_label'), label)
    } finally {
      connection.release()
      await admin.end()
    }
    mkdirSync(resolve(cluster, 'pg_wal/archive_status'), { recursive: true, mode: 0o700 })
    writeFileSync(resolve(cluster, 'standby.signal'), '')
    appendFileSync(
      resolve(cluster, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=asfiled password=${password} application_name=${this.name}'\n`,
    )
    if (account !== null)
      for (const name of ['', ...readdirSync(cluster, { recursive: true, encoding: 'utf8' })])
        chownSync(resolve(cluster, name), account.uid, account.gid)
  }

  /** The URL for the role that servers use. The role is part of the data, so all nodes have the same password. */
  get serviceUrl(): string {
    return this.#serviceUrl
  }

  get isRunning(): boolean {
    return this.#part.isRunning
  }

  get pid(): number | null {
    return this.#part.pid
  }

  /** Starts it and waits until it answers queries. */
  async start(timeoutMs = 60_000): Promise<void> {
    if (!this.isRunning) this.#part.start()
    const admin = this.admin('postgres')
    try {
      await until(`${this.name} answers`, async () => (await admin`select 1`).length === 1, timeoutMs)
    } finally {
      await admin.end({ timeout: 1 })
    }
  }

  /** SIGKILL: as a crash. SIGINT: a fast shutdown, which sends all of its log to its replicas first. */
  end(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    return this.#part.end(signal)
  }

  /** For SIGSTOP and SIGCONT, which a process does not pass on to its children. */
  signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const { pid } = this.#part
    if (pid === null) return
    for (const child of [pid, ...childrenOf(pid)]) {
      try {
        process.kill(child, signal)
      } catch {
        // The process has ended in the meantime.
      }
    }
  }

  /** Waits until this replica has replayed what `primary` has now. */
  async untilReplayed(primary: PostgresNode): Promise<void> {
    const [on, at] = [primary.admin(), this.admin()]
    try {
      // The insert position rather than the flushed one, so that asynchronous commits count, too.
      const [{ lsn }] = await on<{ lsn: string }[]>`select pg_current_wal_insert_lsn()::text as lsn`
      await until(`${this.name} has what ${primary.name} has`, async () => {
        const [{ done }] = await at<{ done: boolean }[]>`
          select pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn as done`
        return done
      })
    } finally {
      await Promise.all([on.end({ timeout: 1 }), at.end({ timeout: 1 })])
    }
  }

  /** Makes a replica a primary. */
  async promote(): Promise<void> {
    const admin = this.admin('postgres')
    await admin`select pg_promote(true, 30)`
    await admin.end()
  }

  /** A separate pool for the superuser. The caller must end it. */
  admin(database = databaseName): Sql {
    const url = adminUrl(this.location, this.port, database)
    return connect({ url, connections: 2, statementTimeoutMs: 60_000, applicationName: 'cluster-script' })
  }

  /** The end of the server's log, for error reports. */
  output(): string {
    return this.#part.output().slice(-4_000)
  }
}

function settings(port: number): string[] {
  return [
    `port=${port}`,
    ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'],
    ...['shared_buffers=128MB', 'max_wal_size=512MB', 'log_min_messages=warning'],
    // Enough WAL for a replica that was disconnected for minutes to catch up.
    'wal_keep_size=512MB',
    // A read that blocks replay is cancelled after a second and repeated on the primary.
    ...['hot_standby=on', 'hot_standby_feedback=on', 'max_standby_streaming_delay=1s'],
    'wal_receiver_timeout=5s',
    'wal_retrieve_retry_interval=500ms',
  ]
}
