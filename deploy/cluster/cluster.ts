import { mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { createKey, type KeyOrder } from '../../src/access/keys.ts'
import { loadSignalsSample } from '../../src/features/signals/import/sample.ts'
import { loadSample } from '../../src/ingest/sample/loadSample.ts'
import { migrateQueue } from '../../src/jobs/queue.ts'
import { connect, type Sql } from '../../src/postgres/client.ts'
import { migrate } from '../../src/postgres/migrations.ts'
import { PostgresNode } from './postgresNode.ts'
import { freePorts, Part, until } from './processes.ts'

export interface ClusterOptions {
  /** Holds all data, logs and configuration of the cluster. */
  readonly folder: string
  /** The first primary's data, for example on a separate disk that a test fills up. Default: below `folder`. */
  readonly primaryFolder?: string
  readonly report: (line: string) => void
  /** Settings of the servers and the worker beyond those of the cluster. */
  readonly settings?: Readonly<Record<string, string>>
}

const serverNames = ['one', 'two'] as const

/** Two servers, a worker, a primary, a streaming replica and HAProxy, on loopback ports, as processes that can be killed one by one. */
export class Cluster {
  readonly address: string
  readonly servers: readonly Part[]
  /** The servers' own addresses, which bypass HAProxy. */
  readonly serverAddresses: readonly string[]
  readonly worker: Part
  readonly proxy: Part
  /** A server without replicas, for comparison. It is not behind HAProxy. */
  readonly reference: Part
  readonly referenceAddress: string
  /** The node that writes, and the one that follows it. */
  primary: PostgresNode
  replica: PostgresNode
  /** A pool that reaches the primary through HAProxy, as the servers' pools do. */
  readonly sql: Sql
  /** What a server of the same cluster is started with. */
  readonly environment: Readonly<Record<string, string>>

  private constructor(parts: {
    address: string
    servers: readonly Part[]
    serverAddresses: readonly string[]
    worker: Part
    proxy: Part
    reference: Part
    referenceAddress: string
    primary: PostgresNode
    replica: PostgresNode
    databaseUrl: string
    environment: Readonly<Record<string, string>>
  }) {
    this.address = parts.address
    this.servers = parts.servers
    this.serverAddresses = parts.serverAddresses
    this.worker = parts.worker
    this.proxy = parts.proxy
    this.reference = parts.reference
    this.referenceAddress = parts.referenceAddress
    this.primary = parts.primary
    this.replica = parts.replica
    this.environment = parts.environment
    this.sql = connect({
      url: parts.databaseUrl,
      ...{ connections: 4, statementTimeoutMs: 60_000, applicationName: 'cluster-script' },
    })
  }

  static async start({ folder, primaryFolder, report, settings = {} }: ClusterOptions): Promise<Cluster> {
    // PostgreSQL may run as another account, which must be able to enter the folder.
    mkdirSync(folder, { recursive: true, mode: 0o711 })
    const [front, database, nodeOne, nodeTwo, other, ...serverPorts] = freePorts(7)
    report('PostgreSQL, with the shipped sample ...')
    const primary = await PostgresNode.primary('db-one', primaryFolder ?? resolve(folder, 'db-one'), nodeOne)
    const replica = await (async () => {
      await fill(primary.serviceUrl)
      report('Its replica ...')
      const node = await PostgresNode.replica('db-two', resolve(folder, 'db-two'), nodeTwo, primary)
      await node.start()
      return node
    })().catch(async error => {
      await primary.end('SIGKILL')
      throw error
    })
    const databaseUrl = Object.assign(new URL(primary.serviceUrl), { port: String(database) }).href
    const environment = {
      DATABASE_URL: databaseUrl,
      // Lists both nodes. Servers skip the one that is the primary, so the list stays correct after a promotion.
      DATABASE_READ_URL: `${primary.serviceUrl},${replica.serviceUrl}`,
      HOST: '127.0.0.1',
      TRUSTED_PROXIES: '127.0.0.1',
      DRAIN_DELAY_MS: '3000',
      ...{ COMPUTE_THREADS: '1', LOG_LEVEL: 'warn' },
      MAX_CONNECTIONS: '32768',
      BASE_URL: `http://127.0.0.1:${front}`,
      ...settings,
    }
    const servers = serverPorts.map((port, place) => {
      const name = `server-${serverNames[place]}`
      const own = {
        ...environment,
        PORT: String(port),
        DATA_DIR: resolve(folder, name),
        JOB_CONCURRENCY: '0',
      }
      return new Part(name, ['bun', 'src/main.ts'], own, resolve(folder, `${name}.log`))
    })
    const own = { ...environment, DATA_DIR: resolve(folder, 'worker'), JOB_CONCURRENCY: '1' }
    const worker = new Part('worker', ['bun', 'src/cli.ts', 'worker'], own, resolve(folder, 'worker.log'))
    const alone = {
      ...environment,
      DATABASE_READ_URL: '',
      PORT: String(other),
      DATA_DIR: resolve(folder, 'reference'),
      JOB_CONCURRENCY: '0',
    }
    const reference = new Part('reference', ['bun', 'src/main.ts'], alone, resolve(folder, 'reference.log'))
    const referenceAddress = `http://127.0.0.1:${other}`
    const configurations = await writeProxyConfigurations(folder, {
      front,
      database,
      serverPorts,
      nodePorts: [nodeOne, nodeTwo],
    })
    const proxy = new Part(
      'haproxy',
      ['haproxy', '-db', ...configurations.flatMap(file => ['-f', file])],
      {},
      resolve(folder, 'haproxy.log'),
    )
    const cluster = new Cluster({
      address: `http://127.0.0.1:${front}`,
      serverAddresses: serverPorts.map(port => `http://127.0.0.1:${port}`),
      ...{ servers, worker, proxy, reference, referenceAddress, primary, replica, databaseUrl, environment },
    })
    try {
      report('HAProxy, two servers and a worker ...')
      proxy.start()
      await until('HAProxy leads to the primary', async () => (await cluster.sql`select 1`).length === 1)
      for (const part of [...servers, worker, reference]) part.start()
      for (const address of [...cluster.serverAddresses, referenceAddress]) await cluster.untilReady(address)
      await cluster.untilReady()
      return cluster
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  /** Waits until a server is ready, or HAProxy with at least one ready server. */
  async untilReady(address = this.address, timeoutMs = 60_000): Promise<void> {
    await until(
      `${address} is ready`,
      async () => (await fetch(`${address}/ready`, { signal: AbortSignal.timeout(3_000) })).ok,
      timeoutMs,
    )
  }

  /** Promotes the replica and turns the dead primary's folder into a new replica. That one is not started, because servers
   * do not know it. */
  async promote(): Promise<void> {
    await this.replica.promote()
    const former = this.primary
    this.primary = this.replica
    this.replica = former
  }

  async newKey(order: Partial<KeyOrder> = {}): Promise<string> {
    const whole: KeyOrder = {
      email: `load${crypto.randomUUID().slice(0, 8)}@example.org`,
      ...{ licence: 'oem', quant: true, environment: 'live', perMinute: 10_000_000, bulk: true },
      ...order,
    }
    const today = () => new Date().toISOString().slice(0, 10)
    return (await createKey({ sql: this.sql, today }, whole)).key
  }

  /** Ends every process, the databases last. */
  async stop(): Promise<void> {
    await this.sql.end({ timeout: 1 })
    await Promise.all([...this.servers, this.worker, this.reference].map(part => part.end('SIGKILL')))
    await this.proxy.end('SIGKILL')
    await Promise.all([this.primary, this.replica].map(node => node.end('SIGKILL')))
  }
}

/** The schema, and the shipped samples of filings and signals. */
async function fill(url: string): Promise<void> {
  const sql = connect({ url, connections: 4, statementTimeoutMs: 120_000 })
  try {
    await migrate(sql, () => migrateQueue(url))
    await loadSample(sql)
    await loadSignalsSample(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

interface Ports {
  readonly front: number
  readonly database: number
  readonly serverPorts: readonly number[]
  readonly nodePorts: readonly number[]
}

/** The shipped configuration files, with this run's ports and without the switch to another user. */
async function writeProxyConfigurations(
  folder: string,
  { front, database, serverPorts, nodePorts }: Ports,
): Promise<string[]> {
  const changes: [string, string][] = [
    ['bind :80\n', `bind 127.0.0.1:${front}\n`],
    ['127.0.0.1:3001', `127.0.0.1:${serverPorts[0]}`],
    ['127.0.0.1:3002', `127.0.0.1:${serverPorts[1]}`],
    ['127.0.0.1:5500', `127.0.0.1:${database}`],
    ['127.0.0.1:5501', `127.0.0.1:${nodePorts[0]}`],
    ['127.0.0.1:5502', `127.0.0.1:${nodePorts[1]}`],
    // The load comes from many addresses, and each has its own limits.
    ['    http-request del-header X-Forwarded-For\n    option forwardfor\n', ''],
    ['    user haproxy\n', ''],
    ['    group haproxy\n', ''],
  ]
  const files: string[] = []
  for (const name of ['../haproxy.cfg', 'primary.cfg']) {
    let text = await Bun.file(new URL(name, import.meta.url)).text()
    for (const [shipped, own] of changes) text = text.replaceAll(shipped, own)
    const file = resolve(folder, name.replace('../', ''))
    await Bun.write(file, text)
    files.push(file)
  }
  return files
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
