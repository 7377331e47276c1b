import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { emptyServerDatabase, testDatabase } from '../database.ts'
import { codeFor, TestBrowser } from '../features/account/browser.ts'
import { cookieOf, evaluation, giveKey } from '../features/account/members.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { makeDataDir, removeDataDir, type ServerProcess, startServerProcess } from './serverProcess.ts'

setDefaultTimeout(120_000)

const cap = 1_000
// An odd number, so that both servers get every company, each over both routes.
const companies = 1_151
const database = await emptyServerDatabase()
const { sql } = database
const dataDir = makeDataDir()
let servers: ServerProcess[] = []

beforeAll(async () => {
  await sql`
    with made as (
      insert into entity (market, issuer_id, ticker, name)
      select 'US', lpad(n::text, 10, '0'), 'C' || lpad(n::text, 4, '0'), 'Company ' || n
      from generate_series(1, ${companies}) n returning entity_id, ticker
    )
    insert into entity_ticker (ticker, entity_id) select ticker, entity_id from made`
  const settings = {
    DATABASE_URL: database.url,
    TRUSTED_PROXIES: '127.0.0.0/8',
    COMPUTE_THREADS: '1',
    MAIL_URL: '',
    BASE_URL: '',
    DATABASE_CONNECTIONS: '4',
  }
  servers = [await startServerProcess(dataDir, settings), await startServerProcess(dataDir, settings)]
}, 120_000)
afterAll(async () => {
  for (const server of servers) server.signal('SIGKILL')
  await Promise.all(servers.map(({ exited }) => exited))
  removeDataDir(dataDir)
  await database.close()
}, 180_000)

test('an evaluation sees 1,000 companies and no more, by API, pages and downloads at once, on two server processes', async () => {
  const [first] = servers
  const email = 'ana@cap.example'
  const browser = new TestBrowser(first.address)
  await browser.post('/sign-in', { email })
  for (let i = 0; i < 100 && !first.said().includes('Mail to ana'); i++) await Bun.sleep(50)
  await browser.post('/sign-in/code', { code: codeFor([first.said()], email) })
  const { key, keyId } = await giveKey(sql, email, evaluation)
  await sql`update key_grant set per_minute = 100000, per_day = null where key_id = ${keyId}`
  const Cookie = cookieOf(browser)
  let address = 0
  const ways = [
    (id: string) => ({ path: `/api/v1/fundamentals?ticker=${id}`, who: { Authorization: `Bearer ${key}` } }),
    (id: string) => ({ path: `/companies/${id}`, who: { Cookie } }),
    (id: string) => ({ path: `/companies/${id}/download?format=json`, who: { Cookie } }),
  ]
  const ask = async (place: number) => {
    const id = `C${String((place % companies) + 1).padStart(4, '0')}`
    const { path, who } = ways[place % ways.length](id)
    const forwarded = `10.50.${++address >> 8}.${address & 255}`
    const { address: url } = servers[place & 1]
    const response = await fetch(url + path, { headers: { ...who, 'X-Forwarded-For': forwarded } })
    const text = await response.text()
    return { id, status: response.status, refused: text.includes('entity_cap_reached') }
  }
  // Each company is requested twice, over different routes and from different servers.
  const waiting = Array.from({ length: 2 * companies }, (_, place) => place)
  const answers: Awaited<ReturnType<typeof ask>>[] = []
  const client = async () => {
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) answers.push(await ask(place))
  }
  await Promise.all(Array.from({ length: 24 }, client))
  const seen = new Set(answers.filter(({ status }) => status === 200).map(({ id }) => id))
  const refused = answers.filter(({ status }) => status === 403)
  expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([200, 403])
  expect(nonEmpty(refused).every(answer => answer.refused)).toBe(true)
  expect(seen.size).toBe(cap)
  const [{ n }] = await sql`select count(*)::int as n from key_entity where key_id = ${keyId}`
  expect(n).toBe(cap)
  const me = await (await servers[1].get('/api/v1/me', key)).json()
  expect(me.entities).toMatchObject({ used: cap })
})

test('a cursor of one server process continues on another: the secret comes with the database', async () => {
  const [first, second] = servers
  const page = await (await first.get('/api/v1/fundamentals?limit=5')).json()
  const path = `/api/v1/fundamentals?limit=5&cursor=${page.tickers.next}`
  const [here, there] = await Promise.all(
    [first, second].map(async server => (await server.get(path)).json()),
  )
  expect(here.tickers.data.map(({ ticker }: { ticker: string }) => ticker)).toEqual([
    'C0006',
    'C0007',
    'C0008',
    'C0009',
    'C0010',
  ])
  expect(there.tickers).toEqual(here.tickers)
  const [{ secret }] = await sql<[{ secret: Uint8Array }]>`select secret from cursor_secret`
  const other = await testDatabase()
  const [{ secret: ofOther }] = await other.sql<[{ secret: Uint8Array }]>`select secret from cursor_secret`
  await other.close()
  expect(secret.length).toBe(32)
  // Test databases are copies of one migrated template, so they share its secret, as restored backups do.
  expect(Buffer.from(ofOther).equals(secret)).toBe(true)
})
