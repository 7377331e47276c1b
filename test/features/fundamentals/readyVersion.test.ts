import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { companyDirectory } from '../../../src/features/companies/directory.ts'
import { ResponseCache } from '../../../src/http/responseCache.ts'
import { fillReadyAnswers } from '../../../src/ingest/store/readyQueries.ts'
import { advanceDataVersion, readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { testServer } from '../../http/testServer.ts'
import { entityIdOf } from '../companies/fixtures.ts'

setDefaultTimeout(180_000)
let database: TestDatabase
beforeAll(async () => {
  database = await sampleDatabase()
}, 180_000)
afterAll(() => database.close())

test('rows that came with a company are never sent, nor cached, under a later data version', async () => {
  const { sql } = database
  const id = await entityIdOf(sql, 'AAPL')
  await fillReadyAnswers(sql, [id])
  const [{ today }] = await sql<{ today: string }[]>`select import_day() as today`
  const before = await readDataVersion(sql)
  // The data version that this server knows. It hears of the next one while it compresses a response.
  let heard = before
  let hears = () => {}
  const current = () => {
    hears()
    return heard
  }
  const server = await testServer(sql, {
    today: () => today,
    directory: companyDirectory(sql),
    dataVersion: () => heard,
    responses: new ResponseCache({ current }),
  })
  const key = await sellKey(sql)
  const ask = (query: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/api/v1/fundamentals?${query}`, {
      headers: { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'identity', ...headers },
    })
  const one = 'ticker=AAPL&view=latest'
  const other = 'view=latest&ticker=AAPL'
  const tag = await (async () => {
    const slow = await testServer(sql, { today: () => today, dataVersion: () => before })
    const answer = await fetch(`${slow.url}/api/v1/fundamentals?${one}`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    await answer.text()
    await slow.stop()
    return answer.headers.get('etag') ?? ''
  })()
  // Looks the company up and sends none of the rows that were read with it.
  expect((await ask(one, { 'If-None-Match': tag })).status).toBe(304)
  expect((await ask(other)).status).toBe(200)
  const next = await sql.begin(async transaction => {
    await transaction`update fact set value = value + 1 where entity_id = ${id}`
    return advanceDataVersion(transaction, { source: 'test', entities: 1, factsAdded: 1 })
  })
  hears = () => {
    heard = next
  }
  const answer = await ask(one, { 'Accept-Encoding': 'gzip' })
  const list: { data_version: number; data: { v: number }[] } = await answer.json()
  expect(list.data_version).toBe(next)
  const again: typeof list = await (await ask(other)).json()
  expect(again).toEqual(list)
  await server.stop()
})
