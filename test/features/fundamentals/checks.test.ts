import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayNumber, isoDate, nearestMonthEnd } from '../../../src/dates.ts'
import type { FundamentalsRow } from '../../../src/features/fundamentals/schema.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { readFilingPackage } from '../../../src/ingest/registers/us/filingPackage.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { type CheckState, checkStates } from '../../../src/markets/checkStates.ts'
import { chooseStatement } from '../../../src/wholeFilings/kindOfStatement.ts'
import { isInstant, quartersOf } from '../../../src/wholeFilings/layOut.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { readZipFiles } from '../../ingest/registers/us/packages.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { sharedPath } from '../../shared.ts'
import { zipped } from '../../zipped.ts'

setDefaultTimeout(300_000)

const dataSet = sharedPath('registers/us/fsds/2009q3.zip')
const microsoft = sharedPath('registers/us/filings/msft-10k_2015.zip')

let database: TestDatabase
let server: TestServer
let key: string
let left = 0

const load = async (paths: readonly (string | null)[]) => {
  const found = paths.filter(path => path !== null)
  await importRegister(database.sql, usRegister, { paths: found, observedOn: '2026-01-01' }, () => {})
}

beforeAll(async () => {
  database = await testDatabase()
  if (dataSet === null || microsoft === null) return
  await load([dataSet, microsoft])
  server = await testServer(database.sql)
})
afterAll(async () => {
  await server?.stop()
  await database.close()
})

/** A key answers 300 requests a minute. */
async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  if (left-- === 0) {
    key = await sellKey(database.sql, { licence: 'personal', quant: true })
    left = 250
  }
  const response = await fetch(`${server.url}/api/v1/${path}`, {
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await response.text()
  expect([path, response.status, response.status === 200 ? '' : text]).toEqual([path, 200, ''])
  return JSON.parse(text)
}

interface Rows {
  readonly note?: string
  readonly data: readonly FundamentalsRow[]
}

interface CrossSectionRows {
  readonly next: string | null
  readonly data: readonly { readonly ticker: string; readonly value: number; readonly end: string }[]
}

const some: readonly (readonly CheckState[])[] = [
  ['proved'],
  ['proved', 'consistent'],
  ['unchecked'],
  ['consistent', 'contradicted'],
]

const without = ({ check: _, ...row }: FundamentalsRow) => row

describe.skipIf(dataSet === null || microsoft === null)('checks', () => {
  // Microsoft's 10-K for the year to 2015-06-30 (0001193125-15-272806): its calculation linkbase adds these up.
  test('figures that the filing itself adds up are proved', async () => {
    const metrics = 'assets,revenue,operating_income,net_income,operating_cash_flow'
    const { data } = await ask<Rows>(`fundamentals?ticker=MSFT&metric=${metrics}&fp=FY&fy=2015&fields=check`)
    expect(Object.fromEntries(data.map(({ m, v, check }) => [m, [v, check]]))).toEqual({
      assets: [176_223_000_000, 'proved'],
      revenue: [93_580_000_000, 'proved'],
      operating_income: [18_161_000_000, 'proved'],
      net_income: [12_193_000_000, 'proved'],
      operating_cash_flow: [29_080_000_000, 'proved'],
    })
    const none = await ask<Rows>('fundamentals?ticker=MSFT&metric=revenue&checks=contradicted')
    expect([none.data, none.note]).toEqual([[], expect.stringContaining('No such figure filed up to')])
  })

  test('a row has the same state in every view, and checks leaves out exactly the rows in other states', async () => {
    const companies = await database.sql<{ ticker: string }[]>`
      select ticker from entity where market = 'US' order by md5(ticker) limit 25`
    let proven = 0
    for (const { ticker } of nonEmpty(companies))
      for (const query of [
        '',
        '&view=latest',
        '&vintage=first',
        '&fp=TTM',
        '&fp=Q3',
        '&fp=TTM&view=latest',
      ]) {
        const path = `fundamentals?ticker=${encodeURIComponent(ticker)}&as_of=2009-09-15${query}`
        const { data } = await ask<Rows>(`${path}&fields=check`)
        const plain = await ask<Rows>(path)
        expect(data.map(without)).toEqual([...plain.data])
        proven += data.filter(({ check }) => check === 'proved' || check === 'consistent').length
        for (const checks of some) {
          const wanted = data.filter(({ check }) => check !== undefined && checks.includes(check))
          const found = await ask<Rows>(`${path}&checks=${checks.join()}`)
          expect([path, checks, found.data]).toEqual([path, checks, wanted.map(without)])
        }
      }
    expect(proven).toBeGreaterThan(500)
  })

  test('a cross-section and a join have the figures of the day that are in these states, and no others', async () => {
    const companies = await database.sql<{ ticker: string }[]>`
      select ticker from entity where market = 'US' order by md5(ticker) limit 40`
    const tickers = nonEmpty(companies).map(({ ticker }) => ticker)
    const latest = new Map<string, FundamentalsRow>()
    for (const ticker of tickers)
      for (const metric of ['assets', 'net_income']) {
        const path = `fundamentals?ticker=${encodeURIComponent(ticker)}&metric=${metric}&view=latest&fp=FY`
        const { data } = await ask<Rows>(`${path}&as_of=2009-09-15&fields=check`)
        for (const row of data) latest.set(`${ticker} ${metric}`, row)
      }
    for (const checks of some) {
      const expected = (ticker: string, metric: string) => {
        const row = latest.get(`${ticker} ${metric}`)
        return row?.check !== undefined && checks.includes(row.check) ? row.v : null
      }
      for (const metric of ['assets', 'net_income']) {
        const query = `metric=${metric}&market=US&as_of=2009-09-15&fp=FY&limit=1000&checks=${checks.join()}`
        const { data } = await ask<CrossSectionRows>(`cross-section?${query}`)
        const shownOf = new Map(data.map(({ ticker, value }) => [ticker, value]))
        for (const ticker of tickers)
          expect([ticker, checks, shownOf.get(ticker) ?? null]).toEqual([
            ticker,
            checks,
            expected(ticker, metric),
          ])
      }
      const query = `metric=assets,net_income&market=US&as_of=2009-09-15&fp=FY&limit=1000&checks=${checks.join()}`
      const table = await ask<{ data: readonly Record<string, unknown>[] }>(`cross-section?${query}`)
      const rowOf = new Map(table.data.map(row => [row.ticker, row]))
      const joined = await ask<{ columns: Record<string, readonly unknown[]> }>('as-of', {
        rows: { date: tickers.map(() => '2009-09-16'), ticker: tickers },
        metrics: ['assets', 'net_income'],
        checks: checks.join(),
      })
      tickers.forEach((ticker, at) => {
        for (const metric of ['assets', 'net_income']) {
          const value = expected(ticker, metric)
          expect([ticker, metric, checks, rowOf.get(ticker)?.[metric] ?? null]).toEqual([
            ticker,
            metric,
            checks,
            value,
          ])
          expect([ticker, metric, checks, joined.columns[metric][at]]).toEqual([
            ticker,
            metric,
            checks,
            value,
          ])
        }
      })
    }
  })

  // The data set has no filing after September 2009, so that the figures are the same on all of these dates.
  test('a score ranks the companies whose figure is in these states, and a join of CSV reads the parameter, too', async () => {
    const companies = await database.sql<{ ticker: string }[]>`
      select ticker from entity where market = 'US' order by md5(ticker) limit 40`
    const tickers = nonEmpty(companies).map(({ ticker }) => ticker)
    const states = new Map<string, CheckState>()
    for (const ticker of tickers) {
      const path = `fundamentals?ticker=${encodeURIComponent(ticker)}&metric=assets&view=latest&fp=FY`
      const { data } = await ask<Rows>(`${path}&as_of=2009-10-04&fields=check`)
      for (const { check } of data) if (check !== undefined) states.set(ticker, check)
    }
    const dates = Array.from({ length: 12 }, (_, week) => isoDate(dayNumber('2009-10-05') + 7 * week))
    const panel = dates.flatMap((date, week) =>
      tickers.map((asset, at) => ({ date, asset, forward_return: ((at * 7 + week * 3) % 11) / 100 - 0.05 })),
    )
    for (const checks of [['consistent'], ['proved', 'consistent', 'unchecked']] as const) {
      const wanted = [...states].filter(([, state]) => checks.some(each => each === state))
      expect(wanted.length).toBeGreaterThan(5)
      const score = { asOf: 'assets', max_age_days: 1_000, checks: checks.join() }
      const found = await ask<{ score: { n_assets: number; checks: string } }>('backtest', { panel, score })
      expect([checks, found.score.n_assets, found.score.checks]).toEqual([
        checks,
        wanted.length,
        checks.join(),
      ])
      const response = await fetch(
        `${server.url}/api/v1/as-of?metrics=assets&checks=${checks.join()}&format=csv`,
        {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' },
          body: ['date,ticker', ...tickers.map(ticker => `2009-10-05,${ticker}`)].join('\n'),
        },
      )
      const lines = (await response.text())
        .trim()
        .split(/\r?\n/)
        .filter(line => line.startsWith('2009-10-05'))
      expect(lines.filter(line => !line.endsWith(','))).toHaveLength(wanted.length)
    }
  })

  test('coverage counts the current figures of a market and of a company by state', async () => {
    const counted = await ask<{
      data: readonly { m: string; figures: number; checks: Record<CheckState, number> }[]
    }>('coverage?market=US')
    for (const { m, figures, checks } of nonEmpty(counted.data)) {
      const [row] = await database.sql<{ figures: number; proved: number }[]>`
        select count(*)::int as figures, count(*) filter (where check_state = 1)::int as proved
        from fact join metric using (metric_id)
        where name = ${m} and fp < 5 and superseded = 'infinity'`
      expect([m, figures, checks.proved]).toEqual([m, row.figures, row.proved])
      expect(checkStates.reduce((sum, state) => sum + checks[state], 0)).toBe(figures)
    }
  })

  test('importing again changes nothing, and figures without statements take nothing away', async () => {
    const states = () => database.sql`
      select check_state, count(*)::int from fact group by 1 order by 1`
    const before = await states()
    await database.sql`delete from import_file`
    await load([dataSet])
    expect([...(await states())]).toEqual([...before])
  })
})

// Apple's 10-Q of 2025-05-02. Its package states sums, and companyfacts has the figures without statements.
const accession = '0000320193-25-000057'
const applePackage = sharedPath(`registers/us/filings/${accession}-xbrl.zip`)
const appleFacts = sharedPath('registers/us/companyfacts/CIK0000320193.json')

/** The same filing as a data set would have it: statements without sums, days rounded to months. */
async function asDataSet(folder: string): Promise<string> {
  const { filing } = readFilingPackage(accession, (await readZipFiles(`filings/${accession}-xbrl.zip`)) ?? [])
  const compact = (day: number) => isoDate(nearestMonthEnd(day)).replaceAll('-', '')
  const num: string[] = []
  const pre: string[] = []
  for (const [report, kind] of (['BS', 'IS'] as const).entries()) {
    const chosen = chooseStatement(filing, kind)
    for (const [line, { concept, label }] of (chosen?.statement.lines ?? []).entries()) {
      const [prefix, tag] = concept.split(':')
      const found = filing.figures.filter(
        each => each.concept === concept && each.context.dimensions.length === 0,
      )
      if (prefix !== 'us-gaap' || found.length === 0) continue
      pre.push([accession, tag, 'us-gaap/2024', report + 2, line + 1, kind, 0, 0, 'H', label].join('\t'))
      for (const { context, unit, value } of found) {
        const quarters = isInstant(context) ? 0 : quartersOf(context)
        const currency = unit.replace('/shares', '')
        num.push(
          [accession, tag, 'us-gaap/2024', compact(context.end), quarters, '', currency, value, '', ''].join(
            '\t',
          ),
        )
      }
    }
  }
  const tables = {
    'sub.txt': [
      'adsh\tcik\tname\tsic\tfye\tform\tperiod\tfiled\taccepted\tfy\tfp',
      `${accession}\t320193\tAPPLE INC\t3571\t0930\t10-Q\t20250331\t20250502\t2025-05-02 06:00:46.0\t2025\tQ2`,
    ],
    'num.txt': ['adsh\ttag\tversion\tddate\tqtrs\tcoreg\tuom\tvalue\tsegments\tfootnote', ...new Set(num)],
    'pre.txt': ['adsh\ttag\tversion\treport\tline\tstmt\tnegating\tinpth\trfile\tplabel', ...pre],
  }
  const path = join(folder, '2025q2.zip')
  await Bun.write(
    path,
    zipped(
      Object.entries(tables).map(([name, lines]) => ({
        name,
        content: Buffer.from(`${lines.join('\n')}\n`),
      })),
    ),
  )
  return path
}

// A more complete source of a filing replaces a less complete one, whichever is read first.
test.skipIf(applePackage === null || appleFacts === null)(
  'states are equal whatever the order of sources',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'asfiled-checks-'))
    const [set, whole, facts] = [await asDataSet(folder), applePackage ?? '', appleFacts ?? '']
    const statesAfter = async (...imports: readonly (readonly string[])[]) => {
      const own = await testDatabase()
      for (const paths of imports) {
        await own.sql`delete from import_file`
        await importRegister(own.sql, usRegister, { paths, observedOn: '2026-01-01' }, () => {})
      }
      const rows = await own.sql<{ state: number | null }[]>`
        select name, fp, period_end::text, value, check_state as state
        from fact join metric using (metric_id) join filing using (filing_id)
        where accession = ${accession} order by 1, 2, 3, 4`
      await own.close()
      return JSON.stringify(rows)
    }
    const two = await statesAfter([set], [whole])
    expect([...two.matchAll(/"state":1/g)].length).toBeGreaterThan(50)
    expect(await statesAfter([whole], [set])).toBe(two)
    expect(await statesAfter([set, whole])).toBe(two)
    expect(await statesAfter([whole], [set], [whole])).toBe(two)
    const three = await statesAfter([facts], [whole], [set])
    expect([...three.matchAll(/"state":1/g)].length).toBeGreaterThan(50)
    expect(await statesAfter([facts], [set], [whole])).toBe(three)
    expect(await statesAfter([set], [facts], [whole])).toBe(three)
    rmSync(folder, { recursive: true })
  },
)
