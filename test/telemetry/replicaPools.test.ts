import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { until } from '../../deploy/cluster/processes.ts'
import { type ServerProcess, startServerProcess } from '../boot/serverProcess.ts'
import { type ReplicaPair, startPair } from '../postgres/replicas/pair.ts'
import { scrape } from './metricsProcess.ts'

setDefaultTimeout(120_000)

let pair: ReplicaPair
let server: ServerProcess

beforeAll(async () => {
  pair = await startPair()
  server = await startServerProcess('', {
    DATABASE_URL: pair.url,
    // As docs/scaling.md has it: all nodes, the primary too.
    DATABASE_READ_URL: `${pair.primary.serviceUrl},${pair.replica.serviceUrl}`,
    DATABASE_CONNECTIONS: '4',
    COMPUTE_THREADS: '1',
    METRICS_PORT: '0',
  })
})
afterAll(async () => {
  server.signal('SIGTERM')
  await server.exited
  await pair.close()
}, 180_000)

const poolsOf = (series: ReadonlyMap<string, number>, name: string) =>
  Object.fromEntries(
    [...series].flatMap(([key, value]) => {
      const pool = new RegExp(`^asfiled_pool_${name}\\{pool="(\\w+)"\\}$`).exec(key)?.[1]
      return pool === undefined ? [] : [[pool, value]]
    }),
  )

test('a server with replicas counts its connections to them, by what they read and not by replica', async () => {
  expect(poolsOf(await scrape(server), 'connections_max')).toMatchObject({
    main: 4,
    lookups: 2,
    pinned: 0,
    replica_main: 8,
    replica_lookups: 4,
    replica_pinned: 0,
  })
  // A pinned version opens connections of its own, to the primary and to each replica.
  const [{ version }] = await pair.onReplica(
    sql => sql<{ version: number }[]>`
    select version::int as version from data_version`,
  )
  const path = `/api/v1/fundamentals?ticker=AAPL&view=latest&as_of=2009-12-31&data_version=${version}`
  await server.get(path, 'demo')
  await until('the pinned pools are counted', async () => {
    await Bun.sleep(1_000)
    const { pinned, replica_pinned } = poolsOf(await scrape(server), 'connections_max')
    return pinned === 4 && replica_pinned === 8
  })
})
