import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import { emptyServerDatabase } from '../database.ts'
import { codeFor, TestBrowser } from '../features/account/browser.ts'

setDefaultTimeout(180_000)

const database = await emptyServerDatabase()
afterAll(() => database.close())
const root = resolve(import.meta.dir, '../..')
const env = {
  ...process.env,
  DATABASE_URL: database.url,
  HOST: '127.0.0.1',
  BASE_URL: '',
  PORT: '0',
  MAIL_URL: '',
  LOG_LEVEL: 'debug',
  COMPUTE_THREADS: '1',
}

test('a fresh server without MAIL_URL shows codes in its terminal and by a command, never in its log', async () => {
  const server = Bun.spawn(['bun', 'src/main.ts'], { cwd: root, env, stdout: 'pipe', stderr: 'pipe' })
  let shown = ''
  const log = new Response(server.stderr).text()
  const ready = Promise.withResolvers<string>()
  const follow = async () => {
    for await (const chunk of server.stdout.pipeThrough(new TextDecoderStream())) {
      shown += chunk
      const address = /is ready at\s+(http:\S+)/.exec(shown)?.[1]
      if (address !== undefined) ready.resolve(address)
    }
    ready.reject(new Error(`the server ended:\n${shown}`))
  }
  follow().catch(ready.reject)
  const browser = new TestBrowser(await ready.promise)
  await browser.post('/sign-in', { email: 'ana@fund.example' })
  for (let i = 0; i < 100 && !shown.includes('Mail to ana'); i++) await Bun.sleep(50)
  const code = codeFor([shown], 'ana@fund.example')
  const command = Bun.spawn(['bun', 'src/cli.ts', 'mail'], { cwd: root, env, stdout: 'pipe', stderr: 'pipe' })
  expect(await new Response(command.stdout).text()).toContain(code)
  expect((await browser.post('/sign-in/code', { code })).status).toBe(303)
  await browser.post('/account/api-keys')
  const key = /asf_live_\w{39}/.exec(await browser.page('/account/api-keys'))?.[0] ?? ''
  const tokens = [...browser.cookies.values()]
  const answer = await fetch(`${await ready.promise}/api/v1/coverage/AAPL`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  expect(answer.status).toBe(404)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  const lines = await log
  expect(lines).toContain('"route":"/sign-in/code"')
  for (const secret of [code, key, ...tokens]) expect(lines).not.toContain(secret)
  // Counts are written before the server exits.
  const [{ requests }] = await database.sql`select sum(requests)::int as requests from account.route_use`
  expect(requests).toBe(1)
})
