import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { parquetReadObjects } from 'hyparquet'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import type { RegisterEntry, RegisterIndex } from '../../../src/facts/registerStatements.ts'
import type { EntityProfile, Filing, ReportedFact } from '../../../src/facts/reportedFact.ts'
import { listChanges } from '../../../src/features/changes/changes.ts'
import { readProfile } from '../../../src/features/companyProfile/profile.ts'
import { Company } from '../../../src/features/companyProfile/schema.ts'
import { planCrossSection, readCrossSection } from '../../../src/features/crossSection/crossSection.ts'
import { readCrossSectionTable } from '../../../src/features/crossSection/table.ts'
import { searchEntities } from '../../../src/features/search/search.ts'
import { Universe, type UniverseQuery } from '../../../src/features/universe/schema.ts'
import { planUniverse, readUniverse } from '../../../src/features/universe/universe.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { parseAsOf } from '../../../src/markets/asOf.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { freshDatabases } from '../../freshDatabases.ts'
import { callers } from '../../http/callers.ts'
import { realServer } from '../../http/realServer.ts'
import { companyDeps, insertEntity, insertVintages, rightsOf, viewerOf } from '../companies/fixtures.ts'

setDefaultTimeout(120_000)

const fresh = freshDatabases()
const server = await realServer()
afterAll(() => server.stop(), 60_000)
const keys = await callers(server.sql)
const me = rightsOf('personal')

const get = (path: string, key: string | null = keys.personal) =>
  fetch(`${server.url}/api/v1/${path}`, { headers: { Authorization: key ?? '' } })
const json = async (path: string) => (await get(path)).json()

describe('GET /api/v1/universe', () => {
  // sub.txt of 2009q3 and 2010q1: Apple's 10-Q 0001193125-09-153165 of 2009-07-22, and its 10-Q of 2010-01-25.
  test('lists who had reported by the day, with the name, industry and filing of that time', async () => {
    const list = await json('universe?market=US&as_of=2010-02-01&limit=10000')
    expect([...Value.Errors(Universe, list)]).toEqual([])
    const apple = list.data.find((row: { ticker: string }) => row.ticker === 'AAPL')
    expect(apple).toMatchObject({
      issuer_id: '0000320193',
      name: 'APPLE INC',
      sector: 'SIC 3571',
      state: 'reporting',
      since: '2009-07-22',
      rule: 'filing',
      filed: '2010-01-25',
      first_filed: '2009-07-22',
      last_filed: '2010-01-25',
    })
    const before = await json('universe?market=US&as_of=2009-07-21&limit=10000')
    expect(before.data.map((row: { ticker: string }) => row.ticker)).not.toContain('AAPL')
  })

  test('pages continue to the end and never repeat; a state chooses; other formats have the same rows', async () => {
    const whole = await json('universe?market=US&as_of=2012-12-31&limit=10000')
    expect(whole.next).toBeNull()
    expect(whole.data.length).toBeGreaterThan(30)
    const rows: { state: string }[] = []
    let next: string | null = null
    do {
      const cursor: string = next === null ? '' : `&cursor=${next}`
      const page = await json(`universe?market=US&as_of=2012-12-31&limit=17${cursor}`)
      rows.push(...page.data)
      next = page.next
    } while (next !== null)
    expect(rows).toEqual(whole.data)
    const unknown = await json('universe?market=US&as_of=2012-12-31&state=unknown&limit=10000')
    expect(unknown.data).toEqual(rows.filter(row => row.state === 'unknown'))
    expect(unknown.data.length).toBeGreaterThan(5)
    const csv = await (await get('universe?market=US&as_of=2012-12-31&format=csv&limit=10000')).text()
    expect(csv.trim().split('\r\n')).toHaveLength(rows.length + 1)
    const file = await (
      await get('universe?market=US&as_of=2012-12-31&format=parquet&limit=10000')
    ).arrayBuffer()
    expect(await parquetReadObjects({ file })).toHaveLength(rows.length)
    const ofOtherDay = await get(`universe?market=US&as_of=2012-12-30&cursor=${next ?? 'x'}`)
    expect(ofOtherDay.status).toBe(400)
    expect((await get('universe?market=US&state=dead')).status).toBe(400)
  })

  test('every key sees it, and no company counts as seen', async () => {
    const rows = (await json('universe?market=US&as_of=2010-02-01')).data
    for (const key of [keys.free, keys.evaluation])
      expect((await (await get('universe?market=US&as_of=2010-02-01', key)).json()).data).toEqual(rows)
    const [{ seen }] = await server.sql`select count(*)::int as seen from key_entity`
    expect(seen).toBe(0)
  })
})

/** Rows of a universe without the fields that differ between two databases. */
async function universeOf(sql: Sql, query: Omit<UniverseQuery, 'market'>) {
  const deps = companyDeps(sql)
  const list = await readUniverse(deps, planUniverse(deps, me, { market: 'US', limit: 10_000, ...query }))
  expect([...Value.Errors(Universe, list)]).toEqual([])
  return list.data
}

let seed = 7
const random = (below: number) => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * below)
}
const pick = <T>(of: readonly T[]) => of[random(of.length)]

const begin = dayNumber('2014-01-01')
const span = 4 * 365
const forms = ['10-K', '10-Q', '10-Q', '25-NSE', '15-12G', '8-A12B', '10-Q/A']

function randomEntries(companies: number): RegisterEntry[] {
  return Array.from({ length: companies * 8 }, (_, number): RegisterEntry => {
    const states = random(3) > 0
    return {
      market: 'US',
      issuerId: String(1 + random(companies)).padStart(10, '0'),
      accession: `0000000009-14-${String(number).padStart(6, '0')}`,
      form: pick(forms),
      filed: begin + random(span),
      isStructured: random(2) > 0,
      ...(random(2) > 0 ? { isEquity: random(2) > 0 } : {}),
      ...(states
        ? { companyName: `NAME ${random(3)} INC`, sector: pick(['SIC 3571', 'SIC 7372', 'SIC 2834']) }
        : {}),
      ...(states ? { fiscalYearEnd: pick(['1231', '0630']), filerStatus: pick(['1-LAF', '4-NON']) } : {}),
    }
  })
}

async function load(sql: Sql, entries: readonly RegisterEntry[], indexes: readonly RegisterIndex[]) {
  for (let id = 1; id <= 40; id++) {
    const issuerId = String(id).padStart(10, '0')
    await insertEntity(sql, { market: 'US', issuerId, ticker: `CIK${issuerId}`, name: null })
  }
  const units = [{ parsed: [], statements: { entries, indexes, formerNames: [] } }]
  await importFacts(sql, units, { source: 'test', rules: usRegister.rules })
}

test('states and facts as of random days equal those of a database that has only the filings up to the day', async () => {
  const entries = randomEntries(40)
  const indexes: RegisterIndex[] = []
  for (let day = begin; day < begin + span; day += 90)
    if (random(5) > 0) indexes.push({ market: 'US', isFull: random(3) > 0, first: day, last: day + 89 })
  const whole = await fresh()
  await load(whole, entries, indexes)
  let stated = 0
  for (let round = 0; round < 6; round++) {
    const day = begin + 200 + random(span)
    const as_of = isoDate(day)
    const cut = await fresh()
    const known = entries.filter(({ filed }) => filed <= day)
    await load(
      cut,
      known,
      indexes
        .filter(({ first }) => first <= day)
        .map(index => ({ ...index, last: Math.min(index.last, day) })),
    )
    const rows = await universeOf(whole, { as_of })
    expect(rows).toEqual(await universeOf(cut, { as_of }))
    for (const row of rows) {
      // Read independently: the last entry up to the day that states an attribute, and the first and last filing.
      const own = known
        .filter(({ issuerId }) => issuerId === row.issuer_id)
        .sort((a, b) => a.filed - b.filed || (a.accession < b.accession ? -1 : 1))
      const last = own.findLast(({ companyName }) => companyName !== undefined)
      expect([row.name, row.sector]).toEqual([last?.companyName ?? null, last?.sector ?? null])
      expect([row.first_filed, row.last_filed]).toEqual([
        isoDate(own[0].filed),
        isoDate(own[own.length - 1].filed),
      ])
      const profile = await readProfile(companyDeps(whole), row.issuer_id, parseAsOf({ as_of }))
      expect([...Value.Errors(Company, profile)]).toEqual([])
      expect(profile.state?.state).toBe(row.state)
      expect(profile.name?.value ?? null).toBe(row.name)
      expect(profile.filer_status?.code ?? 'none').toBe(last?.filerStatus ?? 'none')
      const years = profile.timeline.filter(({ kind }) => kind === 'fiscal_year_end')
      expect(years.at(-1)?.value ?? 'none').toBe(last?.fiscalYearEnd ?? 'none')
      expect(years.every(({ from, until }) => from <= as_of && (until ?? '') <= as_of)).toBeTrue()
      if (last !== undefined) stated++
    }
  }
  expect(stated).toBeGreaterThan(100)
})

test('an index creates a data version, but the change feed has nothing new for a mirror', async () => {
  const sql = await fresh()
  const entries = randomEntries(40)
  await load(sql, entries, [])
  const before = await readDataVersion(sql)
  const index = { market: 'US', isFull: true, first: begin, last: begin + span }
  const unit = { parsed: [], statements: { entries: [], indexes: [index], formerNames: [] } }
  await importFacts(sql, [unit], { source: 'test', rules: usRegister.rules })
  const version = await readDataVersion(sql)
  expect(version).toBe(before + 1)
  const deps = companyDeps(sql)
  const list = await listChanges(deps, { since: before }, deps.today(), deps.markets.manifests)
  expect([list.data_version, list.count, list.next]).toEqual([version, 0, null])
  // The same documents again change nothing.
  await importFacts(sql, [unit], { source: 'test', rules: usRegister.rules })
  expect(await readDataVersion(sql)).toBe(version)
})

describe('a cross-section', () => {
  const deps = companyDeps(server.sql)
  const plan = (query: object) =>
    planCrossSection(deps, viewerOf(me), {
      metric: 'revenue',
      market: 'US',
      as_of: '2010-03-31',
      limit: 1_000,
      ...query,
    })

  // sub.txt: Apple 3571, IBM 3570, Pfizer 2834, Johnson & Johnson 2834, Abbott 2834.
  test('has a column of groups, and groups choose companies', async () => {
    const all = await readCrossSection(deps, me, plan({ group: 'FF49' }))
    const groupOf = new Map(all.data.map(({ ticker, group }) => [ticker, group]))
    expect([groupOf.get('AAPL'), groupOf.get('IBM'), groupOf.get('PFE'), groupOf.get('ABT')]).toEqual([
      'Hardw',
      'Hardw',
      'Drugs',
      'Drugs',
    ])
    expect(all.group).toBe('ff49')
    for (const query of [{ group: 'ff49:drugs,hardw' }, { group: 'ff49:Drugs,Hardw', limit: 3 }]) {
      const some = await readCrossSection(deps, me, plan(query))
      const expected = all.data.filter(({ group }) => group === 'Drugs' || group === 'Hardw')
      expect(some.data).toEqual('limit' in query ? expected.slice(0, 3) : expected)
      expect(some.group).toBe('ff49:Drugs,Hardw')
    }
    const table = await readCrossSectionTable(deps, me, plan({ metric: 'revenue,assets', group: 'sic2:28' }))
    expect(new Set(table.data.map(({ group }) => group))).toEqual(new Set(['28']))
    expect(table.data.length).toBeGreaterThan(2)
  })

  test('of a universe has the companies in that state on the day alone', async () => {
    const as_of = '2012-12-31'
    const states = new Map(
      (await universeOf(server.sql, { as_of })).map(({ ticker, state }) => [ticker, state]),
    )
    const all = await readCrossSection(deps, me, plan({ as_of }))
    for (const universe of ['reporting', 'unknown', 'delisted,ceased']) {
      const some = await readCrossSection(deps, me, plan({ as_of, universe }))
      const wanted = universe.split(',')
      expect(some.data).toEqual(all.data.filter(({ ticker }) => wanted.includes(states.get(ticker) ?? '')))
    }
  })
})

describe('an as-of join', () => {
  const post = (query: string, body: string, type: string) =>
    fetch(`${server.url}/api/v1/as-of${query}`, {
      method: 'POST',
      headers: { Authorization: keys.personal ?? '', 'Content-Type': type },
      body,
    })
  const tickers = ['AAPL', 'IBM', 'PFE', 'ABT', 'CAT', 'NOSUCH', 'GOOGL']
  const days = [
    '2009-07-20',
    '2009-07-23',
    '2010-03-01',
    '2011-07-22',
    '2011-09-30',
    '2012-12-31',
    '2020-06-30',
  ]
  const rows = {
    date: days.flatMap(day => tickers.map(() => day)),
    ticker: days.flatMap(() => tickers),
  }

  test('has the group and the state of each row, and figures only in the universe', async () => {
    const settings = { metrics: ['revenue'], inclusive: true }
    const plain = await (await post('', JSON.stringify({ rows, ...settings }), 'application/json')).json()
    const body = JSON.stringify({ rows, ...settings, group: 'sic2', universe: 'reporting' })
    const joined = await (await post('', body, 'application/json')).json()
    expect([joined.group, joined.universe]).toEqual(['sic2', 'reporting'])
    expect(Object.keys(joined.columns)).toEqual(['date', 'ticker', 'group', 'state', 'revenue'])
    let left = 0
    let hidden = 0
    for (const day of days) {
      const universe = await json(`universe?market=US&as_of=${day}&limit=10000`)
      for (const ticker of tickers) {
        const id = ticker === 'GOOGL' ? ['GOOG', 'GOOGL'] : [ticker]
        const company = universe.data.find((row: { ticker: string }) => id.includes(row.ticker))
        const row = rows.date.findIndex((date, at) => date === day && rows.ticker[at] === ticker)
        expect([day, ticker, joined.columns.state[row]]).toEqual([day, ticker, company?.state ?? null])
        const sic = /^SIC (\d\d)/.exec(company?.sector ?? '')?.[1] ?? null
        expect([day, ticker, joined.columns.group[row]]).toEqual([day, ticker, sic])
        const isIn = company?.state === 'reporting'
        expect(joined.columns.revenue[row]).toBe(isIn ? plain.columns.revenue[row] : null)
        if (isIn && plain.columns.revenue[row] !== null) left++
        if (!isIn && plain.columns.revenue[row] !== null) hidden++
      }
    }
    expect(left).toBeGreaterThan(5)
    expect(hidden).toBeGreaterThan(2)
    const query = '?metrics=revenue&inclusive=true&group=sic2&universe=reporting'
    const csv = `date,ticker\n${rows.date.map((date, at) => `${date},${rows.ticker[at]}`).join('\n')}\n`
    const lines = (await (await post(`${query}&format=csv`, csv, 'text/csv')).text()).trim().split('\r\n')
    const cell = (value: unknown) => (value === null ? '' : String(value))
    expect(lines.slice(1)).toEqual(
      rows.date.map((_, at) =>
        Object.values<unknown[]>(joined.columns)
          .map(column => cell(column[at]))
          .join(','),
      ),
    )
    const file = await (await post(`${query}&format=parquet`, csv, 'text/csv')).arrayBuffer()
    const read = await parquetReadObjects({ file })
    expect(read.map(({ group, state }) => [group ?? null, state ?? null])).toEqual(
      rows.date.map((_, at) => [joined.columns.group[at], joined.columns.state[at]]),
    )
  })

  test('at an instant the state and the group are those of the last day that has ended in New York', async () => {
    const time = ['2009-07-22T23:59:59-04:00', '2009-07-23T00:00:01-04:00']
    const body = JSON.stringify({
      rows: { date: time.map(at => at.slice(0, 10)), ticker: ['AAPL', 'AAPL'], time },
      metrics: ['revenue'],
      group: 'ff49',
      universe: 'reporting',
    })
    const { columns } = await (await post('', body, 'application/json')).json()
    expect([columns.state, columns.group]).toEqual([
      [null, 'reporting'],
      [null, 'Hardw'],
    ])
  })

  test('without inclusive the state is that of the day before, and an unknown one is refused', async () => {
    // Apple's first report on record is of 2009-07-22.
    const body = JSON.stringify({
      rows: { date: ['2009-07-22', '2009-07-23'], ticker: ['AAPL', 'AAPL'] },
      metrics: ['revenue'],
      universe: 'reporting',
    })
    const joined = await (await post('', body, 'application/json')).json()
    expect(joined.columns.state).toEqual([null, 'reporting'])
    const wrong = await post('', body.replace('reporting', 'listed'), 'application/json')
    expect([wrong.status, (await wrong.json()).error.param]).toEqual([400, 'universe'])
  })
})

test('search finds a company by a name that the register dates, and says when it had it', async () => {
  const sql = await fresh()
  const issuerId = '0001324424'
  await insertEntity(sql, { market: 'US', issuerId, ticker: 'EXPE', name: 'Expedia Group, Inc.' })
  // submissions/CIK0001324424.json
  const name = {
    market: 'US',
    issuerId,
    name: 'Expedia, Inc.',
    from: dayNumber('2005-04-25'),
    until: dayNumber('2018-03-20'),
  }
  const old = { ...name, name: 'Former Travel Corp', from: null, until: dayNumber('2005-04-20') }
  const unit = { parsed: [], statements: { entries: [], indexes: [], formerNames: [name, old, name] } }
  await importFacts(sql, [unit], { source: 'test', rules: usRegister.rules })
  const [hit] = await searchEntities(sql, 'former travel')
  expect(hit).toEqual({
    ticker: 'EXPE',
    name: 'Expedia Group, Inc.',
    market: 'US',
    former: { kind: 'name', value: 'Former Travel Corp', from: null, to: '2005-04-20' },
  })
})

/* submissions/CIK0001324424.json: the last filing under the old name is a Form 4 of 2018-03-20, and the first one under the new name the
 * 8-K 0001324424-18-000013 of 2018-03-27. CIK0000895419.json: CREE INC until 2019-08-05, CREE, INC. from 2019-08-20. */
test('a name is a former one once another filing has shown the next, not on the day of the last filing under it', async () => {
  const sql = await fresh()
  const names = { market: 'US', issuerId: '0001324424', name: 'Expedia, Inc.' } as const
  const cree = { market: 'US', issuerId: '0000895419' } as const
  await insertEntity(sql, { ...names, ticker: 'EXPE', name: 'Expedia Group, Inc.' })
  await insertEntity(sql, { ...cree, ticker: 'WOLF', name: 'WOLFSPEED, INC.' })
  const span = (from: string, until: string) => ({ from: dayNumber(from), until: dayNumber(until) })
  const formerNames = [
    { ...names, ...span('2005-04-25', '2018-03-20') },
    { ...cree, name: 'CREE INC', ...span('2000-10-27', '2019-08-05') },
    { ...cree, name: 'CREE, INC.', ...span('2019-08-20', '2021-10-01') },
  ]
  const report = {
    market: 'US',
    issuerId: names.issuerId,
    accession: '0001324424-18-000019',
    form: '10-Q',
    filed: dayNumber('2018-04-27'),
    isStructured: true,
  }
  const unit = { parsed: [], statements: { entries: [report], indexes: [], formerNames } }
  await importFacts(sql, [unit], { source: 'test', rules: usRegister.rules })
  const deps = companyDeps(sql)
  const formerOn = async (id: string, as_of?: string) => {
    const { former_names } = await readProfile(deps, id, parseAsOf({ as_of }))
    return former_names.map(former => former.name)
  }
  expect(await formerOn('EXPE', '2018-03-20')).toEqual([])
  expect(await formerOn('EXPE', '2018-04-26')).toEqual([])
  expect(await formerOn('EXPE', '2018-04-27T16:00')).toEqual([])
  expect(await formerOn('EXPE', '2018-04-27')).toEqual(['Expedia, Inc.'])
  expect(await formerOn('WOLF', '2019-08-19')).toEqual([])
  expect(await formerOn('WOLF', '2019-08-20')).toEqual(['CREE INC'])
  expect(await formerOn('WOLF', '2022-01-03')).toEqual(['CREE INC'])
  // The register's list of today shows it without further documents.
  expect(await formerOn('WOLF')).toEqual(['CREE, INC.', 'CREE INC'])
})

/* sub.txt of 2021q1: the 10-K 0001104659-21-032214 carries 2021-03-04 and was accepted at 08:14 of 2021-03-05 in New York. The report before
 * it is made up. */
test('a report that carries a day before its acceptance counts once it was accepted', async () => {
  const sql = await fresh()
  const [late, known] = ['0001104659-21-032214', '0001104659-20-000001']
  const company = { market: 'US', issuerId: '0000000001' } as const
  const other = { market: 'US', issuerId: '0000000002' } as const
  const entityId = await insertEntity(sql, { ...company, ticker: 'LATE', name: null })
  await insertEntity(sql, { ...other, ticker: 'FIRST', name: null })
  await insertVintages(sql, entityId, [
    ['revenue', 0, 2020, '2020-01-01', '2020-12-31', '2021-03-04', 1e6, late],
  ])
  await sql`update filing set form = '10-K', accepted_at = '2021-03-05 08:14:00-05' where accession = ${late}`
  const report = { form: '10-K', filed: dayNumber('2021-03-04'), isStructured: true, accession: late }
  const entries = [
    { ...company, ...report },
    { ...other, ...report },
    { ...company, ...report, accession: known, form: '10-Q', filed: dayNumber('2020-11-05') },
  ]
  const units = [{ parsed: [], statements: { entries, indexes: [], formerNames: [] } }]
  await importFacts(sql, units, { source: 'test', rules: usRegister.rules })
  const listed = async (as_of: string) =>
    (await universeOf(sql, { as_of })).map(row => [row.issuer_id, row.accession, row.last_filed])
  for (const before of ['2021-03-05T08:13:00-05:00', '2021-03-05T00:00:00-05:00'])
    expect([before, await listed(before)]).toEqual([before, [['0000000001', known, '2020-11-05']]])
  const both = [
    ['0000000001', late, '2021-03-04'],
    ['0000000002', late, '2021-03-04'],
  ]
  expect(await listed('2021-03-06T00:00:00-05:00')).toEqual(both)
  expect(await listed('2021-03-05')).toEqual(both)
  const first = async (as_of: string) =>
    (await readProfile(companyDeps(sql), 'FIRST', parseAsOf({ as_of }))).state
  expect([await first('2021-03-04'), await first('2021-03-05T09:00')]).toEqual([null, null])
  expect(await first('2021-03-05')).toMatchObject({ state: 'reporting', since: '2021-03-05' })
})

test('a report counts from its acceptance for a registrant without figures, too, whether the figures or the index come first', async () => {
  const issuerId = '0000000001'
  const accession = '0001104659-21-032214'
  const filed = dayNumber('2021-03-04')
  const entries = ['0000000001', '0000000002'].map(issuer => ({
    market: 'US',
    issuerId: issuer,
    accession,
    form: '10-K',
    filed,
    isStructured: true,
  }))
  const index = { parsed: [], statements: { entries, indexes: [], formerNames: [] } }
  const filing: Filing = { accession, form: '10-K', filed, acceptedAt: Date.parse('2021-03-05T13:14:00Z') }
  const fact: ReportedFact = {
    metric: 'revenue',
    tag: 'us-gaap:Revenues',
    unit: 'USD',
    value: 1e6,
    rounded: false,
    filing,
    start: dayNumber('2020-01-01'),
    end: dayNumber('2020-12-31'),
  }
  const profile: EntityProfile = { market: 'US', issuerId, registers: true }
  const figures = { parsed: [{ profile, reportedFacts: [fact], filings: [] }] }
  for (const units of [
    [index, figures],
    [figures, index],
  ]) {
    const sql = await fresh()
    for (const unit of units) await importFacts(sql, [unit], { source: 'test', rules: usRegister.rules })
    expect(await universeOf(sql, { as_of: '2021-03-04' })).toEqual([])
    const rows = await universeOf(sql, { as_of: '2021-03-05' })
    expect(rows.map(row => [row.issuer_id, row.since])).toEqual([
      ['0000000001', '2021-03-05'],
      ['0000000002', '2021-03-05'],
    ])
  }
})
