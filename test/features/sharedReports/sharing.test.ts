import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { revokeKey } from '../../../src/access/keys.ts'
import { registerFormats } from '../../../src/dates.ts'
import { listAudit } from '../../../src/features/account/auditQueries.ts'
import { SharedReportAddress, SharedReportList } from '../../../src/features/sharedReports/schema.ts'
import { deleteExpired } from '../../../src/jobs/maintainQueries.ts'
import { endGrants, giveKey, type Member, memberWith } from '../account/members.ts'
import { runningServer } from '../backtestPage/runningServer.ts'
import { asPanel, signals } from '../backtests/backtestBench.ts'

setDefaultTimeout(120_000)
registerFormats()

const server = await runningServer()
afterAll(async () => {
  await server.stop()
}, 120_000)
const { sql, url } = server

const quant = { licence: 'personal', quant: true } as const
const owner = await memberWith(server, sql, quant)
const stranger = await memberWith(server, sql, quant)
const plain = await memberWith(server, sql, { licence: 'personal' })

let visitors = 0
const network = () => `10.77.${++visitors >> 8}.${visitors & 255}`

interface Ask {
  readonly key?: string
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

function ask(path: string, { key, method, body, headers = {} }: Ask = {}): Promise<Response> {
  return fetch(url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      'X-Forwarded-For': network(),
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** The id of a backtest that has ended. */
async function run(key: string, body: unknown = { panel: asPanel(signals(60)) }): Promise<string> {
  const submitted = await ask('/api/v1/backtest', { key, body, headers: { Prefer: 'respond-async' } })
  expect(submitted.status).toBe(202)
  const { id } = await submitted.json()
  for (let tries = 0; tries < 600; tries++) {
    const job = await (await ask(`/api/v1/backtests/${id}`, { key })).json()
    if (job.finished_at !== null) {
      expect([job.state, job.error]).toEqual(['succeeded', null])
      return id
    }
    await Bun.sleep(100)
  }
  throw new Error('The backtest did not end.')
}

const sharesOf = (id: string) => `/api/v1/backtests/${id}/shares`

async function share(key: string, id: string, query = ''): Promise<{ id: string; path: string }> {
  const response = await ask(`${sharesOf(id)}${query}`, { key, method: 'POST' })
  expect(response.status).toBe(200)
  const shared = await response.json()
  return { id: shared.id, path: new URL(shared.url).pathname }
}

const html = { Accept: 'text/html' }
/** What the public sees, without the only part that differs from request to request. */
async function open(path: string): Promise<[number, string]> {
  const response = await ask(path, { headers: html })
  const id = response.headers.get('x-request-id') ?? ''
  return [response.status, (await response.text()).replaceAll(id, '')]
}

const neverMade = await open(`/shared/${'A'.repeat(43)}`)
/** Fails unless nothing tells the address from one that was never made. */
async function expectClosed(path: string): Promise<void> {
  expect(await open(path)).toEqual(neverMade)
  expect((await ask(path, { headers: { 'If-None-Match': '*' } })).status).toBe(404)
}

const backtest = await run(owner.key)

describe('a shared report', () => {
  test('opens for everyone with its address, and for nobody else', async () => {
    const response = await ask(`${sharesOf(backtest)}?expires_in_days=7`, { key: owner.key, method: 'POST' })
    const shared = await response.json()
    expect([response.status, [...Value.Errors(SharedReportAddress, shared)]]).toEqual([200, []])
    expect(response.headers.get('cache-control')).toBe('no-store')
    const { pathname } = new URL(shared.url)
    expect(Date.parse(shared.expires_at) - Date.parse(shared.created_at)).toBe(7 * 86_400_000)
    // 256 random bits.
    expect(pathname).toMatch(/^\/shared\/[A-Za-z0-9_-]{43}$/)
    const [status, text] = await open(pathname)
    expect(status).toBe(200)
    expect(text).toContain('<h1>Uploaded rows</h1>')
    for (const wrong of [
      pathname.slice(0, -1),
      `${pathname}A`,
      '/shared/',
      '/shared/%00',
      pathname.toLowerCase(),
    ])
      expect([wrong, (await ask(wrong, { headers: html })).status]).toEqual([wrong, 404])
  })

  test('is stored as the digest of its token alone', async () => {
    const { path } = await share(owner.key, backtest)
    const token = path.split('/').at(-1) ?? ''
    const digest = new Bun.CryptoHasher('sha256').update(token).digest()
    const rows =
      await sql`select digest, shared_report::text as row from shared_report where digest = ${digest}`
    expect(rows).toHaveLength(1)
    expect(rows[0].row).not.toContain(token)
    expect(rows[0].row).not.toContain(Buffer.from(token).toString('hex'))
  })

  test('asks search engines and browsers to pass it on to nobody', async () => {
    const { path } = await share(owner.key, backtest)
    const { headers } = await ask(path)
    expect(headers.get('x-robots-tag')).toContain('noindex')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('content-security-policy')).not.toContain('script-src')
    const missing = await ask('/shared/none', { headers: html })
    expect([missing.headers.get('x-robots-tag'), missing.headers.get('referrer-policy')]).toEqual([
      'noindex, nofollow',
      'no-referrer',
    ])
    expect((await open(path))[1]).toContain('<meta name="robots" content="noindex, nofollow">')
  })

  test('counts as a page, per address', async () => {
    const { path } = await share(owner.key, backtest)
    const from = { 'X-Forwarded-For': '10.78.0.1' }
    const [first, second] = [await ask(path, { headers: from }), await ask('/shared/none', { headers: from })]
    expect(first.headers.get('ratelimit-policy')).toBe('"minute";q=120;w=60, "day";q=5000;w=86400')
    const left = (response: Response) => Number(response.headers.get('x-ratelimit-remaining'))
    expect(left(second)).toBe(left(first) - 1)
  })

  test('has nothing of its owner, its key, its request or the names that were held', async () => {
    const [{ prefix, last_four }] = await sql`
      select prefix, last_four from api_key where key_id = ${owner.keyId}`
    const [{ request_id }] = await sql`select request_id from job where job_id = ${backtest}`
    const own = await ask(`/api/v1/backtests/${backtest}`, { key: owner.key, headers: html })
    const ownText = await own.text()
    const { path } = await share(owner.key, backtest)
    const [, text] = await open(path)
    // What the owner's report shows and the public one must not.
    for (const word of ['Held at the end', 'Run it again', 'request.json', '&quot;include&quot;', 'curl'])
      expect([word, ownText.includes(word), text.includes(word)]).toEqual([word, true, false])
    const secrets = [
      owner.email,
      owner.email.split('@')[1],
      owner.key,
      prefix,
      backtest,
      request_id,
      'asf_live',
    ]
    for (const secret of secrets) expect([secret, text.includes(secret)]).toEqual([secret, false])
    expect(text).not.toMatch(new RegExp(`\\b${last_four}\\b`))
    for (const asset of signals(60).map(row => row.ticker))
      expect([asset, new RegExp(`>${asset}<`).test(text)]).toEqual([asset, false])
    // Its figures are those of the owner's report.
    const tiles = (page: string) => [...page.matchAll(/class="figure">([^<]*)</g)].map(([, value]) => value)
    expect(tiles(text).length).toBeGreaterThan(10)
    expect(tiles(text)).toEqual(tiles(ownText))
  })

  test('of the archive names no stock: its latest forecasts are not public', async () => {
    const id = await run(owner.key, { source: { market: 'US', horizon: '7d' }, include: ['positions'] })
    const { result } = await (await ask(`/api/v1/backtests/${id}`, { key: owner.key })).json()
    expect(result.positions.length).toBeGreaterThan(10)
    const [, text] = await open((await share(owner.key, id)).path)
    for (const { asset } of result.positions)
      expect([asset, new RegExp(`[>"]${asset}[<"]`).test(text)]).toEqual([asset, false])
  })
})

const shared = await share(owner.key, backtest)

describe('who may do what', () => {
  const callers: [name: string, key: string | undefined, status: number, code: string][] = [
    ['nobody', undefined, 401, 'key_missing'],
    ['the demo key', 'demo', 403, 'quant_required'],
    ['a key without the quant plan', plain.key, 403, 'quant_required'],
    ['the key of somebody else', stranger.key, 404, 'entity_unknown'],
  ]
  const acts: [name: string, path: string, method: string][] = [
    ['make an address', sharesOf(backtest), 'POST'],
    ['list them', sharesOf(backtest), 'GET'],
    ['revoke one', `${sharesOf(backtest)}/${shared.id}`, 'DELETE'],
  ]
  for (const [who, key, status, code] of callers)
    for (const [act, path, method] of acts)
      test(`${who} may not ${act}`, async () => {
        const response = await ask(path, { method, ...(key === undefined ? {} : { key }) })
        expect([response.status, (await response.json()).error.code]).toEqual([status, code])
        expect((await open(shared.path))[0]).toBe(200)
      })

  const forms: Record<string, string>[] = [
    { do: 'share', days: '30' },
    { do: 'revoke', share: shared.id },
  ]
  const people: [name: string, who: Member][] = [
    ['another account', stranger],
    ['an account without the plan', plain],
  ]
  for (const [name, { browser }] of people)
    for (const fields of forms)
      test(`${name} may not ${fields.do} on the page of the run`, async () => {
        expect((await browser.post(`/backtest/runs/${backtest}`, fields)).status).toBe(404)
        expect((await open(shared.path))[0]).toBe(200)
      })

  for (const fields of forms)
    test(`a page of another site may not ${fields.do} for the owner`, async () => {
      const sent = await owner.browser.post(`/backtest/runs/${backtest}`, fields, {
        'Sec-Fetch-Site': 'cross-site',
      })
      expect(sent.status).toBe(403)
      expect((await open(shared.path))[0]).toBe(200)
    })

  test('the owner may revoke only through the backtest that it belongs to', async () => {
    const other = await run(owner.key)
    const response = await ask(`${sharesOf(other)}/${shared.id}`, { key: owner.key, method: 'DELETE' })
    expect(response.status).toBe(404)
    expect((await open(shared.path))[0]).toBe(200)
  })

  test('the owner lists what is open and revokes it', async () => {
    const listed = await (await ask(sharesOf(backtest), { key: owner.key })).json()
    expect([...Value.Errors(SharedReportList, listed)]).toEqual([])
    const { data } = listed
    expect(listed.count).toBe(data.length)
    expect(data.map((each: { id: string }) => each.id)).toContain(shared.id)
    const path = `${sharesOf(backtest)}/${shared.id}`
    const revoked = await ask(path, { key: owner.key, method: 'DELETE' })
    expect([revoked.status, await revoked.json()]).toEqual([
      200,
      { object: 'shared_report', id: shared.id, deleted: true },
    ])
    await expectClosed(shared.path)
    expect((await ask(path, { key: owner.key, method: 'DELETE' })).status).toBe(404)
    const left = await (await ask(sharesOf(backtest), { key: owner.key })).json()
    expect(left.count).toBe(listed.count - 1)
  })
})

describe('an address stops working, as if it had never been, when', () => {
  test('its last day has passed', async () => {
    const { id, path } = await share(owner.key, backtest)
    await open(path)
    await sql`update shared_report set created_at = now() - interval '2 days', expires_at = now() where share_id = ${id}`
    await expectClosed(path)
    expect((await ask(`${sharesOf(backtest)}/${id}`, { key: owner.key, method: 'DELETE' })).status).toBe(404)
  })

  test('its backtest is deleted', async () => {
    const id = await run(owner.key)
    const { path } = await share(owner.key, id)
    expect((await open(path))[0]).toBe(200)
    await sql`delete from job where job_id = ${id}`
    await expectClosed(path)
  })

  test('its key is revoked', async () => {
    const { key } = await giveKey(sql, owner.email, quant)
    const { path } = await share(key, await run(key))
    expect((await open(path))[0]).toBe(200)
    await revokeKey({ sql }, key.slice(0, 17))
    await expectClosed(path)
  })

  test('every key of its account is revoked, as when an account is closed', async () => {
    const leaver = await memberWith(server, sql, quant)
    const { path } = await share(leaver.key, await run(leaver.key))
    expect((await open(path))[0]).toBe(200)
    await sql`update api_key set revoked_at = now() where email = ${leaver.email}`
    await expectClosed(path)
  })

  test('the plan of its key ends', async () => {
    const { key, keyId } = await giveKey(sql, owner.email, quant)
    const { path } = await share(key, await run(key))
    expect((await open(path))[0]).toBe(200)
    await endGrants(sql, keyId)
    await expectClosed(path)
  })

  test('the figures that rank its names may no longer be passed on', async () => {
    const { id, path } = await share(owner.key, backtest)
    await sql`update shared_report set markets = '{US}' where share_id = ${id}`
    expect((await open(path))[0]).toBe(200)
    await sql`update shared_report set markets = '{US,KR}' where share_id = ${id}`
    await expectClosed(path)
  })

  test('a rotated key keeps what its predecessor shared', async () => {
    const { key, keyId } = await giveKey(sql, owner.email, quant)
    const { path } = await share(key, await run(key))
    await sql`insert into api_key (digest, prefix, last_four, email, root_key_id)
      select sha256('rotated'), 'asf_live_Rotated1', 'abcd', email, key_id from api_key where key_id = ${keyId}`
    await sql`update api_key set retires_at = now() where key_id = ${keyId}`
    expect((await open(path))[0]).toBe(200)
    await sql`update api_key set revoked_at = now() where root_key_id = ${keyId}`
    await expectClosed(path)
  })
})

describe('what may not be shared', () => {
  test('a backtest that has no report', async () => {
    const submitted = await ask('/api/v1/backtest', {
      key: owner.key,
      body: { panel: asPanel(signals(60)), config: { holdDays: 0 } },
      headers: { Prefer: 'respond-async' },
    })
    const { id } = await submitted.json()
    for (let tries = 0; tries < 200; tries++) {
      const { state } = await (await ask(`/api/v1/backtests/${id}`, { key: owner.key })).json()
      if (state === 'failed') break
      await Bun.sleep(50)
    }
    const response = await ask(sharesOf(id), { key: owner.key, method: 'POST' })
    expect([response.status, (await response.json()).error.code]).toEqual([409, 'conflict'])
  })

  test('figures of a register whose terms have not been read in full', async () => {
    const rows = (asset: string, other: string) => ({
      panel: Array.from({ length: 30 }, (_, i) =>
        [asset, other].map((name, place) => ({
          date: new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10),
          asset: name,
          forward_return: ((i + place) % 5) / 100,
        })),
      ).flat(),
      score: { asOf: 'roe' },
      config: { quantile: 0.5 },
    })
    const korean = await run(owner.key, rows('005930.KS', '005930.KS2'))
    const response = await ask(sharesOf(korean), { key: owner.key, method: 'POST' })
    const { error } = await response.json()
    expect([response.status, error.code]).toEqual([403, 'licence_required'])
    expect(error.message).toContain('KR')
    const [status, text] = await open(
      (await share(owner.key, await run(owner.key, rows('AAPL', 'GOOGL')))).path,
    )
    expect([status, text.includes('<h1>Uploaded rows by roe, data version')]).toEqual([200, true])
    for (const name of ['AAPL', 'GOOGL']) expect([name, text.includes(name)]).toEqual([name, false])
  })

  test('for no day, or for too many', async () => {
    for (const days of ['0', '91', '-1', '1.5', 'many']) {
      const response = await ask(`${sharesOf(backtest)}?expires_in_days=${days}`, {
        key: owner.key,
        method: 'POST',
      })
      expect([days, response.status, (await response.json()).error.code]).toEqual([
        days,
        400,
        'parameter_invalid',
      ])
      const form = await owner.browser.post(`/backtest/runs/${backtest}`, { do: 'share', days })
      expect([days, form.status]).toEqual([days, 400])
    }
  })

  test('more than twenty reports of one key at a time, however many ask at once', async () => {
    const { key } = await giveKey(sql, owner.email, quant)
    const id = await run(key)
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => ask(sharesOf(id), { key, method: 'POST' })),
    )
    const statuses = responses.map(response => response.status).sort()
    expect(statuses).toEqual([...new Array(20).fill(200), ...new Array(10).fill(409)])
    await sql`update shared_report set created_at = now() - interval '2 days', expires_at = now()
      where share_id = (select share_id from shared_report where job_id = ${id} limit 1)`
    expect((await ask(sharesOf(id), { key, method: 'POST' })).status).toBe(200)
  })
})

test('a shared backtest is kept until its last address expires, and says so', async () => {
  const retention = { jobDays: 7, jobsPerKey: 500, claimHours: 24 }
  const id = await run(owner.key)
  const { id: shareId } = await share(owner.key, id, '?expires_in_days=90')
  const job = await (await ask(`/api/v1/backtests/${id}`, { key: owner.key })).json()
  const [listed] = (await (await ask(sharesOf(id), { key: owner.key })).json()).data
  expect(job.expires_at).toBe(listed.expires_at)
  const state = async () => (await ask(`/api/v1/backtests/${id}`, { key: owner.key })).status
  await sql`update job set finished_at = now() - interval '8 days' where job_id = ${id}`
  await deleteExpired(sql, retention)
  expect(await state()).toBe(200)
  await deleteExpired(sql, { ...retention, jobsPerKey: 0 })
  expect(await state()).toBe(200)
  await ask(`${sharesOf(id)}/${shareId}`, { key: owner.key, method: 'DELETE' })
  await deleteExpired(sql, retention)
  expect(await state()).toBe(404)
})

test('the audit log of the account says who made a report public and who revoked it', async () => {
  const made = await share(owner.key, backtest, '?expires_in_days=2')
  expect((await ask(`${sharesOf(backtest)}/${made.id}`, { key: owner.key, method: 'DELETE' })).status).toBe(
    200,
  )
  const [{ prefix, accountId }] = await sql<{ prefix: string; accountId: number }[]>`
    select k.prefix, account.holder_of(k.key_id) as "accountId" from job j join api_key k using (key_id)
    where j.job_id = ${backtest}`
  const entries = await listAudit(sql, { accountId }, 2)
  expect(entries.map(({ act, actor, about }) => [act, actor, about])).toEqual([
    ['share_revoked', `key ${prefix}`, prefix],
    ['report_shared', `key ${prefix}`, prefix],
  ])
  for (const { detail, address } of entries) {
    expect(detail).toStartWith(`${made.id} of ${backtest}`)
    expect(address).toMatch(/^10\.77\./)
  }
  // An address that is not open is not revoked, and the log has no entry of it.
  expect((await ask(`${sharesOf(backtest)}/${made.id}`, { key: owner.key, method: 'DELETE' })).status).toBe(
    404,
  )
  expect((await listAudit(sql, { accountId }, 2)).map(({ at }) => at)).toEqual(entries.map(({ at }) => at))
})
