import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startJobs } from '../../src/boot/jobs.ts'
import { auditTasks } from '../../src/features/audits/runJob.ts'
import { sellKey } from '../http/callers.ts'
import { type RealServer, realServer } from '../http/realServer.ts'
import { runOn } from './runInProcess.ts'

setDefaultTimeout(180_000)

/**
 * `asfiled audit` against a server. Apple's revenue of fiscal 2009 was 36,537 million in the 10-K of 2009-10-27
 * (0001193125-09-214859), and 42,905 million in the 10-K/A of 2010-01-25 (0001193125-10-012091); that of fiscal 2008 was
 * 32,479 million.
 */

let server: RealServer
let stopJobs: () => Promise<void>
let key: string
const folder = mkdtempSync(join(tmpdir(), 'asfiled-audit-'))

beforeAll(async () => {
  server = await realServer()
  const { resources } = server
  stopJobs = await startJobs(
    { url: server.databaseUrl, concurrency: 1, drainTimeoutMs: 5_000 },
    {
      ...resources,
      tasks: auditTasks(resources),
      processId: crypto.randomUUID(),
      explain: resources.storage.explain,
      report: () => {},
    },
  )
  key = await sellKey(server.sql, { licence: 'personal', quant: true, expires: '2099-01-01' })
})
afterAll(async () => {
  await stopJobs()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...words: string[]) =>
  runOn({ ASFILED_URL: server.url, ASFILED_KEY: key, COMPUTE_THREADS: '1' }, 'audit', ...words)

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const dates = ['2009-09-26', '2009-10-28', '2009-10-28', '2009-10-28']
const sales = [36537, 36537, 42905, 32479]
const csv = `date,ticker,sales\n${dates.map((date, at) => `${date},AAPL,${sales[at]}`).join('\n')}\n`
const states = ['early', 'known', 'restated', 'stale']
const column = 'sales=revenue,fp=FY,scale=1e6'

describe('asfiled audit', () => {
  test('shows counts, readings and the worst cells with their filings', async () => {
    const { code, out, error } = await run(file('panel.csv', csv), '--column', column)
    expect([code, error]).toEqual([0, ''])
    const lines = out.split('\n')
    expect(lines[0]).toStartWith('panel.csv: 4 rows, 1 column, compared with data version ')
    expect(lines).toContain('COLUMN  KNOWN  STALE  RESTATED  EARLY')
    expect(lines).toContain('sales       1      1         1      1')
    expect(out).toContain('- sales is read as revenue (as you said): fiscal years, in millions, USD.')
    const worst = lines.slice(lines.indexOf('The 2 cells that look ahead the furthest:') + 2)
    expect(worst.slice(0, 2).map(line => line.split(/ +/))).toEqual([
      [
        ...['3', '2009-10-28', 'AAPL', 'sales', '42905', '36537', 'restated', '89'],
        ...['2010-01-25', '0001193125-10-012091'],
      ],
      ['1', '2009-09-26', 'AAPL', 'sales', '36537', '-', 'early', '31', '2009-10-27', '0001193125-09-214859'],
    ])
    expect(out).toMatch(/^[\n\x20-\x7e]*$/)
  })

  test('reads every format the same, gzipped and as JSON of columns, rows or a request', async () => {
    const rows = dates.map((date, at) => ({ date, ticker: 'AAPL', sales: sales[at] }))
    const columns = { date: dates, ticker: dates.map(() => 'AAPL'), sales }
    const files = [
      file('gzipped.csv.gz', Bun.gzipSync(new TextEncoder().encode(csv))),
      file('rows.ndjson', rows.map(row => JSON.stringify(row)).join('\n')),
      file('rows.json', JSON.stringify(rows)),
      file('columns.json', JSON.stringify(columns)),
      file('request.json', JSON.stringify({ rows: columns, with: ['end'] })),
    ]
    for (const path of files) {
      const { code, out, error } = await run(path, '--json', '--column', column)
      expect([path, code, error]).toEqual([path, 0, ''])
      const { object, counts, rows: sent } = JSON.parse(out)
      expect([path, object, sent]).toEqual([path, 'audit', undefined])
      expect(counts).toMatchObject({ known: 1, stale: 1, restated: 1, early: 1, no_match: 0 })
    }
    const twice = await run(
      file('request.json', JSON.stringify({ rows: columns, with: ['end'] })),
      '--with',
      'end',
    )
    expect([twice.code, twice.error]).toEqual([
      2,
      'asfiled: request.json and an option both set with. Set it in one of them.\n',
    ])
  })

  test('writes the rows with their states as a job, and a Parquet file of them can be audited again', async () => {
    const path = file('panel.csv', csv)
    const wanted = ['--column', column, '--with', 'filing,filed']
    for (const extension of ['csv', 'ndjson', 'parquet', 'json', 'html']) {
      const target = join(folder, `audited.${extension}`)
      const { code, error } = await run(path, ...wanted, '--output', target)
      expect([extension, code, error]).toEqual([extension, 0, `Wrote ${target}.\n`])
    }
    const [head, ...lines] = readFileSync(join(folder, 'audited.csv'), 'utf8').trim().split(/\r?\n/)
    expect(head).toBe('date,ticker,sales,sales_state,sales_known,sales_days,sales_filing,sales_filed')
    expect(lines.map(line => line.split(',')[3])).toEqual(states)
    const json = JSON.parse(readFileSync(join(folder, 'audited.json'), 'utf8'))
    expect([json.rows.sales_state, json.rows.sales_known]).toEqual([states, [null, 36537, 36537, 36537]])
    expect(readFileSync(join(folder, 'audited.html'), 'utf8')).toContain('<!doctype html>')
    // The corrected column is known everywhere but where nothing was.
    const again = await run(
      join(folder, 'audited.parquet'),
      '--json',
      '--column',
      'sales_known=revenue,scale=1e6',
    )
    expect(JSON.parse(again.out).counts).toMatchObject({ known: 3, empty: 1, early: 0, restated: 0 })
    const [jobs] = await server.sql`select count(*)::int from job where kind = 'audit'`
    expect(jobs.count).toBe(4)
  })

  test('follows the job of a large file', async () => {
    const rows = 200_001
    const path = file('large.csv', `date,ticker,sales\n${'2009-10-28,AAPL,42905\n'.repeat(rows)}`)
    const { code, out, error } = await run(path, '--column', column, '--json')
    expect([code, error]).toEqual([0, ''])
    expect(JSON.parse(out)).toMatchObject({ count: rows, counts: { restated: rows } })
  })

  test('--fail-on makes it exit with 1, after the report', async () => {
    const path = file('panel.csv', csv)
    const failing = await run(path, '--column', column, '--fail-on', 'restated,other_company,early')
    expect([failing.code, failing.error]).toEqual([
      1,
      'Cells with a state of --fail-on: 1 restated, 1 early.\n',
    ])
    expect(failing.out).toContain('COLUMN')
    expect((await run(path, '--column', column, '--fail-on', 'no_match')).code).toBe(0)
  })

  test('passes its options on', async () => {
    const path = file('eve.csv', 'date,ticker,"a=b,c"\n2009-10-27,AAPL,36537\n')
    const { out } = await run(path, '--json', '--inclusive', '--column', 'a=b,c=revenue,scale=1e6')
    expect([JSON.parse(out || 'null')?.known]).toEqual(['filed on or before the date'])
  })
})

describe('what it refuses', () => {
  const cases: [string[], string][] = [
    [['--column', 'sales=revenue,fp=XX'], '--column sales: fp is "XX"'],
    [['--column', 'sales=revenue,scale=big'], 'scale is not a number'],
    [['--column', 'sales=revenue,scale=7'], '--column sales'],
    [['--column', 'sales=revenue', '--column', 'sales=assets'], 'names sales twice'],
    [['--column', '=revenue'], 'is not NAME=METRIC'],
    [['--column', 'sales=revenues'], 'which is not a metric. Did you mean revenue'],
    [['--column', 'turnover=revenue'], '--column names "turnover", which the rows do not have'],
    [['--with', 'name'], '--with'],
    [['--config', '{'], '--config is not JSON'],
    [['--forward-return', 'nothing'], '--forward-return names the column "nothing"'],
    [['--fail-on', 'late'], 'late is not a state. States are known, rounded'],
    [['--output', join(folder, 'audited.xlsx')], 'has to end with .json, .csv, .ndjson, .parquet, .html'],
    [['--output', join(folder, 'panel.csv')], '--output would overwrite the file with the rows'],
    [['--url', 'localhost'], '--url is localhost, which is not a URL'],
  ]
  for (const [words, message] of cases) {
    test(`${words.join(' ')}: wrong usage`, async () => {
      const { code, out, error } = await run(file('panel.csv', csv), ...words)
      expect([code, out, error]).toEqual([2, '', expect.stringContaining(message)])
    })
  }

  test('without a file it says where the log of accounts is now', async () => {
    for (const words of [[], ['--json'], ['--email', 'ana@fund.example'], ['--limit', '3']]) {
      const { code, error } = await run(...words)
      expect([code, error]).toEqual([2, expect.stringContaining('./asfiled audit-log.')])
    }
  })

  test('rows that cannot be read are named with the file, and nothing is written', async () => {
    const target = join(folder, 'never.csv')
    const path = file('bad.csv', 'date,ticker,sales\nyesterday,AAPL,1\n')
    const { code, error } = await run(path, '--output', target)
    expect([code, error]).toEqual([1, expect.stringMatching(/^asfiled: bad\.csv: .*yesterday/)])
    expect(existsSync(target)).toBe(false)
  })

  test('a key that the server does not know, and a server that does not answer', async () => {
    const path = file('panel.csv', csv)
    const env = { ASFILED_URL: server.url, ASFILED_KEY: `${key.slice(0, -6)}AAAAAA`, COMPUTE_THREADS: '1' }
    const unknown = await runOn(env, 'audit', path)
    expect([unknown.code, unknown.out]).toEqual([1, ''])
    expect(unknown.error).toContain('key')
    const away = await run(path, '--url', 'http://127.0.0.1:9')
    expect([away.code, away.error]).toEqual([
      1,
      expect.stringContaining('http://127.0.0.1:9 does not answer'),
    ])
  })
})

describe('a job on a server that answers as it should not', () => {
  const id = '019aa0c2-7d3c-7000-9c5e-3f1f0a6b7c56'
  const job = (change: object) => ({
    object: 'audit_job',
    state: 'running',
    url: `/api/v1/audits/${id}`,
    result_url: null,
    progress: { done: 0, total: 3 },
    error: null,
    ...change,
  })

  /** A server whose job is, poll after poll, what is listed, and then stays at the last. */
  async function against(polls: readonly (Response | object)[], onPoll: (poll: number) => void = () => {}) {
    const seen: string[] = []
    let poll = 0
    const fake = Bun.serve({
      port: 0,
      fetch: ({ method, url }) => {
        seen.push(`${method} ${new URL(url).pathname}`)
        if (method === 'POST') return Response.json(job({ state: 'queued' }), { status: 202 })
        if (method === 'DELETE') return Response.json(job({ state: 'cancelled' }))
        onPoll(poll)
        const answer = polls[Math.min(poll++, polls.length - 1)]
        return answer instanceof Response ? answer.clone() : Response.json(answer)
      },
    })
    try {
      const path = file('panel.csv', csv)
      return { ...(await run(path, '--url', `http://127.0.0.1:${fake.port}`)), seen }
    } finally {
      await fake.stop(true)
    }
  }

  test('a busy server is asked again, and the reason of a failure is shown', async () => {
    const busy = Response.json(
      { error: { code: 'database_unavailable', message: 'The database is away.' } },
      { status: 503, headers: { 'Retry-After': '0' } },
    )
    const failed = job({ state: 'failed', error: { code: 'compute_timeout', message: 'It took too long.' } })
    const { code, error } = await against([busy, job({}), failed])
    expect([code, error]).toEqual([1, 'asfiled: It took too long.\n'])
  })

  test('Ctrl-C cancels the job on the server', async () => {
    const { code, out, error, seen } = await against([job({})], poll => {
      if (poll === 1) process.emit('SIGINT')
    })
    expect([code, out, error]).toEqual([1, '', expect.stringContaining('The audit was cancelled.')])
    expect(seen.at(-1)).toBe(`DELETE /api/v1/audits/${id}`)
  })

  test('what is not asfiled is named', async () => {
    const { code, error } = await against([new Response('<html>', { status: 404 })])
    expect([code, error]).toEqual([1, expect.stringContaining('--url has to be its address without a path')])
  })
})
