import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { parquetReadObjects } from 'hyparquet'
import requests from '../../../src/http/docs/examples/requests.json' with { type: 'json' }
import type { RealServer } from '../../http/realServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { TestBrowser } from '../account/browser.ts'
import { giveKey, memberWith, newMember } from '../account/members.ts'
import { runningServer } from '../backtestPage/runningServer.ts'

setDefaultTimeout(120_000)

const server: RealServer = await runningServer({ settings: { BODY_LIMIT_MB: '2' } })
afterAll(() => server.stop(), 60_000)
const { sql, url } = server

const personal = await memberWith(server, sql, { licence: 'personal' })
const other = await memberWith(server, sql, { licence: 'personal' })
const free = await memberWith(server, sql, { licence: 'free' })
const keyless = await newMember(server)
let addresses = 0

interface Sent {
  readonly fields?: Record<string, string>
  readonly file?: string | Uint8Array<ArrayBuffer>
}

/** Sends the form as a browser does. */
function post(browser: TestBrowser | null, { fields = {}, file }: Sent, address?: string): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ do: 'audit', ...fields })) form.set(name, value)
  form.set('file', new File(file === undefined ? [] : [file], 'rows.csv'))
  const cookie = browser === null ? '' : [...browser.cookies].map(pair => pair.join('=')).join('; ')
  return fetch(`${url}/audit`, {
    method: 'POST',
    redirect: 'manual',
    body: form,
    headers: {
      Accept: 'text/html',
      'Sec-Fetch-Site': 'same-origin',
      'X-Forwarded-For': address ?? browser?.network ?? `10.98.0.${++addresses}`,
      ...(cookie === '' ? {} : { Cookie: cookie }),
    },
  })
}

/** What a reader of the attribute gets. */
const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

const fault = (text: string) => /<div id="fault"[^>]*>([\s\S]*?)<\/div>/.exec(text)?.[1] ?? ''
const dataUrl = (page: string, name: string) => {
  const base64 = new RegExp(`href="data:[^"]*?;base64,([^"]*)" download="${name}"`).exec(page)?.[1]
  return base64 === undefined ? null : Uint8Array.from(Buffer.from(base64, 'base64'))
}

async function submitted(browser: TestBrowser, sent: Sent): Promise<string> {
  const response = await post(browser, sent)
  expect([response.status, response.headers.get('location')]).toEqual([
    303,
    expect.stringMatching(/^\/audit\/runs\/[0-9a-f-]{36}$/),
  ])
  return response.headers.get('location') ?? ''
}

async function ended(browser: TestBrowser, path: string): Promise<string> {
  for (let attempt = 0; attempt < 120; attempt++) {
    const text = await browser.page(path)
    if (!/data-state="(queued|running)"/.test(text)) return text
    expect(text).toContain('<noscript><meta http-equiv="refresh"')
    await Bun.sleep(500)
  }
  throw new Error('It does not end.')
}

/**
 * The states of the sample. Apple's 10-K of fiscal 2009 was filed on 2009-10-27 (0001193125-09-214859) with revenue of
 * 36,537 million, and its amendment with 42,905 on 2010-01-25 (0001193125-10-012091). The year before it was 32,479.
 */
const states = ['early', 'known', 'restated', 'stale']
const statesOf = (csv: string) => {
  const [head = '', ...lines] = csv.trim().split(/\r?\n/)
  const at = head.split(',').indexOf('revenue_state')
  return lines.map(line => line.split(',')[at])
}

describe('a visitor without a key', () => {
  test('tries the sample: the page has the report and the corrected rows, and stores nothing', async () => {
    const before = await sql`select from job`
    const response = await post(null, { fields: { do: 'sample' } })
    const page = await response.text()
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const report = unescaped(/<iframe class="report" srcdoc="([^"]*)"/.exec(page)?.[1] ?? '')
    expect(report).toContain('<h1>2 of 4 cells could not have been known on their date</h1>')
    expect(report).toContain('/000119312510012091/0001193125-10-012091-index.htm')
    const csv = new TextDecoder().decode(dataUrl(page, 'audit.csv') ?? new Uint8Array())
    expect(statesOf(csv)).toEqual(states)
    const parquet = dataUrl(page, 'audit.parquet')
    if (parquet === null) throw new Error('the page has no Parquet')
    const rows = await parquetReadObjects({ file: parquet.buffer })
    expect(rows.map(row => [row.revenue_state, row.revenue_known])).toEqual([
      ['early', null],
      ['known', 36537],
      ['restated', 36537],
      ['stale', 36537],
    ])
    expect(await sql`select from job`).toHaveLength(before.length)
  })

  test('may frame the report: the policy allows its style, and no other', async () => {
    const page = await post(null, { fields: { do: 'sample' } })
    const policy = page.headers.get('content-security-policy') ?? ''
    const report = unescaped(/srcdoc="([^"]*)"/.exec(await page.text())?.[1] ?? '')
    const own = /style-src ('sha256-[^']+')/.exec(report.replaceAll('&#39;', "'"))?.[1]
    expect(policy).toContain(`style-src 'self' ${own};`)
    expect(policy).not.toContain('unsafe-inline')
  })

  test('downloads the sample, which is what the button runs', async () => {
    const response = await fetch(`${url}/audit/sample.csv`)
    expect(response.headers.get('content-disposition')).toContain('audit-sample.csv')
    const text = await response.text()
    expect(text).toBe(requests.audit_csv)
    const page = await (await post(null, { file: text })).text()
    expect(statesOf(new TextDecoder().decode(dataUrl(page, 'audit.csv') ?? new Uint8Array()))).toEqual(states)
  })

  test('is refused what the API refuses to the demo key, in the same words', async () => {
    const rows = 'date,ticker,revenue\n2023-12-31,SNOW,1\n'
    const page = await post(null, { file: rows })
    const api = await fetch(`${url}/api/v1/audits`, {
      method: 'POST',
      body: rows,
      headers: { Authorization: 'Bearer demo', 'Content-Type': 'text/csv', 'X-Forwarded-For': '10.98.9.1' },
    })
    const { error } = await api.json()
    expect([page.status, api.status]).toEqual([403, 403])
    expect(unescaped(fault(await page.text()))).toContain(error.message)
  })

  test('who is signed in is the same, and learns where to get a key', async () => {
    const page = await keyless.browser.page('/audit')
    expect(page).toContain('accept=".csv,.ndjson,.jsonl,.parquet,.arrow,.arrows,text/csv"')
    expect(page).toContain('/account/licences')
    // The demo key may send 1 MB, a licence as much as the server reads.
    expect(page).toContain('At most 1 MB')
    expect(await personal.browser.page('/audit')).toContain('At most 2 MB')
    const response = await post(keyless.browser, { file: 'date,ticker,revenue\n2023-12-31,SNOW,1\n' })
    expect(response.status).toBe(403)
  })

  test('uses up the rows that the demo key has at this address', async () => {
    const address = '10.98.7.1'
    // So many that for ten seconds of the next minute the budget has no room for them a second time either.
    const rows = `date,ticker,revenue\n${'2009-10-28,AAPL,1\n'.repeat(55_000)}`
    expect((await post(null, { file: rows }, address)).status).toBe(200)
    const api = await fetch(`${url}/api/v1/audits`, {
      method: 'POST',
      body: rows,
      headers: { Authorization: 'Bearer demo', 'Content-Type': 'text/csv', 'X-Forwarded-For': address },
    })
    const { error } = await api.json()
    expect([api.status, error.code]).toEqual([429, 'rate_limited_minute'])
    const left = /only ([\d,]+) are left of the 100,000 rows per minute/.exec(error.message)?.[1]
    expect(Number(left?.replace(',', ''))).toBeWithin(45_000, 55_000)
  })
})

describe('a fault is shown in the form, with what was typed', () => {
  const faults: [sent: Sent, status: number, words: string][] = [
    [{}, 400, 'No file was chosen'],
    [{ file: '{"rows":{"date":[]}}' }, 400, 'The file is JSON'],
    [{ file: new Uint8Array([0x1f, 0x8b, 8, 0, 1]) }, 400, 'looks gzipped'],
    [{ file: 'date,ticker\n2009-10-28,AAPL\n' }, 400, 'no column of numbers to audit'],
    [{ file: 'date,ticker,revenue\nyesterday,AAPL,1\n' }, 400, 'yesterday'],
    [{ file: requests.audit_csv, fields: { columns: 'sales' } }, 400, 'such as sales=revenue'],
    [{ file: requests.audit_csv, fields: { columns: '{"sales":' } }, 400, 'such as sales=revenue'],
    [{ file: requests.audit_csv, fields: { columns: 'sales=revenue' } }, 400, 'which the rows do not have'],
    [{ file: requests.audit_csv, fields: { columns: 'revenue=revenu' } }, 400, 'Did you mean revenue'],
    [{ file: requests.audit_csv, fields: { maxAge: 'old' } }, 400, 'not a number of days'],
    [{ file: requests.audit_csv, fields: { maxAge: '-1' } }, 400, 'max_age_days'],
    [{ file: requests.audit_csv, fields: { forwardReturn: 'ret' } }, 400, 'forward_return names the column'],
  ]
  for (const [sent, status, words] of nonEmpty(faults)) {
    for (const [name, browser] of [
      ['without a key', null],
      ['with a key', personal.browser],
    ] as const)
      test(`${JSON.stringify(sent).slice(0, 80)} ${name}`, async () => {
        const response = await post(browser, sent)
        const page = await response.text()
        expect([response.status, unescaped(fault(page))]).toEqual([status, expect.stringContaining(words)])
        for (const [field, value] of Object.entries(sent.fields ?? {})) {
          const input = new RegExp(`<input id="f-${field}"[^>]*>`).exec(page)?.[0] ?? ''
          expect(unescaped(input)).toContain(`value="${value}"`)
          expect(input).toContain('aria-invalid="true"')
        }
      })
  }

  test('a file beyond the limit of bodies is refused on the page', async () => {
    const response = await post(personal.browser, { file: 'x'.repeat(3_000_000) })
    expect(response.status).toBe(413)
    expect(fault(await response.text())).toContain('MB')
  })

  test('a hostile file name or column stays text', async () => {
    const page = await post(null, { file: 'date,ticker,"<script>x</script>"\n2009-10-28,AAPL,nothing\n' })
    expect(await page.text()).not.toContain('<script>x')
  })
})

describe('with a key', () => {
  test('an audit becomes a job, whose page has the report and the downloads', async () => {
    const path = await submitted(personal.browser, { file: requests.audit_csv, fields: { filings: 'true' } })
    const page = await ended(personal.browser, path)
    expect(page).toContain('data-state="succeeded"')
    expect(page).toContain(`<iframe class="report" src="${path}/report"`)
    expect(page).toContain('Done: 4 rows')
    const report = await personal.browser.get(`${path}/report`)
    const text = await report.text()
    expect(text).toContain('<h1>2 of 4 cells could not have been known on their date</h1>')
    const policy = report.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-ancestors 'self'")
    expect(policy).not.toContain("frame-ancestors 'none'")
    const csv = await personal.browser.get(`${path}/csv`)
    expect(csv.headers.get('content-disposition')).toContain('audit.csv')
    expect(csv.headers.get('cache-control')).toBe('no-store')
    expect(csv.headers.get('access-control-allow-origin')).toBeNull()
    const rows = await csv.text()
    expect(statesOf(rows)).toEqual(states)
    expect(rows).toContain('0001193125-10-012091')
    const parquet = await parquetReadObjects({
      file: await (await personal.browser.get(`${path}/parquet`)).arrayBuffer(),
    })
    expect(parquet.map(row => row.revenue_state)).toEqual(states)
    const atOnce = await (await post(null, { file: requests.audit_csv, fields: { filings: 'true' } })).text()
    expect(rows).toBe(new TextDecoder().decode(dataUrl(atOnce, 'audit.csv') ?? new Uint8Array()))
    const { counts } = await (await personal.browser.get(`${path}/json`)).json()
    expect([counts.known, counts.early, counts.restated, counts.stale]).toEqual([1, 1, 1, 1])
    expect(await personal.browser.page('/audit')).toContain(`href="${path}"`)
  })

  test('sees companies that the licence opens', async () => {
    const path = await submitted(personal.browser, { file: 'date,ticker,revenue\n2023-12-31,SNOW,1\n' })
    expect(await ended(personal.browser, path)).toContain('data-state="succeeded"')
    const response = await post(free.browser, { file: 'date,ticker,revenue\n2023-12-31,SNOW,1\n' })
    expect([response.status, fault(await response.text()).length > 0]).toEqual([403, true])
  })

  test('is found by nobody else', async () => {
    const path = await submitted(personal.browser, { fields: { do: 'sample' } })
    await ended(personal.browser, path)
    for (const browser of [other.browser, keyless.browser, new TestBrowser(url)])
      for (const part of ['', '/report', '/csv', '/parquet', '/json'])
        expect([part, (await browser.get(`${path}${part}`)).status]).toEqual([part, 404])
    const unknown = path.replace(/.{4}$/, '0000')
    expect(await (await other.browser.get(path)).text()).toBe(await (await other.browser.get(unknown)).text())
  })

  test('counts against the limits of its key', async () => {
    const member = await newMember(server)
    const { keyId } = await giveKey(sql, member.email, { licence: 'free' })
    // Only grants that are not paid for may be lowered.
    await sql`update key_grant set per_minute = 2 where key_id = ${keyId}`
    const sample = { fields: { do: 'sample' } }
    expect((await post(member.browser, sample)).status).toBe(303)
    expect((await post(member.browser, sample)).status).toBe(303)
    const refused = await post(member.browser, sample)
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
    expect(fault(await refused.text())).toContain('requests per minute')
  })
})
