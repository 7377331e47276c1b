import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { VintageChoice } from '../../../src/backtest/requestCompare.ts'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import type { AssetFigures } from '../../../src/features/asOfJoins/scoreFigures.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { aDayTooEarly, archiveOfNames, type Scored, scoresOf } from './scores.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.sql`insert into unit (name) values ('USD'), ('EUR')`
  await database.sql`insert into metric (name) values ('roe'), ('revenue')`
}, 180_000)
afterAll(() => database.close(), 60_000)

const firstDay = dayNumber('2015-01-01')
const metrics = ['roe', 'revenue'] as const

/** A filing that states a figure or withdraws one, for example because the denominator becomes 0. */
interface Filed {
  readonly company: number
  readonly metric: (typeof metrics)[number]
  readonly fp: number
  readonly end: number
  readonly filed: number
  readonly unit: 'USD' | 'EUR'
  /** null: withdrawn. */
  readonly value: number | null
}

interface World {
  /** In the order of filings; those of one day in this order. */
  readonly filings: readonly Filed[]
  readonly days: readonly number[]
  readonly maxAgeDays: number
}

const companies = ['A', 'B', 'C']
/** The archive's names: A is listed twice, C shares its ticker with a name of another market, D is no company. */
const names = ['A', 'A2', 'B', 'C:US', 'D']
const companyOf: Record<string, number> = { A: 0, A2: 0, B: 1, 'C:US': 2 }

const world = fc
  .record({
    days: fc.uniqueArray(fc.integer({ min: 0, max: 900 }), { minLength: 8, maxLength: 25, size: 'max' }),
    maxAgeDays: fc.constantFrom(90, 400, 550, 900),
    drafts: fc.array(
      fc.record({
        company: fc.nat(2),
        metric: fc.constantFrom('roe', 'roe', 'roe', ...metrics),
        fp: fc.constantFrom(0, 0, 0, 0, 1, 4),
        year: fc.nat(3),
        // Half of all filings come on a date of the archive itself.
        onDate: fc.option(fc.nat(24)),
        filed: fc.integer({ min: -100, max: 950 }),
        unit: fc.constantFrom('USD' as const, 'USD' as const, 'USD' as const, 'EUR' as const),
        isWithdrawn: fc.integer({ min: 0, max: 7 }).map(chance => chance === 0),
      }),
      { minLength: 20, maxLength: 60, size: 'max' },
    ),
  })
  .map(({ days, maxAgeDays, drafts }): World => {
    const ascending = days.toSorted((a, b) => a - b)
    const filings = drafts.map(({ company, metric, fp, year, onDate, filed, unit, isWithdrawn }, i) => ({
      company,
      metric,
      fp,
      unit,
      // Some years end after their filing: a slip of the filer's.
      end: firstDay - 60 + 250 * year,
      filed: firstDay + (onDate === null ? filed : ascending[onDate % ascending.length]),
      // Each value occurs in only one filing, so a score reveals its filing.
      value: isWithdrawn ? null : i + 1,
    }))
    return {
      filings: filings.toSorted((a, b) => a.filed - b.filed),
      days: ascending.map(day => firstDay + day),
      maxAgeDays,
    }
  })

let worlds = 0

/** The filings as an import stores them: each figure is a row, which ends on the day of the next one. */
async function store(sql: Sql, filings: readonly Filed[]): Promise<(name: string) => string> {
  const prefix = `W${worlds++}`
  const rename = (name: string) => `${prefix}${name}`
  const rows = await sql<{ entity_id: number }[]>`
    insert into entity (market, issuer_id, ticker)
    select 'US', ticker, ticker from unnest(${companies.map(rename)}::text[]) ticker
    returning entity_id`
  const ids = rows.map(row => row.entity_id)
  const [elsewhere] = await sql<{ entity_id: number }[]>`
    insert into entity (market, issuer_id, ticker) values ('TW', ${rename('D')}, ${rename('D')}) returning entity_id`
  const tickers = [
    ...companies.map((ticker, i) => [ticker, ids[i]] as const),
    ...([
      ['A2', ids[0]],
      ['D', elsewhere.entity_id],
    ] as const),
  ]
  await sql`
    insert into entity_ticker (ticker, entity_id)
    select * from unnest(${tickers.map(([ticker]) => rename(ticker))}::text[], ${tickers.map(([, id]) => id)}::int[])`
  const facts: object[] = [
    // Figures of a company in another market with a name of the archive. None of them may become a score.
    {
      e: elsewhere.entity_id,
      m: 'roe',
      fp: 0,
      end: firstDay,
      filed: firstDay,
      superseded: null,
      unit: 'USD',
      v: 1e9,
    },
  ]
  filings.forEach(({ company, metric, fp, end, filed, unit, value }, i) => {
    if (value === null) return
    const next = filings.find(
      (later, j) =>
        j > i && later.company === company && later.metric === metric && later.fp === fp && later.end === end,
    )
    facts.push({
      e: ids[company],
      m: metric,
      fp,
      end,
      filed,
      superseded: next?.filed ?? null,
      unit,
      v: value,
    })
  })
  // The value occurs in only one filing, so it identifies the filing.
  await sql`
    insert into fact (entity_id, metric_id, fp, fy, unit_id, period_end, filed, superseded, value, filing_id)
    select f.e, m.metric_id, f.fp, 2015, u.unit_id, date '1970-01-01' + f."end", date '1970-01-01' + f.filed,
      coalesce(date '1970-01-01' + f.superseded, 'infinity'), f.v, f.v::int
    from jsonb_to_recordset(${JSON.stringify(facts)}::text::jsonb)
      as f (e int, m text, fp int, "end" int, filed int, superseded int, unit text, v float8)
    join metric m on m.name = f.m join unit u on u.name = f.unit`
  return rename
}

/** The definition applied to one row at a time, from the filings alone. */
function naive({ filings, days, maxAgeDays }: World): Scored[] {
  return days.flatMap(day =>
    names.map(asset => {
      const known = filings.filter(
        filing =>
          filing.company === companyOf[asset] &&
          filing.metric === 'roe' &&
          filing.fp === 0 &&
          filing.filed < day,
      )
      let latest: Filed | null = null
      for (const end of new Set(known.map(filing => filing.end))) {
        const vintage = known.findLast(filing => filing.end === end)
        if (!vintage || vintage.value === null || vintage.end > vintage.filed) continue
        if (latest === null || end > latest.end) latest = vintage
      }
      const counts = latest !== null && latest.unit === 'USD' && day - latest.end <= maxAgeDays
      return { date: isoDate(day), asset, score: counts ? (latest?.value ?? null) : null }
    }),
  )
}

/** The definitions of the other choices of vintages, applied to one row at a time from the filings alone. */
function naiveChoice({ filings, days, maxAgeDays }: World, choice: VintageChoice): Scored[] {
  return days.flatMap(day =>
    names.map(asset => {
      const own = filings.filter(
        filing => filing.company === companyOf[asset] && filing.metric === 'roe' && filing.fp === 0,
      )
      let latest: Filed | null = null
      for (const end of new Set(own.map(filing => filing.end))) {
        const ofYear = own.filter(filing => filing.end === end)
        // Of several filings of one day the last one counts.
        const lastOfDays = ofYear.filter((filing, i) => ofYear[i + 1]?.filed !== filing.filed)
        const stated = lastOfDays.filter(({ filed, value }) => value !== null && end <= filed)
        const onRecord = ofYear.at(-1)
        const vintage =
          choice === 'final'
            ? end < day && onRecord !== undefined && onRecord.value !== null && end <= onRecord.filed
              ? onRecord
              : undefined
            : stated.slice(0, 1).find(({ filed }) => filed < day)
        if (vintage !== undefined && (latest === null || end > latest.end)) latest = vintage
      }
      const counts = latest !== null && latest.unit === 'USD' && day - latest.end <= maxAgeDays
      return { date: isoDate(day), asset, score: counts ? (latest?.value ?? null) : null }
    }),
  )
}

async function served(
  of: World,
  change?: (figures: AssetFigures) => AssetFigures,
  vintages: VintageChoice = 'as_known',
): Promise<Scored[]> {
  const rename = await store(database.sql, of.filings)
  const rows = await scoresOf(
    database.sql,
    archiveOfNames(of.days, names.map(rename)),
    { market: 'US', metric: 'roe', unit: 'USD', maxAgeDays: of.maxAgeDays, vintages },
    change,
  )
  const prefix = rename('').length
  return rows.map(row => ({ ...row, asset: row.asset.slice(prefix) }))
}

/** The filing whose figure the score is bears a day before the row's date. */
function usesWhatWasFiledBefore(of: World, rows: readonly Scored[]): boolean {
  return rows.every(({ date, score }) => {
    const filing = of.filings.find(({ value }) => value === score)
    return score === null || (filing !== undefined && filing.filed < dayNumber(date))
  })
}

test('no score is of a figure that was filed on its date or later', async () => {
  let scores = 0
  await fc.assert(
    fc.asyncProperty(world, async of => {
      const rows = await served(of)
      scores += rows.filter(({ score }) => score !== null).length
      expect(usesWhatWasFiledBefore(of, rows)).toBe(true)
    }),
    { numRuns: 150 },
  )
  expect(scores).toBeGreaterThan(500)
}, 120_000)

test('every score is the latest full year at its latest vintage, as the definition reads', async () => {
  await fc.assert(
    fc.asyncProperty(world, async of => {
      expect(await served(of)).toEqual(naive(of))
    }),
    { numRuns: 200 },
  )
}, 120_000)

test('both properties see a figure that is used on the day of its filing', async () => {
  const early = await fc.check(
    fc.asyncProperty(world, async of => usesWhatWasFiledBefore(of, await served(of, aDayTooEarly))),
    { numRuns: 150, endOnFailure: true },
  )
  expect(early.failed).toBe(true)
  const wrong = await fc.check(
    fc.asyncProperty(world, async of => Bun.deepEquals(await served(of, aDayTooEarly), naive(of))),
    { numRuns: 150, endOnFailure: true },
  )
  expect(wrong.failed).toBe(true)
}, 120_000)

test.each(['first_filed', 'final'] as const)(
  'every score of %s is that of its definition',
  async choice => {
    let others = 0
    await fc.assert(
      fc.asyncProperty(world, async of => {
        const rows = await served(of, undefined, choice)
        expect(rows).toEqual(naiveChoice(of, choice))
        const known = naive(of)
        others += rows.filter(({ score }, i) => score !== known[i].score).length
        if (choice === 'first_filed') expect(usesWhatWasFiledBefore(of, rows)).toBe(true)
      }),
      { numRuns: 150 },
    )
    expect(others).toBeGreaterThan(500)
  },
  120_000,
)
