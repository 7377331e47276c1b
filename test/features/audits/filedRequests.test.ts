import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { startJobs } from '../../../src/boot/jobs.ts'
import { Failure } from '../../../src/errors.ts'
import type { JoinCompanies } from '../../../src/features/asOfJoins/companies.ts'
import { type AuditDeps, readFiledFigures } from '../../../src/features/audits/filedFigures.ts'
import { auditTasks } from '../../../src/features/audits/runJob.ts'
import { migrateQueue } from '../../../src/jobs/queue.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { importWhole, realPackages } from '../statements/importWhole.ts'
import type { AuditAnswer } from './statedStates.ts'

setDefaultTimeout(120_000)

const packages = await realPackages()

let database: TestDatabase
let server: TestServer
let key: string
let stopJobs = async () => {}

beforeAll(async () => {
  database = await testDatabase()
  await importWhole(database.sql, packages ?? [])
  await database.sql`
    insert into entity (market, issuer_id, ticker, since_version)
    select 'US', 'M' || n, 'M' || n, 0 from generate_series(1, 600) n`
  await migrateQueue(database.url)
  server = await testServer(database.sql)
  key = await sellKey(database.sql, { licence: 'personal' })
  const { resources } = server
  stopJobs = await startJobs(
    { url: database.url, concurrency: 1, drainTimeoutMs: 5_000 },
    {
      ...resources,
      tasks: auditTasks(resources),
      processId: crypto.randomUUID(),
      explain: resources.storage.explain,
      report: () => {},
    },
  )
})
afterAll(async () => {
  await stopJobs()
  await server.stop()
  await database.close()
})

async function call(path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${server.url}${path}`, {
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

async function audit(body: object): Promise<AuditAnswer> {
  const { status, text } = await call('/api/v1/audits', body)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return JSON.parse(text)
}

/** Rows of so many companies, the first of which is Netflix. */
const rowsOf = (companies: number, name = 'x') => ({
  date: Array.from({ length: companies }, () => '2024-02-01'),
  ticker: ['NFLX', ...Array.from({ length: companies - 1 }, (_, at) => `M${at + 1}`)],
  // Revenue of 2023: 33,723,297 thousand.
  [name]: Array.from({ length: companies }, () => 33_723_297_000),
})

const revenues = { tag: 'us-gaap:Revenues', fp: 'FY', scale: 1 }

describe.skipIf(packages === null)('filings of real companies', () => {
  test('500 companies are read, and more are refused with how to mend it', async () => {
    const { rows } = await audit({ rows: rowsOf(500), columns: { x: revenues } })
    expect(rows.x_state[0]).toBe('known')
    for (const [wanted, word] of [
      [revenues, 'tag'],
      [{ line: 'revenue', fp: 'FY', scale: 1 }, 'standard line'],
    ] as const) {
      const more = { rows: rowsOf(501), columns: { x: wanted } }
      for (const headers of [{}, { Prefer: 'respond-async' }]) {
        const { status, text } = await call('/api/v1/audits', more, headers)
        const { error } = JSON.parse(text)
        expect([status, error.code, error.param]).toEqual([400, 'parameter_invalid', 'columns.x'])
        expect(error.message).toContain(`columns.x is a ${word}`)
        expect(error.message).toContain('at most 500 companies; these rows have 501')
      }
    }
  })

  test('with more companies, a column that is only called like a tag is found by its values, as before', async () => {
    const name = 'us-gaap:Revenues'
    const few = await audit({ rows: { ...rowsOf(3, name), assets: [1, 2, 3] } })
    expect(few.columns.map(({ reading }) => reading.tag ?? reading.metric)).toEqual([name, 'assets'])
    const rows = { ...rowsOf(501, name), assets: rowsOf(501).x }
    const many = await audit({ rows })
    expect(many.ignored).toEqual([name])
  })

  test('a key that sees one fiscal year only learns nothing about tags and lines', async () => {
    const free = await sellKey(database.sql, { licence: 'free' })
    for (const wanted of [revenues, { line: 'revenue' }]) {
      const { status, text } = await call(
        '/api/v1/audits',
        { rows: rowsOf(1), columns: { x: wanted } },
        { Authorization: `Bearer ${free}` },
      )
      expect([status, JSON.parse(text).error.code]).toEqual([403, 'licence_required'])
    }
  })

  test('an audit of a tag and a line as a job has the result of a synchronous one', async () => {
    const body = {
      rows: { ...rowsOf(3), stock: [2_902_000_000, 1, 1] },
      columns: { x: revenues, stock: { line: 'revenue', fp: 'FY' } },
      with: ['filing'],
    }
    const { status, text } = await call('/api/v1/audits', body, { Prefer: 'respond-async' })
    expect([status, status === 202 ? [] : server.logged.filter(one => one.err !== undefined)]).toEqual([
      202,
      [],
    ])
    const { url } = JSON.parse(text)
    let state = 'queued'
    while (state === 'queued' || state === 'running') {
      await Bun.sleep(50)
      state = JSON.parse((await call(url)).text).state
    }
    expect(state).toBe('succeeded')
    const result: AuditAnswer = JSON.parse((await call(`${url}/result`)).text)
    expect(result).toEqual(await audit(body))
    expect(result.rows.x_filing[0]).toBe('0001065280-24-000030')
    expect(result.columns.map(({ reading }) => [reading.tag, reading.line])).toEqual([
      ['us-gaap:Revenues', undefined],
      [undefined, 'revenue'],
    ])
  })

  describe('reading', () => {
    async function read(
      companies: number,
      change: {
        readonly beforeRead?: (read: number) => Promise<void>
        readonly authorize?: () => Promise<void>
        readonly signal?: AbortSignal
        readonly isStale?: boolean
      },
    ) {
      let reads = 0
      const limited: AuditDeps['readLimiter'] = {
        run: async (_, work) => {
          reads++
          await change.beforeRead?.(reads)
          return work()
        },
      }
      const identities = await database.sql<JoinCompanies['identities'][number][]>`
        select entity_id as "entityId", market, ticker from entity order by ticker <> 'NFLX', entity_id limit ${companies}`
      const found: JoinCompanies = {
        ...{ companyOfName: new Int32Array(), dated: [], slotOfRow: null, unknown: [], renamed: [] },
        ...{ unmatched: [], isSymbolAssumed: false, lineages: [], kin: [], dataVersions: new Set() },
        identities,
      }
      const version = await readDataVersion(database.sql)
      const result = await readFiledFigures(
        { ...server.resources, readLimiter: limited },
        {
          sql: database.sql,
          entitiesOf: () => new Int32Array(),
          findAgain: async () => found,
          accessKey: () => '',
          authorize: change.authorize ?? (async () => {}),
        },
        { dataVersion: change.isStale === true ? version - 1 : version, companies: found },
        [{ kind: 'tag', name: 'us-gaap:Revenues', currency: null }],
        'paid key:1',
        change.signal ?? new AbortController().signal,
      ).catch((error: unknown) => error)
      return { result, reads: () => reads }
    }

    const bump = async () => {
      await database.sql`update data_version set version = version + 1`
    }

    test('figures are of one data version: an import in between gives none, and one before gives its own', async () => {
      const undisturbed = await read(25, {})
      // One to find the version, and one for every ten companies.
      expect(undisturbed.reads()).toBe(4)
      expect(undisturbed.result).toMatchObject({ figures: {} })
      for (const at of [2, 3, 4]) {
        const disturbed = await read(25, { beforeRead: async number => (number === at ? bump() : undefined) })
        expect([disturbed.result, disturbed.reads()]).toEqual([null, at])
      }
      const stale = await read(25, { isStale: true })
      expect(stale.result).toMatchObject({ found: { dataVersion: await readDataVersion(database.sql) } })
    })

    test('a cancelled audit reads no further, and one that is not allowed reads nothing', async () => {
      const controller = new AbortController()
      const cancelled = await read(100, {
        signal: controller.signal,
        beforeRead: async number => {
          if (number === 3) controller.abort(new Failure('internal', 'cancelled'))
        },
      })
      expect([cancelled.result, cancelled.reads()]).toEqual([expect.any(Failure), 3])
      const refused = await read(25, {
        authorize: async () => {
          throw new Failure('licence_required', 'not allowed')
        },
      })
      expect([refused.result, refused.reads()]).toEqual([expect.any(Failure), 0])
    })
  })

  test('the companies of the test are on record', () => {
    expect(nonEmpty(packages ?? []).map(({ ticker }) => ticker)).toContain('NFLX')
  })
})
