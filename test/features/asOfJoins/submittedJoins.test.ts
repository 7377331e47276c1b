import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { startJobs } from '../../../src/boot/jobs.ts'
import { Failure } from '../../../src/errors.ts'
import { joinKind } from '../../../src/features/asOfJoins/jobKind.ts'
import { AsOfJoinJob } from '../../../src/features/asOfJoins/jobSchema.ts'
import { storeResult } from '../../../src/features/asOfJoins/resultQueries.ts'
import { joinTasks, runJoinJob } from '../../../src/features/asOfJoins/runJob.ts'
import examples from '../../../src/http/docs/examples/joinJobs.json' with { type: 'json' }
import type { Job } from '../../../src/jobs/job.ts'
import { findJob, startRound } from '../../../src/jobs/jobQueries.ts'
import { deleteExpired } from '../../../src/jobs/maintainQueries.ts'
import type { OpenJob } from '../../../src/jobs/openJobs.ts'
import { migrateQueue } from '../../../src/jobs/queue.ts'
import { jobTask, RoundPayload } from '../../../src/jobs/tasks.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { insertCompanies } from '../companies/fixtures.ts'

setDefaultTimeout(180_000)

let database: TestDatabase
let server: TestServer
let key = ''
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  database = await testDatabase()
  await insertCompanies(database.sql)
  await migrateQueue(database.url)
  server = await testServer(database.sql, {}, { FLAGSHIP_TICKERS: 'AAPL', BODY_LIMIT_MB: '64' })
  key = await sell('personal')
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

async function sell(licence: 'personal' | 'evaluation' | 'free'): Promise<string> {
  return `Bearer ${await sellKey(database.sql, { licence, quant: licence === 'personal', expires: '2099-01-01' })}`
}

type RunJoin = (job: Job, openJob: Pick<OpenJob, 'signal'>) => Promise<void>
const runs: RunJoin = (job, openJob) => runJoinJob(server.resources, job, openJob)

/** The task of joins, with something else in place of the join. */
const taskOf = (runJoin: RunJoin) =>
  jobTask(joinKind.firstTask, RoundPayload, async (openJob, { jobId, round }) => {
    const job = await startRound(database.sql, jobId, round)
    if (job !== null) await runJoin(job, openJob)
  })

/** A process that runs jobs. */
async function runner(runJoin?: RunJoin): Promise<void> {
  const { resources } = server
  stops.push(
    await startJobs(
      { url: database.url, concurrency: 1, drainTimeoutMs: 5_000 },
      {
        ...resources,
        tasks: runJoin === undefined ? joinTasks(resources) : [taskOf(runJoin)],
        processId: crypto.randomUUID(),
        explain: resources.storage.explain,
        report: () => {},
      },
    ),
  )
}

const formats = ['json', 'csv', 'ndjson', 'parquet', 'arrow']
const csv = `date,ticker\n${Array.from({ length: 500 }, (_, i) => `20${10 + (i % 10)}-03-31,${['AAPL', 'GOOGL', 'NOSUCH'][i % 3]}`).join('\n')}\n`
const ofRows = '?metrics=revenue,eps&with=end,filed'
const json = JSON.stringify({ rows: { date: ['2012-01-01'], ticker: ['AAPL'] }, metrics: ['revenue'] })

interface Sent {
  readonly body?: string
  readonly query?: string
  readonly type?: string
  readonly authorization?: string
  readonly headers?: Readonly<Record<string, string>>
}

const post = ({
  body = csv,
  query = ofRows,
  type = 'text/csv',
  authorization = key,
  headers = {},
}: Sent = {}) =>
  fetch(`${server.url}/api/v1/as-of${query}`, {
    method: 'POST',
    headers: {
      Authorization: authorization,
      'Content-Type': type,
      'Accept-Encoding': 'identity',
      ...headers,
    },
    body,
  })

const submit = (sent: Sent = {}) => post({ ...sent, headers: { Prefer: 'respond-async', ...sent.headers } })

async function submitted(sent: Sent = {}): Promise<{ id: string; url: string }> {
  const response = await submit(sent)
  if (response.status !== 202) throw new Error(await response.text())
  return response.json()
}

const get = (path: string, authorization = key, method = 'GET', headers: Record<string, string> = {}) =>
  fetch(server.url + path, {
    method,
    headers: { Authorization: authorization, 'Accept-Encoding': 'identity', ...headers },
  })

interface JobText {
  state: string
  result_url: string
  data_version: number
  progress: object
  error: { code: string; param: string } | null
}

async function ended(url: string, authorization = key): Promise<JobText> {
  for (let tries = 0; tries < 800; tries++) {
    const job: JobText = await (await get(url, authorization)).json()
    if (!['queued', 'running'].includes(job.state)) return job
    await Bun.sleep(25)
  }
  throw new Error('The join did not end within 20 s.')
}

const codeOf = async (response: Response) => [response.status, (await response.json()).error.code]
const named = [
  'content-type',
  'etag',
  'content-disposition',
  'link',
  'x-attribution',
  'x-note',
  'vary',
  'cache-control',
]
const headersOf = ({ headers }: Response) => named.map(name => headers.get(name))

describe('a submitted join', () => {
  test('is accepted with its address, and gives the bytes and headers of the synchronous answer in every format', async () => {
    await runner()
    for (const format of formats) {
      const query = `${ofRows}&format=${format}`
      const accepted = await submit({ query })
      expect(accepted.status).toBe(202)
      const job = await accepted.json()
      expect(job).toMatchObject({ object: 'as_of_job', state: 'queued', progress: { done: 0, total: 500 } })
      expect(accepted.headers.get('location')).toBe(`/api/v1/as-of/${job.id}`)
      expect(accepted.headers.get('retry-after')).toBe('1')
      expect(accepted.headers.get('preference-applied')).toBe('respond-async')
      expect([...Value.Errors(AsOfJoinJob, job)]).toEqual([])
      const end = await ended(job.url)
      expect([...Value.Errors(AsOfJoinJob, end)]).toEqual([])
      expect(end).toMatchObject({ state: 'succeeded', progress: { done: 500, total: 500 }, error: null })
      const direct = await post({ query })
      const result = await get(end.result_url)
      expect([direct.status, result.status]).toEqual([200, 200])
      expect(headersOf(result)).toEqual(headersOf(direct))
      expect(Buffer.from(await result.bytes()).equals(Buffer.from(await direct.bytes()))).toBe(true)
      const tag = result.headers.get('etag') ?? ''
      expect((await get(end.result_url, key, 'GET', { 'If-None-Match': tag })).status).toBe(304)
    }
  })

  test('has faults, refusals and versions that are not there answered at once, before anything is stored', async () => {
    const [{ before }] = await database.sql<{ before: number }[]>`select count(*)::int as before from job`
    expect(await codeOf(await submit({ body: 'date,ticker\n2010-02-30,AAPL\n' }))).toEqual([
      400,
      'parameter_invalid',
    ])
    expect(await codeOf(await submit({ query: '?metrics=nosuch' }))).toEqual([400, 'parameter_invalid'])
    expect((await submit({ query: `${ofRows}&data_version=999` })).status).toBe(400)
    expect(await codeOf(await submit({ authorization: await sell('free') }))).toEqual([
      403,
      'licence_required',
    ])
    const demo = { body: json, query: '', type: 'application/json', authorization: 'Bearer demo' }
    expect(await codeOf(await submit(demo))).toEqual([403, 'licence_required'])
    const [{ after }] = await database.sql<{ after: number }[]>`select count(*)::int as after from job`
    expect(after).toBe(before)
  })

  test('is the same job where its Idempotency-Key comes again, and another request with it is refused', async () => {
    const headers = { 'Idempotency-Key': 'join-1' }
    const first = await submitted({ headers })
    const again = await submit({ headers })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await again.json()).id).toBe(first.id)
    expect(await codeOf(await submit({ headers, query: `${ofRows}&format=csv` }))).toEqual([
      422,
      'idempotency_reused',
    ])
    await get(first.url, key, 'DELETE')
  })

  test('is nothing to another key, and no backtest', async () => {
    const { id, url } = await submitted()
    const other = await sell('personal')
    for (const path of [url, `${url}/result`, `/api/v1/backtests/${id}`])
      expect(await codeOf(await get(path, other))).toEqual([404, 'entity_unknown'])
    for (const method of ['GET', 'DELETE'])
      expect(await codeOf(await get(`/api/v1/backtests/${id}`, key, method))).toEqual([404, 'entity_unknown'])
    expect(await codeOf(await get(url, other, 'DELETE'))).toEqual([404, 'entity_unknown'])
    expect((await (await get('/api/v1/backtests')).json()).count).toBe(0)
    expect((await (await get(url)).json()).state).toBe('queued')
    await get(url, key, 'DELETE')
  })

  test('is cancelled while it waits and while it runs: it has no result, and nothing of it stays', async () => {
    const waiting = await submitted()
    expect(await codeOf(await get(`${waiting.url}/result`))).toEqual([409, 'conflict'])
    expect((await (await get(waiting.url, key, 'DELETE')).json()).state).toBe('cancelled')
    const started = Promise.withResolvers<void>()
    const cancelled = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    await runner(async job => {
      started.resolve()
      await cancelled.promise
      // As if the news of the cancellation had not come yet.
      await runJoinJob(server.resources, job, { signal: new AbortController().signal }).finally(over.resolve)
    })
    const running = await submitted()
    await started.promise
    expect((await (await get(running.url, key, 'DELETE')).json()).state).toBe('cancelled')
    cancelled.resolve()
    await over.promise.catch(() => {})
    expect(await codeOf(await get(`${running.url}/result`))).toEqual([409, 'conflict'])
    const rows = await database.sql`
      select (select count(*)::int from as_of_part where job_id = ${running.id}) as parts,
        (select count(*)::int from as_of_result where job_id = ${running.id}) as results,
        (select count(*)::int from job_body where job_id in (${running.id}, ${waiting.id})) as bodies`
    expect(rows[0]).toEqual({ parts: 0, results: 0, bodies: 0 })
  })

  test('counts the companies of its rows once, and one over the cap is refused at its submission', async () => {
    const authorization = await sell('evaluation')
    await database.sql`update key_grant set entity_cap = 2 where key_id = (select max(key_id) from api_key)`
    const seen = async () =>
      (
        await database.sql`select count(*)::int as n from key_entity where key_id = (select max(key_id) from api_key)`
      )[0].n
    await runner()
    const { url } = await submitted({ authorization })
    expect(await seen()).toBe(2)
    expect((await ended(url, authorization)).state).toBe('succeeded')
    expect(await seen()).toBe(2)
    const over = await submit({ authorization, body: 'date,ticker\n2012-01-01,SNOW\n' })
    expect(await codeOf(over)).toEqual([403, 'entity_cap_reached'])
    expect(await seen()).toBe(2)
  })

  test('whose key has another licence by the time it runs is refused', async () => {
    const authorization = await sell('evaluation')
    const { url } = await submitted({ authorization })
    await database.sql`update key_grant set licence = 'free', evaluation_domain = null, entity_cap = null
      where key_id = (select max(key_id) from api_key)`
    await runner()
    expect((await ended(url, authorization)).error).toMatchObject({ code: 'licence_required', param: 'rows' })
  })

  test('of a revoked key is cancelled', async () => {
    const { id } = await submitted({ authorization: await sell('personal') })
    await database.sql`update api_key set revoked_at = now() where key_id = (select max(key_id) from api_key)`
    await runner(async () => {
      throw new Failure('compute_lost', 'Not yet.')
    })
    const state = async () => (await findJob(database.sql, id, joinKind))?.state
    for (let tries = 0; tries < 800 && (await state()) !== 'cancelled'; tries++) await Bun.sleep(25)
    expect(await state()).toBe('cancelled')
  })

  test('whose first attempt fails after the join gives the same bytes at the second', async () => {
    let attempts = 0
    await runner(async (job, openJob) => {
      if (++attempts > 1) return runs(job, openJob)
      const stopped = new AbortController()
      const storing = runJoinJob(server.resources, job, { signal: stopped.signal })
      stopped.abort(new Failure('compute_lost', 'The thread stopped.'))
      await storing
    })
    const { url } = await submitted()
    const end = await ended(url)
    expect([end.state, attempts]).toEqual(['succeeded', 2])
    expect(await (await get(end.result_url)).text()).toBe(await (await post()).text())
  })

  test('that two processes run at a time has one result', async () => {
    const { id, url } = await submitted()
    const job = await findJob(database.sql, id, joinKind)
    if (job === null) throw new Error('It is gone.')
    const openJob = () => ({ signal: new AbortController().signal })
    const both = await Promise.allSettled([runs(job, openJob()), runs(job, openJob())])
    expect(both.map(({ status }) => status)).toContain('fulfilled')
    const end = await ended(url)
    expect(await (await get(end.result_url)).text()).toBe(await (await post()).text())
  })

  test('runs on the pinned version, else on the present one, and names it', async () => {
    await runner()
    const present = await ended((await submitted()).url)
    const { data_version: version } = await (await get(present.result_url)).json()
    expect(present.data_version).toBe(version)
    const pinned = await ended((await submitted({ query: `${ofRows}&data_version=${version}` })).url)
    expect(pinned.data_version).toBe(version)
  })
})

test('the documentation shows jobs that the schema describes', () => {
  for (const example of nonEmpty(Object.values(examples)))
    expect([...Value.Errors(AsOfJoinJob, example)]).toEqual([])
})

describe('a stored result', () => {
  test('over the limit is refused with what to do instead, and nothing of it stays', async () => {
    const { id, url } = await submitted()
    const bytes = crypto.getRandomValues(new Uint8Array(65_536))
    const { signal } = new AbortController()
    const storing = database.sql.begin(sql => storeResult(sql, id, { headers: {}, bytes, signal }, 1_024))
    await expect(storing).rejects.toThrow('format=parquet')
    const [{ parts }] = await database.sql`select count(*)::int as parts from as_of_part where job_id = ${id}`
    expect(parts).toBe(0)
    await get(url, key, 'DELETE')
  })

  test('of several parts comes whole, and goes with its job', async () => {
    const { id, url } = await submitted()
    const bytes = new Uint8Array(new SharedArrayBuffer(9_000_000)).map((_, i) => (i * 7_919) % 251)
    const { signal } = new AbortController()
    await database.sql.begin(sql =>
      storeResult(sql, id, { headers: { 'Content-Type': 'text/csv', ETag: '"a"' }, bytes, signal }),
    )
    await database.sql`update job set state = 'succeeded', finished_at = now() where job_id = ${id}`
    const result = await get(`${url}/result`)
    expect(Buffer.from(await result.bytes()).equals(Buffer.from(bytes))).toBe(true)
    const [{ parts }] = await database.sql`select count(*)::int as parts from as_of_part where job_id = ${id}`
    expect(parts).toBe(3)
    await database.sql`update job set finished_at = now() - interval '8 days' where job_id = ${id}`
    await deleteExpired(database.sql, { jobDays: 7, jobsPerKey: 500, claimHours: 24 })
    const [{ left }] = await database.sql`select count(*)::int as left from as_of_part where job_id = ${id}`
    expect(left).toBe(0)
  })

  test('takes the place of the oldest results of its key, once they exceed its share', async () => {
    const jobs = [await submitted(), await submitted(), await submitted()]
    const { signal } = new AbortController()
    const put = async (id: string, storedBytes: number) => {
      await database.sql.begin(sql => storeResult(sql, id, { headers: {}, bytes: new Uint8Array(8), signal }))
      await database.sql`update as_of_result set stored_bytes = ${storedBytes} where job_id = ${id}`
      await database.sql`update job set state = 'succeeded', finished_at = now() where job_id = ${id}`
    }
    await put(jobs[0].id, 1_500 * 1_024 * 1_024)
    await put(jobs[1].id, 1_500 * 1_024 * 1_024)
    await put(jobs[2].id, 8)
    expect(await Promise.all(jobs.map(async ({ url }) => (await get(url)).status))).toEqual([404, 200, 200])
  })
})
