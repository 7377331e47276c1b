import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { auditStates } from '../../../src/backtest/audit/states.ts'
import { addDays, isoDate } from '../../../src/dates.ts'
import type { Filing, ReportedFact } from '../../../src/facts/reportedFact.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { isLong, rounds } from '../../rounds.ts'
import {
  draftsOf,
  firstDay,
  importAs,
  removeCompanies,
  spanDays,
  statementsOf,
} from '../companies/randomFilings.ts'
import { type AuditBench, auditBench } from './auditBench.ts'
import {
  answerCell,
  dayOf,
  type Fp,
  lastEnded,
  publicVintages,
  type Release,
  type Stored,
} from './bruteForce.ts'

/* Every state, days, filing and known value of an audit is what test/features/audits/bruteForce.ts says of the cell. */

let database: TestDatabase
let bench: AuditBench
beforeAll(async () => {
  database = await testDatabase()
  bench = await auditBench(database.sql)
}, 180_000)
afterAll(async () => {
  await bench.close()
  await database.close()
}, 180_000)

const hourMs = 3_600_000
const metrics = ['revenue', 'net_income', 'assets', 'roe', 'net_margin'] as const
const kinds = ['FY', 'Q', 'TTM', 'latest'] as const

/** Distinct enough to be recognised when rounded, small enough to be equal by chance, and 1,000 times each other. */
const values = [0, 1, 2, 3, 1_234_567, 1_234_612, 1_234_000, 987_654_321, 98_765_432, 1_234]
const periods = [2018, 2019, 2020].flatMap(year => [
  { start: `${year}-01-01`, end: `${year}-12-31` },
  { start: `${year}-01-01`, end: `${year}-03-31` },
])
const drafts = fc.array(
  fc
    .tuple(draftsOf(periods, [2, 10]), fc.array(fc.nat(values.length - 1), { minLength: 10, maxLength: 10 }))
    .map(([draft, numbers]) => ({
      ...draft,
      figures: draft.figures.map((figure, index) => ({ ...figure, value: values[numbers[index]] })),
    })),
  { minLength: 2, maxLength: 6 },
)
const hours = fc.array(fc.constantFrom(null, null, -2, 13, 15.5, 21, 26, 30, 100), {
  minLength: 1,
  maxLength: 5,
})
const releases = fc.array(
  fc.record({
    company: fc.nat(2),
    day: fc.integer({ min: -3, max: spanDays }),
    hour: fc.constantFrom(null, 13, 21, 26),
  }),
  { maxLength: 4 },
)
const datasets = fc.record({
  companies: fc.array(drafts, { minLength: 2, maxLength: 3 }),
  hours,
  euros: fc.constantFrom(0, 2, 3),
  markets: fc.constantFrom(['US', 'US', 'US'], ['US', 'US', 'JP']),
  releases,
  /** The day on which a symbol passes from the first company to the second; null: nobody has the symbol. */
  passes: fc.option(fc.integer({ min: 0, max: spanDays })),
  hasSuccessor: fc.boolean(),
})
const cells = fc.record({
  company: fc.nat(9),
  when: fc.nat(30),
  near: fc.constantFrom(-1, 0, 1),
  of: fc.constantFrom('any', 'any', 'any', 'any', 'any', 'other', 'noise', 'none'),
  pick: fc.nat(1_000),
  change: fc.constantFrom<(value: number) => number>(
    value => value,
    value => value,
    value => value,
    value => -value,
    value => value / 1_000,
    value => value * 1e6,
    value => Number(value.toPrecision(3)),
    value => value * (1 + 1e-13),
    value => value * (1 + 1e-9),
  ),
})
const panels = fc.record({
  metric: fc.constantFrom('revenue', 'revenue', 'assets', 'assets', ...metrics),
  fp: fc.constantFrom(...kinds),
  hasTimes: fc.boolean(),
  inclusive: fc.boolean(),
  maxAge: fc.option(fc.integer({ min: 0, max: 1_200 })),
  scale: fc.constantFrom(1, 1, 1_000, 0.01),
  sign: fc.constantFrom(1, 1, -1),
  currency: fc.constantFrom(null, null, 'USD', 'EUR'),
  digits: fc.constantFrom(17, 17, 4),
  cells: fc.array(cells, { minLength: 5, maxLength: 40 }),
})

interface Company {
  readonly ticker: string
  readonly entity: number
  readonly zone: string
  readonly releases: readonly Release[]
}

const withHours = (
  facts: readonly ReportedFact[],
  hoursOfFilings: readonly (number | null)[],
  euros: number,
): ReportedFact[] => {
  const filings = new Map<Filing, { filing: Filing; unit: string }>()
  return facts.map(fact => {
    const hour = hoursOfFilings[filings.size % hoursOfFilings.length]
    const acceptedAt = hour === null ? null : (fact.filing.filed * 24 + hour) * hourMs
    const unit = euros > 0 && filings.size % euros === 1 ? 'EUR' : 'USD'
    const made = filings.get(fact.filing) ?? { filing: { ...fact.filing, acceptedAt }, unit }
    filings.set(fact.filing, made)
    return { ...fact, ...made }
  })
}

async function importDataset(data: typeof datasets extends fc.Arbitrary<infer T> ? T : never) {
  const { sql } = database
  await removeCompanies(sql)
  await sql.unsafe('delete from announcement; delete from symbol_spell; delete from succession')
  const companies: Company[] = []
  for (const [number, made] of data.companies.entries()) {
    const market = data.markets[number]
    const facts = withHours(statementsOf(number, made), data.hours, data.euros)
    const ticker = await importAs(sql, market, number, facts)
    const [row] = await sql<{ entity: number }[]>`
      select entity_id as entity from entity where market = ${market} and issuer_id = ${`${number}`}`
    if (row === undefined) continue
    const zone = market === 'JP' ? 'Asia/Tokyo' : 'America/New_York'
    const own: (Release & { accession: string })[] = []
    for (const [index, { company, day, hour }] of data.releases.entries()) {
      if (company !== number) continue
      const filed = dayOf(firstDay) + day
      const at = hour === null ? null : (filed * 24 + hour) * hourMs
      const accession = `release-${number}-${index}`
      own.push({
        filed,
        at,
        known: at === null ? filed : Math.max(filed, lastEnded(zone, at) + 1),
        accession,
      })
      await sql`
        insert into announcement (market, issuer_id, accession, form, filed, accepted_at)
        values (${market}, ${`${number}`}, ${accession}, '8-K', ${isoDate(filed)},
                ${at === null ? null : new Date(at).toISOString()})`
    }
    own.sort(
      (a, b) =>
        a.filed - b.filed ||
        (a.at ?? Number.MAX_SAFE_INTEGER) - (b.at ?? Number.MAX_SAFE_INTEGER) ||
        (a.accession < b.accession ? -1 : 1),
    )
    companies.push({ ticker, entity: row.entity, zone, releases: own })
  }
  const passes = data.passes === null ? null : addDays(firstDay, data.passes)
  if (passes !== null)
    for (const [issuer, from, to] of [
      ['0', '2000-01-01', addDays(passes, -1)],
      ['1', passes, null],
    ])
      await sql`
        insert into symbol_spell (symbol, market, issuer_id, holder, from_day, to_day, is_beginning, source, known)
        values ('SYM', 'US', ${issuer}, ${`holder ${issuer}`}, ${from}, ${to}, true, 'operator', ${from})`
  if (data.hasSuccessor)
    await sql`
      insert into succession (market, predecessor, successor, from_day, known, source)
      values ('US', '0', '1', ${firstDay}, ${firstDay}, 'operator')`
  return { companies, passes }
}

test(
  'every state, known value, lag and filing is that of a reader of one cell at a time',
  async () => {
    const { sql } = database
    const seen = new Map<string, number>()
    const count = (name: string) => seen.set(name, (seen.get(name) ?? 0) + 1)
    await fc.assert(
      fc.asyncProperty(datasets, fc.array(panels, { minLength: 8, maxLength: 8 }), async (data, asked) => {
        const { companies, passes } = await importDataset(data)
        const byTicker = new Map(companies.map(company => [company.ticker, company]))
        // What the companies' figures do not depend on is read once.
        const memory = new Map<string, Promise<Stored[]>>()
        const read = (
          { entity }: Company,
          metric: string,
          fp: Fp,
          when: Parameters<typeof publicVintages>[4],
        ) => {
          const key = JSON.stringify([entity, metric, fp, when])
          const found = memory.get(key) ?? publicVintages(sql, entity, metric, fp, when)
          memory.set(key, found)
          return found
        }
        const kinOf = ({ ticker }: Company) =>
          data.hasSuccessor && (ticker === 'E0' || ticker === 'E1')
            ? [byTicker.get(ticker === 'E0' ? 'E1' : 'E0')]
            : []
        const times = companies.flatMap(({ releases: own }) => own.flatMap(({ at }) => at ?? []))
        const between = new Map<string, string>()
        const accepted = await sql<{ at: number }[]>`
          select distinct (extract(epoch from known_at) * 1000)::float8 as at from known_moment order by 1`
        times.push(...accepted.map(({ at }) => at), (dayOf(firstDay) + 6) * 24 * hourMs)

        for (const panel of asked) {
          const { metric, fp, hasTimes, maxAge, scale, sign, currency, digits } = panel
          const inclusive = !hasTimes && panel.inclusive
          const names = [...companies.map(({ ticker }) => ticker), 'SYM', 'NOSUCH']
          const rows = await Promise.all(
            panel.cells.map(async cell => {
              const ticker = names[cell.company] ?? names[cell.company % companies.length]
              const date = addDays(firstDay, (cell.when % (spanDays + 4)) + (cell.pick % 5 === 0 ? 60 : 1))
              const ms = times[cell.when % times.length] + cell.near * 1_000
              const source =
                cell.of === 'other'
                  ? companies[(cell.company + 1) % companies.length]
                  : (byTicker.get(ticker) ?? companies[cell.pick % companies.length])
              const stored =
                source === undefined
                  ? []
                  : await read(source, metric, cell.pick % 9 === 0 ? 'TTM' : fp, { day: '9999-12-31' })
              const chosen = stored.length === 0 ? 17.25 : stored[cell.pick % stored.length].value
              const value = cell.of === 'noise' ? cell.pick + 0.125 : (cell.change(chosen) / scale) * sign
              return {
                ticker,
                when: hasTimes ? new Date(ms).toISOString() : date,
                value: cell.of === 'none' ? null : Number(value.toPrecision(digits)),
              }
            }),
          )
          const sent = rows.flatMap(({ value }) => value ?? [])
          if (sent.length === 0) continue
          const answer = await bench.audit({
            rows: {
              [hasTimes ? 'time' : 'date']: rows.map(({ when }) => when),
              ticker: rows.map(({ ticker }) => ticker),
              x: rows.map(({ value }) => value),
            },
            columns: {
              x: { metric, fp, scale, sign, splits: 'as_filed', ...(currency === null ? {} : { currency }) },
            },
            with: ['filing', 'filed', 'end'],
            ...(inclusive ? { inclusive } : {}),
            ...(maxAge === null ? {} : { max_age_days: maxAge }),
          })
          // How roundings are found is tested on columns that are rounded in known ways (plantedFaults.test.ts).
          const { reading } = answer.columns[0]
          const rounding = { unit: reading.rounding_unit, digits: reading.significant_digits }
          for (const [index, { ticker, when, value }] of rows.entries()) {
            const columns: Readonly<Record<string, readonly unknown[]>> = answer.rows ?? {}
            const shown = ['state', 'known', 'days', 'filing', 'filed', 'end'].map(
              name => columns[`x_${name}`][index],
            )
            const context = { ticker, when, value, panel: { ...panel, cells: undefined }, rounding }
            const day = hasTimes ? isoDate(lastEnded('America/New_York', Date.parse(when)) + 1) : when
            const holder = passes === null ? undefined : byTicker.get(day < passes ? 'E0' : 'E1')
            const own = ticker === 'SYM' ? holder : byTicker.get(ticker)
            const holders =
              ticker === 'SYM' && passes !== null ? [byTicker.get('E0'), byTicker.get('E1')] : [own]
            const all = holders.flatMap(one => (one === undefined ? [] : [one, ...kinOf(one)]))
            const others = [...new Set(all)].filter(one => one !== undefined && one !== own)
            const instant = hasTimes ? Date.parse(when) : null
            const ended =
              instant === null
                ? dayOf(when) - (inclusive ? 0 : 1)
                : lastEnded(own?.zone ?? 'America/New_York', instant)
            if (instant !== null && own !== undefined) {
              const [found] = await sql`
                select day::text as day from known_moment
                where entity_id = ${own.entity} and known_at <= ${when} and until_at > ${when} and interim is not null`
              if (found !== undefined) {
                between.set(`${own.entity} ${when}`, String(found.day))
                count('cells between two filings of one day')
              }
            }
            const state = between.get(`${own?.entity} ${when}`)
            const figuresOf = async (company: Company, kind: Fp, isOwn = true) => {
              const ever = await read(company, metric, kind, { day: '9999-12-31' })
              if (instant === null || !isOwn)
                return { known: await read(company, metric, kind, { day: isoDate(ended) }), ever }
              // Other kinds of periods are not read between two filings: they are those before the first.
              if (state !== undefined && kind !== fp)
                return { known: await read(company, metric, kind, { day: state }), ever }
              const known = await read(company, metric, kind, { at: when, ended: isoDate(ended) })
              return { known, ever }
            }
            const expected =
              value === null
                ? { state: null, known: null, vintages: [] }
                : answerCell({
                    value,
                    scale,
                    sign,
                    currency,
                    rounding,
                    maxAge,
                    ownDay: instant === null ? dayOf(when) : ended + 1,
                    endedDay: ended,
                    instant,
                    isBetween: state !== undefined,
                    own: own === undefined ? null : await figuresOf(own, fp),
                    others: await Promise.all(
                      others.flatMap(other => (other === undefined ? [] : [figuresOf(other, fp, false)])),
                    ),
                    otherPeriods:
                      own === undefined
                        ? []
                        : await Promise.all(
                            (['FY', 'Q', 'TTM'] as const)
                              .filter(kind => kind !== fp)
                              .map(kind => figuresOf(own, kind)),
                          ),
                    releases: own?.releases ?? [],
                  })
            const ownDay = instant === null ? dayOf(when) : ended + 1
            const possible = expected.vintages.map(({ filed, accession, end }) =>
              JSON.stringify([filed - ownDay, accession, isoDate(filed), isoDate(end)]),
            )
            expect({ ...context, cell: shown.slice(0, value === null ? 1 : 2) }).toEqual({
              ...context,
              cell: [expected.state, expected.known].slice(0, value === null ? 1 : 2),
            })
            if (possible.length === 0)
              expect([context, shown.slice(2)]).toEqual([context, [null, null, null, null]])
            else if (!possible.includes(JSON.stringify(shown.slice(2))))
              expect([context, expected.state, JSON.stringify(shown.slice(2))]).toEqual([
                context,
                expected.state,
                possible as never,
              ])
            count(`${hasTimes ? 'time' : 'date'} ${expected.state}`)
          }
          count('panels')
        }
      }),
      { numRuns: rounds(35, 400), endOnFailure: true },
    )
    const met = (rows: string, state: string) => seen.get(`${rows} ${state}`) ?? 0
    // The rounds of CI may meet none of the two rarest.
    const states = isLong
      ? auditStates
      : auditStates.filter(state => !['announced', 'rounded'].includes(state))
    for (const state of nonEmpty(states))
      for (const rows of ['date', 'time'])
        expect([rows, state, met(rows, state) >= (state === 'rounded' ? 3 : rounds(1, 10))]).toEqual([
          rows,
          state,
          true,
        ])
    expect(seen.get('cells between two filings of one day') ?? 0).toBeGreaterThan(rounds(5, 30))
  },
  isLong ? 3_600_000 : 120_000,
)
