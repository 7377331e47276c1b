import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { readZipFiles, recordsOf } from '../../ingest/registers/us/packages.ts'
import { sharedPath } from '../../shared.ts'
import { zipped } from '../../zipped.ts'
import { importLines } from '../asOfJoins/generatedPrices.ts'
import {
  capitalisationOn,
  type PlainValuations,
  type RawFact,
  type RawPrice,
  tagsRead,
  valuationsOn,
} from './plainValuations.ts'

setDefaultTimeout(600_000)

const names = [
  'market_cap',
  'price_to_earnings',
  'price_to_book',
  'ev_to_ebitda',
  'fcf_yield',
  'dividend_yield',
] as const
const quarters = ['2009q3', '2010q1']
const factsFolder = sharedPath('registers/us/companyfacts')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-valuations-'))

const dayOf = (text: string) =>
  Date.parse(text.includes('-') ? text : `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`) /
  86_400_000
const textOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
const padded = (cik: string | number) => String(cik).padStart(10, '0')

/** The raw lines of each company, by its CIK in ten digits. */
const factsOf = new Map<string, RawFact[]>()
const add = (cik: string, fact: RawFact) => {
  const known = factsOf.get(cik)
  if (known === undefined) factsOf.set(cik, [fact])
  else known.push(fact)
}

/** Companies whose counts of shares are on the covers of the real files; those of others are put there by this test. */
const realCovers = new Set<string>()

/**
 * The real data sets state the cover of four filings only. Each other filing gets a cover line with the count of its own
 * balance sheet or, if that has none, with a made-up one. The figures are those of the filings.
 */
async function readDataSet(name: string, companies: ReadonlySet<string>): Promise<string> {
  const files = (await readZipFiles(`fsds/${name}.zip`)) ?? []
  const submissions = new Map(recordsOf(files, 'sub.txt').map(line => [line.adsh, line]))
  const num = recordsOf(files, 'num.txt')
  const plain = num.filter(({ segments, coreg, value }) => !segments && !coreg && value !== '')
  const covered = new Set(
    plain.filter(({ tag }) => tag === 'EntityCommonStockSharesOutstanding').map(({ adsh }) => adsh),
  )
  const counts = new Map<string, Record<string, string>>()
  for (const line of plain) {
    if (line.tag !== 'CommonStockSharesOutstanding' || line.uom !== 'shares') continue
    const other = counts.get(line.adsh)
    if (other === undefined || line.ddate > other.ddate) counts.set(line.adsh, line)
  }
  const added: Record<string, string>[] = []
  for (const { adsh, cik, period, form, filed } of submissions.values()) {
    if (covered.has(adsh)) realCovers.add(padded(cik))
    if (covered.has(adsh) || !/^10-[KQ]/.test(form) || period > filed) continue
    const value = counts.get(adsh)?.value ?? `${1_000_000 * (3 + (Number(cik) % 997))}.0000`
    added.push({
      adsh,
      tag: 'EntityCommonStockSharesOutstanding',
      version: 'dei/2009',
      ddate: period,
      qtrs: '0',
      uom: 'shares',
      value,
    })
  }
  for (const { adsh, tag, version, ddate, qtrs, uom, value } of [...plain, ...added]) {
    const submission = submissions.get(adsh)
    if (submission === undefined || companies.has(padded(submission.cik))) continue
    if (!/^(us-gaap|dei)\//.test(version) || !tagsRead.has(tag)) continue
    // Amazon states the twelve months up to each quarter, which are no fiscal year.
    if (qtrs === '4' && ddate.slice(4, 6) !== submission.fye.slice(0, 2)) continue
    add(padded(submission.cik), {
      tag,
      unit: uom,
      quarters: Number(qtrs),
      end: dayOf(ddate),
      value: Number(value),
      filed: dayOf(submission.filed),
      accession: adsh,
    })
  }
  const path = join(folder, `${name}.zip`)
  const columns = ['adsh', 'tag', 'version', 'ddate', 'qtrs', 'uom', 'segments', 'coreg', 'value', 'footnote']
  const lines = added.map(line => columns.map(column => line[column] ?? '').join('\t')).join('\n')
  writeFileSync(
    path,
    zipped(
      files.map(({ name: file, bytes }) => ({
        name: file,
        content: file === 'num.txt' ? Buffer.concat([bytes, new TextEncoder().encode(`${lines}\n`)]) : bytes,
      })),
    ),
  )
  return path
}

interface StatedFact {
  readonly start?: string
  readonly end: string
  readonly val: number
  readonly filed: string
  readonly accn: string
}

async function readCompanyfacts(): Promise<Set<string>> {
  const found = new Set<string>()
  for (const file of ['CIK0000320193', 'CIK0001640147_snow', 'CIK0001652044', 'CIK0001997711_lpa_ifrs']) {
    const { cik, facts } = await Bun.file(`${factsFolder}/${file}.json`).json()
    found.add(padded(cik))
    if (facts.dei?.EntityCommonStockSharesOutstanding !== undefined) realCovers.add(padded(cik))
    for (const [prefix, tags] of Object.entries<Record<string, { units: Record<string, StatedFact[]> }>>(
      facts,
    ))
      for (const [name, { units }] of Object.entries(tags)) {
        const tag = prefix === 'ifrs-full' ? `ifrs:${name}` : name
        if (!tagsRead.has(tag)) continue
        for (const [unit, list] of Object.entries(units))
          for (const { start, end, val, filed, accn } of list) {
            const length = start === undefined ? 0 : dayOf(end) - dayOf(start) + 1
            const count = Math.round(length / 91.3125)
            if (Math.abs(length - count * 91.3125) > 20) continue
            add(padded(cik), {
              tag,
              unit,
              quarters: count,
              end: dayOf(end),
              value: val,
              filed: dayOf(filed),
              accession: accn,
            })
          }
      }
  }
  return found
}

/** Closes of all weekdays, from a sine. No real prices are at hand; only their days, splits and gaps matter. */
function pricesOf(cik: number, first: string, last: string): RawPrice[] {
  const prices: RawPrice[] = []
  const splits = new Map<string, number>([
    // Between the day of a count and the filing of most annual reports; after most filings.
    ...(cik % 5 === 0 ? [['2010-02-16', 2] as const] : []),
    ...(cik % 7 === 0 ? [['2010-06-15', 3] as const] : []),
    ...(cik % 17 === 0 ? [['2010-07-01', 0.1] as const] : []),
    ...(cik === 320_193 ? [['2014-06-09', 7] as const, ['2020-08-31', 4] as const] : []),
  ])
  const begins = cik % 11 === 0 ? '2010-01-15' : first
  const ends = cik % 13 === 0 ? '2010-06-30' : last
  let close = 20 + (cik % 150)
  for (let day = dayOf(begins); day <= dayOf(ends); day++) {
    if ((day + 3) % 7 >= 5) continue
    const split = splits.get(textOf(day)) ?? 1
    close = (close * (1 + Math.sin(day * 12.9898 + cik) / 60)) / split
    prices.push({ day, close: Number(close.toFixed(4)), split })
  }
  return prices
}

/** Sums of several figures may differ in the last bit. */
const isEqual = (a: number, b: number) => Math.abs(a - b) <= 1e-12 * Math.abs(b)

interface Sampled {
  readonly cik: string
  readonly days: readonly number[]
  readonly prices: readonly RawPrice[]
}

let database: TestDatabase
let server: TestServer
let key: string
const sampled: Sampled[] = []

describe.if(factsFolder !== null)('every company with filings in the real files', () => {
  beforeAll(async () => {
    const companies = await readCompanyfacts()
    const paths = [await readDataSet(quarters[0], companies), await readDataSet(quarters[1], companies)]
    database = await testDatabase()
    await importRegister(
      database.sql,
      usRegister,
      {
        paths: [...paths, factsFolder ?? '', sharedPath('registers/us/company_tickers.json') ?? ''],
        observedOn: '2026-01-01',
      },
      () => {},
    )
    let seed = 7
    const random = () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return seed / 4_294_967_296
    }
    for (const cik of [...factsOf.keys()].sort()) {
      const isLong = companies.has(cik)
      const prices = isLong
        ? pricesOf(Number(cik), '2009-01-02', '2025-12-31')
        : pricesOf(Number(cik), '2008-06-02', '2011-03-31')
      const [first, last] = isLong ? ['2009-06-01', '2025-12-31'] : ['2009-07-15', '2011-03-31']
      const days = Array.from({ length: isLong ? 400 : 12 }, () =>
        Math.floor(dayOf(first) + random() * (dayOf(last) - dayOf(first))),
      )
      sampled.push({ cik, days, prices })
    }
    await importLines(
      database.sql,
      sampled.flatMap(({ cik, prices }) =>
        prices.map(({ day, close, split }) => ({ symbol: cik, date: textOf(day), close, split })),
      ),
    )
    const inCad = others().flatMap(({ cik, prices }) =>
      prices.map(({ day, close, split }) => ({ symbol: cik, date: textOf(day), close, split })),
    )
    await importLines(database.sql, inCad, { name: 'in-cad', currency: 'CAD' })
    const twice = ['AAPL', '0000320193'].flatMap(symbol =>
      ofApple().map(({ day, close, split }) => ({ symbol, date: textOf(day), close, split })),
    )
    await importLines(database.sql, twice, { name: 'two-lines' })
    server = await testServer(database.sql, {}, { BODY_LIMIT_MB: '64' })
    key = await sellKey(database.sql)
  })
  afterAll(async () => {
    await server.stop()
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const join = async (rows: readonly { cik: string; day: number }[], more: object = {}) => {
    const response = await fetch(`${server.url}/api/v1/as-of`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        rows: { date: rows.map(({ day }) => textOf(day)), ticker: rows.map(({ cik }) => cik) },
        metrics: names,
        prices: 'made-up',
        ...more,
      }),
    })
    const { columns, error } = await response.json()
    expect(error).toBeUndefined()
    return columns
  }

  const others = () => sampled.filter((_, i) => i % 12 === 0)
  const ofApple = () =>
    (sampled.find(({ cik }) => cik === '0000320193')?.prices ?? []).filter(
      ({ day }) => day >= dayOf('2018-01-01') && day < dayOf('2019-01-01'),
    )

  test('all six valuations equal a plain loop over the lines of the filings, on random days', async () => {
    const rows = sampled.flatMap(({ cik, days }) => days.map(day => ({ cik, day })))
    const columns = await join(rows)
    let row = 0
    const compared = Object.fromEntries(
      names.map(name => [name, { equal: 0, null: 0, other: 0, companies: new Set<string>() }]),
    )
    const different: string[] = []
    for (const { cik, days, prices } of sampled) {
      const facts = factsOf.get(cik) ?? []
      for (const day of days) {
        // A join reads what was known before its date.
        const plain: PlainValuations = valuationsOn(facts, prices, 'USD', day - 1)
        for (const name of names) {
          const [served, own] = [columns[name][row], plain[name]]
          const count = compared[name]
          if (served === null && own === null) count.null++
          else if (served !== null && own !== null && isEqual(served, own)) {
            count.equal++
            count.companies.add(cik)
          } else {
            count.other++
            different.push(`${cik} ${textOf(day)} ${name}: served ${served}, plain ${own}`)
          }
        }
        row++
      }
    }
    // The first faults are enough to read.
    expect(different.slice(0, 20)).toEqual([])
    const { market_cap, price_to_earnings, price_to_book, ev_to_ebitda, fcf_yield, dividend_yield } = compared
    // Of Apple, Snowflake and Logistic Properties, and the filers of four covers in the data sets.
    expect([...realCovers].filter(cik => market_cap.companies.has(cik)).length).toBe(6)
    expect(market_cap.companies.size).toBeGreaterThan(400)
    expect(price_to_book.companies.size).toBeGreaterThan(400)
    expect(price_to_earnings.companies.size).toBeGreaterThan(240)
    expect(fcf_yield.companies.size).toBeGreaterThan(230)
    expect(dividend_yield.companies.size).toBeGreaterThan(190)
    expect(ev_to_ebitda.companies.size).toBeGreaterThan(40)
  })

  test('each reason for no capitalisation occurs, and so do losses', () => {
    const reasons = new Map<string, number>()
    let losses = 0
    for (const { cik, days, prices } of sampled)
      for (const day of days) {
        const facts = factsOf.get(cik) ?? []
        const found = capitalisationOn(facts, prices, day - 1)
        if (typeof found === 'string') reasons.set(found, (reasons.get(found) ?? 0) + 1)
        else if (valuationsOn(facts, prices, 'USD', day - 1).price_to_earnings === null) losses++
      }
    for (const reason of [
      'no recent close',
      'no count',
      'prices begin after the count',
      'old count',
      'split between count and filing',
    ])
      expect([reason, (reasons.get(reason) ?? 0) > 10]).toEqual([reason, true])
    expect(losses).toBeGreaterThan(100)
  })

  test('of prices in another currency the capitalisation alone is left, in that currency', async () => {
    const some = others()
    const rows = some.flatMap(({ cik, days }) => days.map(day => ({ cik, day })))
    const columns = await join(rows, { prices: 'in-cad' })
    let found = 0
    for (const [row, { cik, day }] of rows.entries()) {
      const prices = some.find(one => one.cik === cik)?.prices ?? []
      const plain = valuationsOn(factsOf.get(cik) ?? [], prices, 'CAD', day - 1)
      for (const name of names)
        expect([cik, day, name, columns[name][row]]).toEqual([cik, day, name, plain[name]])
      expect(columns.price_to_book[row]).toBeNull()
      if (plain.market_cap !== null) found++
    }
    expect(found).toBeGreaterThan(100)
  })

  test('closes of two securities of one company leave it without a value', async () => {
    const rows = ofApple()
      .slice(100, 110)
      .map(({ day }) => ({ cik: '0000320193', day }))
    const columns = await join(rows, { prices: 'two-lines' })
    for (const name of names) expect(columns[name]).toEqual(rows.map(() => null))
  })

  test('a table of the whole market has what a join that includes the day answers', async () => {
    for (const day of ['2010-03-15', '2010-08-02']) {
      const response = await fetch(
        `${server.url}/api/v1/cross-section?market=US&metric=${names.join(',')}&as_of=${day}&limit=10000&prices=made-up`,
        { headers: { Authorization: `Bearer ${key}` } },
      )
      const { data } = await response.json()
      const valued: Record<string, unknown>[] = data
      const rows = sampled.map(({ cik }) => ({ cik, day: dayOf(day) }))
      const columns = await join(rows, { inclusive: true })
      const byId = new Map(valued.map(one => [one.issuer_id, one]))
      let found = 0
      for (const [row, { cik }] of rows.entries()) {
        const own = byId.get(cik)
        for (const name of names)
          expect([day, cik, name, own?.[name] ?? null]).toEqual([day, cik, name, columns[name][row]])
        if (own !== undefined) found++
      }
      expect([day, found, valued.length]).toEqual([day, found, found])
      expect(found).toBeGreaterThan(250)
    }
  })
})
