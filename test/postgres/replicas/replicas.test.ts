import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { until } from '../../../deploy/cluster/processes.ts'
import { openPins } from '../../../src/boot/pins.ts'
import { openReads } from '../../../src/boot/reads.ts'
import { addDays } from '../../../src/dates.ts'
import { connect, type Sql } from '../../../src/postgres/client.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { primaryOf } from '../../../src/postgres/readRoute.ts'
import { withSnapshot } from '../../../src/postgres/snapshot.ts'
import {
  companyDrafts,
  type Draft,
  firstDay,
  importAs,
  spanDays,
  statementsOf,
} from '../../features/companies/randomFilings.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { rounds } from '../../rounds.ts'
import { type ReplicaPair, startPair } from './pair.ts'

setDefaultTimeout(180_000)

let pair: ReplicaPair
let sql: Sql
/** For imports: many at once wait for one lock, on a busy machine for longer than a statement of the server may. */
let imports: Sql
let reads: Awaited<ReturnType<typeof openReads>>
/** Reads from the replica, and from the primary alone. */
let server: TestServer
let reference: TestServer
let key = ''
const reported: string[] = []
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  pair = await startPair()
  closing.push(() => pair.close())
  const options = { url: pair.url, connections: 6, statementTimeoutMs: 10_000 }
  sql = connect(options)
  imports = connect({ ...options, statementTimeoutMs: 120_000 })
  closing.push(() => imports.end({ timeout: 1 }))
  const lookups = connect({ ...options, indexLookupsOnly: true })
  closing.push(() => Promise.all([sql.end({ timeout: 1 }), lookups.end({ timeout: 1 })]))
  const config = {
    databaseReadUrls: [pair.replica.serviceUrl],
    databaseConnections: 6,
    statementTimeoutMs: 10_000,
  }
  reads = await openReads({ config, sql, lookups, report: line => reported.push(line) })
  closing.push(() => reads.close())
  const { directory, version, replicas } = reads
  const pins = openPins({
    config,
    url: pair.url,
    sql,
    replicas,
    elapsedMs: () => performance.now(),
  })
  closing.push(() => pins.close())
  // Ready answers are of this day.
  const [{ today }] = await sql<{ today: string }[]>`select import_day() as today`
  server = await testServer(sql, {
    reads,
    directory,
    replicas,
    pins,
    dataVersion: version.current,
    today: () => today,
  })
  closing.push(() => server.stop())
  // Its pins have connections to the address of the pool.
  reference = await testServer(sql, { today: () => today })
  closing.push(() => reference.stop())
  key = await sellKey(sql, { licence: 'oem', perMinute: 1_000_000 })
}, 120_000)

afterAll(async () => {
  for (const close of closing.reverse()) await close()
}, 180_000)

const fetchJson = async (from: TestServer, path: string) => {
  const response = await fetch(from.url + path, { headers: { Authorization: `Bearer ${key}` } })
  const text = await response.text()
  return { status: response.status, text, tag: response.headers.get('etag'), version: versionIn(text) }
}
const versionIn = (text: string) => Number(/"data_version":(\d+)/.exec(text)?.[1] ?? Number.NaN)

const isFromReplica = async (pool: Sql = reads.sql) => {
  const [{ replica }] = await pool<{ replica: boolean }[]>`select pg_is_in_recovery() as replica`
  return replica
}
const untilReplicaReads = async () => {
  await pair.caughtUp()
  await until('the replica reads', () => isFromReplica())
}
const pause = () => pair.onReplica(admin => admin`select pg_wal_replay_pause()`)
const resume = () => pair.onReplica(admin => admin`select pg_wal_replay_resume()`)

let companies = 0
const importOne = (drafts: readonly Draft[], number = ++companies) =>
  importAs(imports, 'US', number, statementsOf(number, drafts))
const aDraft: Draft = {
  day: 1,
  hour: null,
  name: 'Old',
  figures: [{ metric: 'revenue', period: { start: '2020-01-01', end: '2020-12-31' }, value: 2 }],
}

test('reads are the replica’s, and what writes is the primary’s', async () => {
  await untilReplicaReads()
  expect([await isFromReplica(reads.lookups), await isFromReplica(primaryOf(reads.sql))]).toEqual([
    true,
    false,
  ])
  expect(
    await withSnapshot(reads.sql, async snapshot => (await snapshot`select pg_is_in_recovery() as r`)[0].r),
  ).toBe(true)
  expect(
    await reads.sql.begin(async transaction => (await transaction`select pg_is_in_recovery() as r`)[0].r),
  ).toBe(false)
  const part = reads.sql`pg_is_in_recovery()`
  expect((await reads.sql`select ${part} as r, ${[1, 2]}::int[] as list`)[0]).toEqual({
    r: true,
    list: [1, 2],
  })
})

test('a replica that is behind what this server has seen is not read from, and is again when it has caught up', async () => {
  await untilReplicaReads()
  await pause()
  const ticker = await importOne([aDraft])
  await until('the server knows the import', async () => reads.version.current() > (await replicaVersion()))
  expect(await isFromReplica()).toBe(false)
  const path = `/api/v1/fundamentals?ticker=${ticker}&as_of=${addDays(firstDay, 5)}`
  const answer = await fetchJson(server, path)
  expect([answer.status, answer.version]).toEqual([200, reads.version.current()])
  expect(reads.replicas?.warnings()).toEqual([
    expect.stringMatching(
      /^Replica 1 of DATABASE_READ_URL is at data version \d+, behind \d+: the primary reads/,
    ),
  ])
  await resume()
  await untilReplicaReads()
  expect(reads.replicas?.warnings()).toEqual([])
})

const replicaVersion = () =>
  pair
    .onReplica(async admin => {
      const [{ version }] = await admin<{ version: string }[]>`select version from data_version`
      return { version: Number(version) }
    })
    .then(({ version }) => version)

test('a read that the replica cancels or loses is answered by the primary, in a snapshot as well', async () => {
  await untilReplicaReads()
  const slow = reads.sql<{ replica: boolean }[]>`select pg_is_in_recovery() as replica, pg_sleep(0.5)`
  const losing = slow.then(([{ replica }]) => replica)
  await Bun.sleep(200)
  const ends = () =>
    pair.onReplica(
      admin => admin`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'asfiled-reads'`,
    )
  await ends()
  expect(await losing).toBe(false)
  const runs: boolean[] = []
  await withSnapshot(reads.sql, async snapshot => {
    const [{ replica }] = await snapshot<{ replica: boolean }[]>`select pg_is_in_recovery() as replica`
    runs.push(replica)
    if (replica) await ends()
    await snapshot`select 1`
  })
  expect(runs).toEqual([true, false])
  // What is wrong with the statement is said by the primary, as without replicas.
  await expect(reads.sql`select 1 / 0`.then(String)).rejects.toThrow('division by zero')
})

test('a version that was pinned is read from the replica, with the same bytes', async () => {
  const ticker = await importOne([aDraft])
  const { version } = await fetchJson(
    server,
    `/api/v1/fundamentals?ticker=${ticker}&as_of=${addDays(firstDay, 5)}`,
  )
  await importOne([{ ...aDraft, day: 2, name: 'New' }], companies)
  await untilReplicaReads()
  const path = `/api/v1/fundamentals?ticker=${ticker}&as_of=${addDays(firstDay, 5)}&data_version=${version}`
  const [own, primarys] = [await fetchJson(server, path), await fetchJson(reference, path)]
  expect([own.status, own.text]).toEqual([200, primarys.text])
  const pin = await server.resources.pins.open(version)
  expect(await isFromReplica(pin.store.sql)).toBe(true)
  pin.release()
})

test('a replica that hangs delays no read for longer than its watch, and is used again when it answers', async () => {
  await untilReplicaReads()
  pair.replica.signalAll('SIGSTOP')
  const hanging = Promise.all(Array.from({ length: 12 }, () => isFromReplica()))
  expect(await hanging).toEqual(new Array(12).fill(false))
  // What anyone may read at /ready names no address.
  expect(reads.replicas?.warnings()).toEqual([
    'Replica 1 of DATABASE_READ_URL is left out: the primary reads in its place. The log says why, and names it.',
  ])
  expect(reported.at(-1)).toContain('is left out')
  pair.replica.signalAll('SIGCONT')
  await untilReplicaReads()
})

test('kill -9 of the replica fails no read', async () => {
  const ticker = await importOne([aDraft])
  await untilReplicaReads()
  const statuses = new Set<number>()
  let isOpen = true
  const reading = (async () => {
    for (let day = 0; isOpen; day++)
      statuses.add(
        (await fetchJson(server, `/api/v1/fundamentals?ticker=${ticker}&as_of=${addDays('2021-03-01', day)}`))
          .status,
      )
  })()
  await Bun.sleep(300)
  await pair.replica.end('SIGKILL')
  await Bun.sleep(300)
  await pair.replica.start()
  await untilReplicaReads()
  isOpen = false
  await reading
  expect([...statuses]).toEqual([200])
})

/** What comes between two reads. */
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      company: fc.integer({ min: 900, max: 903 }),
      drafts: companyDrafts,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      company: fc.integer({ min: 900, max: 903 }),
      route: fc.constantFrom(
        'fundamentals',
        'latest',
        'filings',
        'company',
        'cross-section',
        'restatements',
        'several',
        'ready',
        'ready history',
      ),
      day: fc.integer({ min: 0, max: spanDays + 2 }),
    }),
  },
)

function pathOf(route: string, company: number, day: string): string {
  const id = `E${company}`
  if (route === 'latest') return `/api/v1/fundamentals?ticker=${id}&view=latest&as_of=${day}`
  if (route === 'ready') return `/api/v1/fundamentals?ticker=${id}&view=latest`
  if (route === 'ready history') return `/api/v1/fundamentals?ticker=${id}`
  if (route === 'several')
    return `/api/v1/fundamentals?ticker=${id},E${company === 900 ? 901 : 900}&as_of=${day}`
  if (route === 'filings') return `/api/v1/filings?ticker=${id}&as_of=${day}`
  if (route === 'company') return `/api/v1/companies/${id}?as_of=${day}`
  if (route === 'fundamentals') return `/api/v1/fundamentals?ticker=${id}&as_of=${day}`
  return `/api/v1/${route}?market=US&metric=revenue&as_of=${day}`
}

test('whatever the replica lags, an answer is the primary’s at the version that it names, and never older than one before', async () => {
  for (const company of [900, 901, 902, 903]) await importOne([aDraft], company)
  let shown = 0
  let serial = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async steps => {
      const importing: Promise<unknown>[] = []
      // Imports that were begun end before the next run, also when this one fails.
      try {
        for (const next of steps) {
          if (next.kind === 'import') {
            const drafts = next.drafts.map(draft => ({ ...draft, form: `10-K${serial++}` }))
            // Not awaited: it ends while answers are read.
            importing.push(importOne(drafts, next.company))
          } else if (next.kind === 'read') {
            const path = pathOf(next.route, next.company, addDays(firstDay, next.day))
            const answer = await fetchJson(server, path)
            expect([path, answer.status]).toEqual([path, 200])
            expect(answer.version).toBeGreaterThanOrEqual(shown)
            shown = answer.version
            if (next.route !== 'several') expect(answer.tag).toStartWith(`W/"${answer.version}-`)
            const truth = await fetchJson(reference, `${path}&data_version=${answer.version}`)
            expect(answer.text).toBe(truth.text)
          } else await (next.kind === 'pause' ? pause() : resume())
        }
      } finally {
        const ended = await Promise.allSettled(importing)
        await resume()
        expect(ended.filter(({ status }) => status === 'rejected')).toEqual([])
      }
    }),
    { numRuns: rounds(6, 150) },
  )
})

test('several companies are answered though this server has not heard of an import that the replica lacks', async () => {
  await untilReplicaReads()
  await pause()
  // No notification comes with it, as while the connection that listens is lost.
  await sql`update data_version set version = version + 1`
  const answer = await fetchJson(server, '/api/v1/fundamentals?ticker=E900,E901')
  await resume()
  expect([answer.status, answer.version]).toEqual([200, await readDataVersion(sql)])
})

test('a snapshot may take longer than a statement may, and the replica is not taken for a dead one', async () => {
  await untilReplicaReads()
  const lines: string[] = []
  const config = {
    databaseReadUrls: [pair.replica.serviceUrl],
    databaseConnections: 2,
    statementTimeoutMs: 1_000,
  }
  const short = await openReads({ config, sql, lookups: sql, report: line => lines.push(line) })
  await until('the replica reads', () => isFromReplica(short.sql))
  let runs = 0
  const read = withSnapshot(short.sql, async snapshot => {
    runs++
    const seen: boolean[] = []
    for (let part = 0; part < 4; part++) {
      const [{ replica }] = await snapshot<{ replica: boolean }[]>`
        select pg_is_in_recovery() as replica, pg_sleep(0.7)::text`
      seen.push(replica)
    }
    return seen
  })
  expect([await read, runs, lines]).toEqual([[true, true, true, true], 1, []])
  await short.close()
})

test('a replica of another database is not read, whatever its data version', async () => {
  const other = await startPair()
  try {
    const elsewhere = connect({ url: other.url, connections: 1, statementTimeoutMs: 10_000 })
    await elsewhere`update data_version set version = 1000000`
    await elsewhere.end()
    await other.caughtUp()
    const lookups = connect({ url: pair.url, connections: 1, statementTimeoutMs: 10_000 })
    const lines: string[] = []
    const misled = await openReads({
      config: {
        databaseReadUrls: [other.replica.serviceUrl],
        databaseConnections: 2,
        statementTimeoutMs: 10_000,
      },
      sql,
      lookups,
      report: line => lines.push(line),
    })
    await until('it was looked at', async () => lines.length > 0 || (await isFromReplica(misled.sql)))
    expect(await isFromReplica(misled.sql)).toBe(false)
    expect(lines).toEqual([expect.stringContaining('it is a copy of another database')])
    await misled.close()
    await lookups.end()
  } finally {
    await other.close()
  }
})

test('a promoted replica that lacks an import goes on under versions that no server has seen', async () => {
  await untilReplicaReads()
  await pair.onReplica(admin => admin`alter system set primary_conninfo = ''`)
  await pair.onReplica(admin => admin`select pg_reload_conf()`)
  await Bun.sleep(500)
  const ticker = await importOne([aDraft])
  const path = `/api/v1/fundamentals?ticker=${ticker}&as_of=${addDays(firstDay, 5)}`
  await until('the server knows the import', async () => reads.version.current() > (await replicaVersion()))
  const lost = await fetchJson(server, path)
  expect(lost.status).toBe(200)
  await pair.primary.end('SIGKILL')
  await pair.replica.promote()
  pair.door.turnTo(pair.replica.port)
  await until('the server has moved on', async () => reads.version.current() > lost.version)
  await until('the company is gone', async () => (await fetchJson(server, path)).status === 404)
  const other = await importOne([aDraft])
  const after = await fetchJson(server, path.replace(ticker, other))
  expect(after.status).toBe(200)
  expect(after.version).toBeGreaterThan(lost.version + 1)
})
