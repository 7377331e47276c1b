import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import type { RealServer } from '../../http/realServer.ts'
import type { TestBrowser } from '../account/browser.ts'
import { giveKey, memberWith, newMember } from '../account/members.ts'
import { closingRows } from '../backtests/closingRows.ts'
import { runningServer } from './runningServer.ts'

setDefaultTimeout(120_000)

const server: RealServer = await runningServer({ settings: { BODY_LIMIT_MB: '2' } })
afterAll(() => server.stop(), 60_000)
const { sql, url } = server

// Its quant plan is not on its best grant: the pages must find the key that has it.
const quant = await memberWith(server, sql, { licence: 'free', quant: true })
await giveKey(sql, quant.email, { licence: 'commercial' })
const other = await memberWith(server, sql, { licence: 'personal', quant: true })
const plain = await memberWith(server, sql, { licence: 'personal' })

const days = Array.from({ length: 40 }, (_, i) => new Date(Date.UTC(2024, 0, 1 + i)))
  .filter(day => ![0, 6].includes(day.getUTCDay()))
  .map(day => day.toISOString().slice(0, 10))
const lines = days.flatMap((day, i) =>
  ['A', 'B', 'C', 'D'].map(
    (asset, place) => `${day},${asset},${(i * 7 + place * 3) % 5},${((i + place) % 7) / 1000}`,
  ),
)
const csv = (rows: readonly string[]) => `date,asset,score,forward_return\n${rows.join('\n')}\n`
const good = csv(lines)
const bad = csv(lines.map((line, i) => (i === 5 ? line.replace(/,[^,]+,([^,]+)$/, ',high,$1') : line)))

interface Sent {
  readonly fields?: Record<string, string>
  readonly file?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
}

/** Sends the form as a browser does. */
function post(browser: TestBrowser | null, { fields = {}, file, headers = {} }: Sent): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('file', new File(file === undefined ? [] : [file], 'rows.csv'))
  const cookie = browser === null ? '' : [...browser.cookies].map(pair => pair.join('=')).join('; ')
  return fetch(`${url}/backtest`, {
    method: 'POST',
    redirect: 'manual',
    body: form,
    headers: {
      Accept: 'text/html',
      'Sec-Fetch-Site': 'same-origin',
      'X-Forwarded-For': browser?.network ?? '10.99.0.1',
      ...(cookie === '' ? {} : { Cookie: cookie }),
      ...headers,
    },
  })
}

async function run(browser: TestBrowser, sent: Sent): Promise<string> {
  const response = await post(browser, sent)
  expect([response.status, response.headers.get('location')]).toEqual([
    303,
    expect.stringContaining('/backtest/runs/'),
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

describe('without a key', () => {
  test('every choice of the grid shows its stored report, under a policy of its own', async () => {
    const text = await new (await import('../account/browser.ts')).TestBrowser(url).page('/backtest')
    expect(text).toContain('accept=".csv,.gz,.ndjson,.jsonl,.parquet,.arrow,.arrows,text/csv"')
    expect(text).toContain('88 US stocks')
    expect(text).toContain('/sign-in?next=/backtest')
    expect(text).toContain('<div id="own-form" hidden>')
    const report = await fetch(
      `${url}/backtest/example?horizon=7d&quantile=0.2&weighting=rank&hold=5&run=one`,
    )
    expect(report.headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
    expect(report.headers.get('content-security-policy')).not.toContain('script-src')
    expect(await report.text()).toContain('<h1>The archive, data version')
    const json = await (await fetch(`${url}/backtest/example?horizon=7d&hold=10&format=json`)).json()
    expect([json.config.holdDays, json.config.quantile, json.source.horizon]).toEqual([70, 0.1, '7d'])
    const curve = await (await fetch(`${url}/backtest/example?horizon=7d&format=csv`)).text()
    expect(curve.split('\r\n')[0]).toBe('date,net,gross,universe')
    expect(curve.split('\r\n')).toHaveLength(json.equity_curve.length + 2)
    const wrong = await fetch(`${url}/backtest/example?quantile=0.15`)
    expect(wrong.status).toBe(400)
  })

  test('a form is not run: who is signed out signs in, and others learn what is missing', async () => {
    const out = await post(null, { fields: { do: 'run' } })
    expect([out.status, out.headers.get('location')]).toEqual([303, '/sign-in?next=/backtest'])
    const refused = await post(plain.browser, { fields: { do: 'run' } })
    expect([refused.status, (await refused.text()).includes('quant_required')]).toEqual([403, true])
  })
})

describe('a file', () => {
  const check = async (file: string | Uint8Array<ArrayBuffer>, fields = {}) => {
    const response = await post(quant.browser, { fields: { rows: 'file', do: 'check', ...fields }, file })
    return { status: response.status, text: await response.text() }
  }

  test('is recognised: its columns, its first rows, its size', async () => {
    const { status, text } = await check(good)
    expect(status).toBe(200)
    expect(text).toContain('The file is valid')
    expect(text).toContain(
      `${lines.length} rows of 4 assets on ${days.length} dates, 2024-01-01 to ${days.at(-1)}.`,
    )
    expect(text).toContain('<th scope="col">score<small>read as score</small></th>')
    expect(text).toContain('<td>2024-01-01</td><td>A</td>')
  })

  test('has its fault named with its line', async () => {
    const { status, text } = await check(bad)
    expect(status).toBe(400)
    expect(text).toContain('line 7.score is &quot;high&quot;')
  })

  test('may be Parquet, whose rows have numbers, and is no more than that', async () => {
    const parquet = await Bun.file(
      resolve(import.meta.dir, '../../commands/fixtures/polars-zstd.parquet'),
    ).bytes()
    const { status, text } = await check(parquet)
    expect([status, text.includes('The file is valid')]).toEqual([200, true])
    for (const [file, words] of [
      ['{"panel":[]}', 'The file is JSON'],
      ['', 'No file was chosen'],
      [new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2, 3]), 'looks gzipped'],
      ['date,asset\n2024-01-01,A\n', 'score'],
    ] as const) {
      const refused = await check(typeof file === 'string' ? file : new Uint8Array(file))
      expect([words, refused.status]).toEqual([words, 400])
      expect(refused.text).toContain(words)
    }
  })

  test('of several horizons asks for one in the words of the page', async () => {
    const packed = await Bun.file(resolve(import.meta.dir, '../../../sample/signals.csv.gz')).bytes()
    const several = await check(packed)
    expect([several.status, several.text.includes('--horizon')]).toEqual([400, false])
    expect(several.text).toContain('Horizon of the file')
    const one = await check(packed, { fileHorizon: '7d' })
    expect([one.status, one.text.includes('read as forward_return')]).toEqual([200, true])
  })

  test('beyond the limit of bodies is refused', async () => {
    const response = await post(quant.browser, { fields: { rows: 'file' }, file: new Uint8Array(3_000_000) })
    expect(response.status).toBe(413)
  })
})

describe('a run', () => {
  test('of a file ends in the report, its downloads and the lines that do the same', async () => {
    const path = await run(quant.browser, {
      fields: { rows: 'file', do: 'run', quantile: '0.5', folds: '2' },
      file: good,
    })
    const text = await ended(quant.browser, path)
    expect(text).toContain('data-state="succeeded"')
    expect(text).toContain(`<iframe class="report" src="${path}/report"`)
    expect(text).toContain('--data-binary @rows.csv')
    expect(text).toContain('pd.read_parquet')
    const json = await (await quant.browser.get(`${path}/result`)).json()
    expect([json.config.quantile, json.config.folds]).toEqual([0.5, 2])
    expect(json.performance).toBeDefined()
    expect(await (await quant.browser.get(`${path}/report`)).text()).toContain('<h1>Your rows</h1>')
    expect(await (await quant.browser.get(`${path}/curve`)).text()).toStartWith('date,net,gross,universe\r\n')
    const api = await fetch(`${url}/api/v1/backtests/${path.split('/').at(-1)}`, {
      headers: { Authorization: `Bearer ${quant.key}` },
    })
    expect((await api.json()).result).toEqual(json)
  })

  test('on closes, on a calendar and under limits shows what the limits did, and its lines do the same', async () => {
    const closes = closingRows()
    const names = ['date', 'asset', 'score', 'close', 'borrow_bps', 'dollar_volume'] as const
    const file = `${names.join(',')}\n${closes.map(row => names.map(name => row[name] ?? '').join(',')).join('\n')}\n`
    const limits = { maxTurnover: 0.3, maxWeight: 0.1, targetVolatility: 0.1, maxLeverage: 1.5 }
    const path = await run(quant.browser, {
      fields: {
        ...{ rows: 'file', do: 'run', rebalance: 'weekly:FRI', entryDates: '2', delistingReturn: '-0.6' },
        ...Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, String(value)])),
        ...{ impact: '0.5', capital: '1000000' },
      },
      file,
    })
    const text = await ended(quant.browser, path)
    expect(text).toContain('data-state="succeeded"')
    const json = await (await quant.browser.get(`${path}/result`)).json()
    expect(json.returns).toMatchObject({ rebalance: 'weekly:FRI', entryDates: 2, delistingReturn: -0.6 })
    expect(json.trading).toMatchObject({ ...limits, impact: 0.5, capital: 1e6, borrow_by_name: true })
    const report = await (await quant.browser.get(`${path}/report`)).text()
    for (const shown of [
      'Turnover capped',
      'Weights capped',
      'Leverage at its limit',
      'Impact paid per year',
    ])
      expect(report).toContain(shown)
    const api = await fetch(`${url}/api/v1/backtest`, {
      method: 'POST',
      body: JSON.stringify({
        config: json.request.config,
        panel: closes.map(row => Object.fromEntries(names.map(name => [name, row[name]]))),
      }),
      headers: { Authorization: `Bearer ${quant.key}`, 'Content-Type': 'application/json' },
    })
    expect((await api.json()).metrics).toEqual(json.metrics)
  })

  test('of the archive has the curl line that gives the same numbers', async () => {
    const path = await run(quant.browser, {
      fields: {
        rows: 'archive',
        horizon: '7d',
        do: 'run',
        run: 'grid',
        holds: '7,14',
        benchmark: 'universe',
      },
    })
    const text = await ended(quant.browser, path)
    const curl = /id="curl"[^>]*><code>([\s\S]*?)<\/code>/.exec(text)?.[1] ?? ''
    const request = /-d &#39;(.*)&#39;$/s.exec(curl)?.[1]?.replaceAll('&quot;', '"') ?? ''
    const again = await fetch(`${url}/api/v1/backtest`, {
      method: 'POST',
      body: request,
      headers: { Authorization: `Bearer ${quant.key}`, 'Content-Type': 'application/json' },
    })
    const json = await (await quant.browser.get(`${path}/result`)).json()
    expect(json.trials).toHaveLength(2)
    expect(json.benchmark).toBe('universe')
    const { request: _, ...numbers } = json
    const { request: _spelled, ...same } = await again.json()
    expect(same).toEqual(numbers)
  })

  test('is for its owner alone: for others there is no such page, to the byte', async () => {
    const path = await run(quant.browser, { fields: { rows: 'file', do: 'run' }, file: good })
    const missing = path.replace(/[0-9a-f]{12}$/, '000000000000')
    const strangers = [other.browser, plain.browser, (await newMember(server)).browser]
    for (const browser of strangers) {
      const [theirs, none] = [await browser.get(path), await browser.get(missing)]
      expect([theirs.status, none.status, await theirs.text()]).toEqual([404, 404, await none.text()])
      for (const part of ['report', 'result', 'curve', 'events'])
        expect([part, (await browser.get(`${path}/${part}`)).status]).toEqual([part, 404])
      expect((await browser.post(`${path}/cancel`)).status).toBe(404)
    }
    expect((await quant.browser.get(path)).status).toBe(200)
    const withKey = (key: string) =>
      fetch(url + path, { headers: { Authorization: `Bearer ${key}`, Accept: 'text/html' } })
    expect([(await withKey(quant.key)).status, (await withKey(other.key)).status]).toEqual([200, 404])
  })

  test('can be cancelled', async () => {
    const fields = { rows: 'archive', horizon: '1d', do: 'run', run: 'sweep' }
    const path = await run(quant.browser, { fields })
    const response = await quant.browser.post(`${path}/cancel`)
    expect([response.status, response.headers.get('location')]).toEqual([303, path])
    expect(await ended(quant.browser, path)).toContain('data-state="cancelled"')
    expect((await quant.browser.get(`${path}/result`)).status).toBe(409)
  })

  test('under a limit that is not one names its field', async () => {
    const response = await post(quant.browser, {
      fields: { rows: 'file', do: 'run', maxWeight: '-1' },
      file: good,
    })
    expect(response.status).toBe(400)
    const text = await response.text()
    expect(text).toContain('maxWeight is -1')
    expect(text).toMatch(/<details[^>]* open/)
    expect(text).not.toContain('undefined')
  })

  test('with a fault in its settings is not stored: the form comes back with what was typed', async () => {
    const [{ before }] = await sql<{ before: number }[]>`select count(*)::int as before from job`
    for (const [fields, words] of [
      [{ quantile: '0.9' }, 'quantile is 0.9'],
      [{ quantile: 'much' }, 'is not a number'],
      [{ run: 'grid' }, 'Your own grid is empty'],
      [{ from: '2024-02-30' }, 'from'],
      [{ score: 'roe' }, 'market'],
      [{ holdDays: '253' }, 'holdDays'],
      [{ benchmark: 'spx' }, 'The benchmark of the form is cash or universe.'],
    ] as const) {
      const response = await post(quant.browser, { fields: { rows: 'archive', do: 'run', ...fields } })
      const text = await response.text()
      expect([fields, response.status]).toEqual([fields, 400])
      expect(text).toContain(words)
      expect(text).toContain('aria-invalid="true"')
    }
    const uneven = await post(quant.browser, {
      fields: { rows: 'file', returnDays: '5', holdDays: '7' },
      file: good,
    })
    expect(uneven.status).toBeGreaterThanOrEqual(400)
    const [{ after }] = await sql<{ after: number }[]>`select count(*)::int as after from job`
    expect(after).toBe(before)
  })
})

describe('a pasted key', () => {
  test('runs as that key, is counted as on the API, and is in no answer', async () => {
    const { key } = await giveKey(sql, other.email, { licence: 'free', quant: true })
    const headers = { Authorization: `Bearer ${key}`, Accept: 'text/html' }
    const page = await fetch(`${url}/backtest`, { headers })
    const text = await page.text()
    expect([page.status, text.includes('<div id="own-form">'), text.includes(key)]).toEqual([
      200,
      true,
      false,
    ])
    expect(Number(page.headers.get('x-ratelimit-limit'))).toBe(300)
    const sent = await post(null, { fields: { rows: 'file', do: 'run' }, file: good, headers })
    const path = sent.headers.get('location') ?? ''
    expect(path).toContain('/backtest/runs/')
    expect(path).not.toContain(key)
    const [job] = await sql<{ name: string }[]>`
      select k.prefix as name from job j join api_key k using (key_id) where job_id = ${path.split('/').at(-1) ?? ''}`
    expect(key.startsWith(job?.name ?? 'none')).toBe(true)
  })

  test('without the plan, unknown or malformed is refused as on the API', async () => {
    for (const [key, status, code] of [
      [plain.key, 403, 'quant_required'],
      ['demo', 403, 'quant_required'],
      ['asf_live_wrong', 401, 'key_malformed'],
    ] as const) {
      const response = await fetch(`${url}/backtest`, { headers: { Authorization: `Bearer ${key}` } })
      expect([key, response.status, (await response.json()).error.code]).toEqual([key, status, code])
    }
  })
})
