import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { addDays, dayNumber } from '../../../src/dates.ts'
import type { StatementAnswer } from '../../../src/features/statements/statementSchema.ts'
import type {
  FigureContext,
  ReportedFigure,
  Statement,
  WholeFiling,
} from '../../../src/wholeFilings/wholeFiling.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { type GivenFiling, importWhole } from './importWhole.ts'

setDefaultTimeout(240_000)

/*
 * Companies that file annual and quarterly reports, amend single statements, restate earlier periods, drop lines and
 * rename their own tags. The reference knows what each filing states as plain records, and nothing of blocks, tables
 * and layouts.
 */

/** What one filing states on one statement: the value by tag and period. */
interface Stated {
  readonly statement: 'income' | 'balance'
  readonly cells: ReadonlyMap<string, string>
}

interface Made {
  readonly given: GivenFiling
  readonly isAnnual: boolean
  readonly end: string
  readonly stated: readonly Stated[]
}

const cellKey = (tag: string, period: string) => `${tag} ${period}`

interface Shape {
  readonly first: number
  readonly years: readonly {
    readonly delay: number
    readonly quarters: readonly boolean[]
    readonly amends: 'income' | 'balance' | 'both' | null
    readonly restates: boolean
    readonly renames: boolean
    readonly drops: boolean
  }[]
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  first: fc.integer({ min: 2011, max: 2016 }),
  years: fc.array(
    fc.record({
      delay: fc.integer({ min: 30, max: 120 }),
      quarters: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      amends: fc.constantFrom('income' as const, 'balance' as const, 'both' as const, null, null),
      restates: fc.boolean(),
      renames: fc.boolean(),
      drops: fc.boolean(),
    }),
    { minLength: 2, maxLength: 6 },
  ),
})

const flow = (year: number, quarter: number | null) => {
  const [from, to] = quarter === null ? ['01-01', '12-31'] : quarters[quarter - 1]
  return { start: `${year}-${from}`, end: `${year}-${to}` }
}
const quarters = [
  ['01-01', '03-31'],
  ['04-01', '06-30'],
  ['07-01', '09-30'],
]

/** The filings of a company in the order in which they are filed. */
function filingsOf(company: number, { first, years }: Shape): Made[] {
  const made: Made[] = []
  let generation = 0
  let itemTag = 'own:Item0'
  let hasOther = true
  const contexts = new Map<string, FigureContext>()
  const contextOf = (start: string | null, end: string) => {
    const key = `${start} ${end}`
    const known = contexts.get(key) ?? {
      start: start === null ? null : dayNumber(start),
      end: dayNumber(end),
      quarters: null,
      dimensions: [],
    }
    contexts.set(key, known)
    return known
  }
  /** Distinct for each line and period, and the same in every filing until the next restatement. */
  const statedFor = (line: number, end: string) => {
    const restated = [...restatements].filter(day => day >= end).length
    return String(company * 1e9 + line * 1e7 + (dayNumber(end) % 9_973) * 100 + restated + 1)
  }
  const restatements: string[] = []
  const file = (
    name: string,
    form: string,
    filed: string,
    end: string,
    parts: readonly {
      statement: Stated['statement']
      periods: readonly { start: string | null; end: string }[]
    }[],
  ) => {
    const figures: ReportedFigure[] = []
    const statements: Statement[] = []
    const stated: Stated[] = []
    for (const { statement, periods } of parts) {
      const tags =
        statement === 'income'
          ? [
              'us-gaap:Revenues',
              itemTag,
              ...(hasOther ? ['us-gaap:OtherNonoperatingIncomeExpense'] : []),
              'us-gaap:NetIncomeLoss',
            ]
          : ['us-gaap:Cash', 'us-gaap:Assets', 'us-gaap:Liabilities']
      const lineOf = (tag: string) =>
        (tag === itemTag ? 90 : tag.length) + (statement === 'balance' ? 200 : 0)
      const cells = new Map<string, string>()
      for (const tag of tags)
        for (const { start, end: last } of periods) {
          const value =
            statedFor(lineOf(tag), last) + (start === null ? '' : String(dayNumber(last) - dayNumber(start)))
          cells.set(cellKey(tag, `${start ?? ''}..${last}`), value)
          figures.push({ concept: tag, context: contextOf(start, last), unit: 'USD', decimals: 0, value })
        }
      stated.push({ statement, cells })
      const title = statement === 'income' ? 'STATEMENTS OF OPERATIONS' : 'BALANCE SHEETS'
      statements.push({
        role: `http://own/${statement}`,
        title: `${statements.length + 2} - Statement - ${title}`,
        kind: null,
        parenthetical: false,
        lines: tags.map((concept, at) => ({
          order: at + 1,
          concept,
          depth: at === 0 ? 0 : 0,
          label: `${concept} of generation ${generation}`,
          labelRole: null,
          negated: false,
        })),
      })
    }
    const whole: WholeFiling = {
      accession: `${String(company).padStart(10, '0')}-${filed.slice(2, 4)}-${String(made.length).padStart(6, '0')}`,
      taxonomies: new Map(),
      figures,
      statements,
      sums: [],
      defaultMembers: new Map(),
    }
    const issuerId = String(5_000_000 + company).padStart(10, '0')
    const given = {
      issuerId,
      ticker: `R${company}`,
      form,
      filed,
      periodEnd: end,
      source: 'documents' as const,
      whole,
    }
    made.push({ given, isAnnual: form.startsWith('10-K'), end, stated })
    generation++
    return name
  }
  years.forEach((year, index) => {
    const fiscal = first + index
    year.quarters.forEach((isFiled, at) => {
      if (!isFiled) return
      const now = flow(fiscal, at + 1)
      const before = flow(fiscal - 1, at + 1)
      file('10-Q', '10-Q', addDays(now.end, 40), now.end, [
        { statement: 'income', periods: [now, before] },
        {
          statement: 'balance',
          periods: [now.end, `${fiscal - 1}-12-31`].map(end => ({ start: null, end })),
        },
      ])
    })
    if (year.restates) restatements.push(`${fiscal - 1}-12-31`)
    if (year.renames) itemTag = `own:Item${index + 1}`
    if (year.drops) hasOther = !hasOther
    const end = `${fiscal}-12-31`
    const filed = addDays(end, year.delay)
    const income = { statement: 'income' as const, periods: [0, 1, 2].map(back => flow(fiscal - back, null)) }
    const balance = {
      statement: 'balance' as const,
      periods: [0, 1].map(back => ({ start: null, end: `${fiscal - back}-12-31` })),
    }
    file('10-K', '10-K', filed, end, [income, balance])
    if (year.amends === null) return
    restatements.push(end)
    const parts = year.amends === 'both' ? [income, balance] : [year.amends === 'income' ? income : balance]
    file('10-K/A', '10-K/A', addDays(filed, 25), end, parts)
  })
  return made
}

const companies = fc
  .sample(shapes, { numRuns: 40, seed: 20_240_601 })
  .map((shape, at) => filingsOf(at + 1, shape))
let database: TestDatabase
let server: TestServer
let key: string

beforeAll(async () => {
  database = await testDatabase()
  await importWhole(
    database.sql,
    nonEmpty(companies.flat()).map(({ given }) => given),
  )
  server = await testServer(database.sql)
  key = await sellKey(database.sql)
  await database.sql`update key_grant set per_minute = 1000000, per_day = null`
  await Bun.sleep(150)
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

/** The cells of the reference: for each period the filing that counts, by the rule as the guide states it. */
function expected(made: readonly Made[], day: string, statement: Stated['statement'], fp: 'FY' | null) {
  const known = made
    .map((each, at) => ({
      ...each,
      at,
      cells: each.stated.find(part => part.statement === statement)?.cells,
    }))
    .filter(({ given }) => given.filed <= day)
    .filter(({ isAnnual }) => fp === null || isAnnual)
    .filter(each => each.cells !== undefined)
  const byFiling = [...known].sort((a, b) =>
    a.given.filed < b.given.filed
      ? 1
      : a.given.filed > b.given.filed
        ? -1
        : b.given.whole.accession < a.given.whole.accession
          ? -1
          : 1,
  )
  const latest = [...byFiling].sort((a, b) => (a.end < b.end ? 1 : a.end > b.end ? -1 : 0))[0]
  if (latest === undefined) return null
  const earlier = byFiling.filter(
    each => each !== latest && each.isAnnual === latest.isAnnual && each.end <= latest.end,
  )
  const sources = new Map<string, (typeof known)[number]>()
  for (const each of [latest, ...earlier])
    for (const cell of each.cells?.keys() ?? []) {
      const period = cell.split(' ')[1]
      if (!sources.has(period)) sources.set(period, each)
    }
  const cells: string[] = []
  for (const [period, source] of sources)
    for (const [cell, value] of source.cells ?? [])
      if (cell.endsWith(` ${period}`)) cells.push(`${period} ${value} ${source.given.whole.accession}`)
  return { latest: latest.given.whole.accession, cells: cells.sort() }
}

async function ask(path: string): Promise<{ answer: StatementAnswer; text: string }> {
  const response = await fetch(`${server.url}/api/v1/${path}`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  const text = await response.text()
  expect([path, response.status]).toEqual([path, 200])
  return { answer: JSON.parse(text), text }
}

const question = fc.record({
  company: fc.nat(companies.length - 1),
  day: fc
    .integer({ min: dayNumber('2011-01-01'), max: dayNumber('2023-06-01') })
    .map(day => addDays('1970-01-01', day)),
  statement: fc.constantFrom('income' as const, 'balance' as const),
  fp: fc.constantFrom('FY' as const, null),
})

test('statements of random companies on random days equal the reference, and nothing in them is later', async () => {
  let [withColumns, withRenames] = [0, 0]
  await fc.assert(
    fc.asyncProperty(question, async ({ company, day, statement, fp }) => {
      const made = companies[company]
      const wanted = expected(made, day, statement, fp)
      const path = `statements?ticker=${made[0].given.issuerId}&statement=${statement}&as_of=${day}&filings=60${fp === null ? '' : '&fp=FY'}`
      const { answer, text } = await ask(path)
      for (const { given } of made)
        if (given.filed > day) expect([path, text.includes(given.whole.accession)]).toEqual([path, false])
      for (const { filed } of answer.filings) expect(filed <= day).toBeTrue()
      if (wanted === null) {
        expect([path, answer.count, answer.filings]).toEqual([path, 0, []])
        return
      }
      const cells = answer.data.flatMap(line =>
        line.cells.flatMap((cell, at) => {
          const period = answer.columns[at].period
          return cell === null
            ? []
            : [`${period?.start ?? ''}..${period?.end} ${cell.value} ${cell.accession}`]
        }),
      )
      expect([path, cells.sort()]).toEqual([path, wanted.cells])
      expect([path, answer.filings[0].accession]).toEqual([path, wanted.latest])
      const [source] = made.filter(({ given }) => given.whole.accession === wanted.latest)
      const lines = nonEmpty(
        source.given.whole.statements.find(({ role }) => role.endsWith(statement))?.lines,
      )
      const own = answer.data.filter(({ accession }) => accession === wanted.latest)
      expect(own.map(({ label, tag }) => [label, tag])).toEqual(
        lines.map(({ label, concept }) => [label, concept]),
      )
      if (answer.filings.length > 1) withColumns++
      for (const { tag, other_tags, cells: linked } of answer.data) {
        for (const other of other_tags) {
          withRenames++
          // The reference gives the own item a number of its own, whatever its tag.
          expect([tag, other.tag].every(each => each.startsWith('own:Item'))).toBeTrue()
          expect(other.equal_at.length).toBeGreaterThanOrEqual(2)
          expect(linked.filter(cell => cell !== null).length).toBeGreaterThanOrEqual(2)
        }
      }
    }),
    { numRuns: 400, seed: 7 },
  )
  expect(withColumns).toBeGreaterThan(100)
  expect(withRenames).toBeGreaterThan(10)
})

test('a filing as filed is its own figures alone, by period and by accession', async () => {
  for (const made of nonEmpty(companies).slice(0, 10))
    for (const { given, stated, isAnnual } of made.slice(0, 6)) {
      for (const { statement, cells } of stated) {
        const query = `statements?ticker=${given.ticker}&statement=${statement}&view=as_filed&as_of=2026-01-01`
        const { answer } = await ask(`${query}&accession=${given.whole.accession}`)
        const values = answer.data.flatMap(line => line.cells.flatMap(cell => cell?.value ?? []))
        expect(values.sort()).toEqual([...cells.values()].sort())
        if (!isAnnual) continue
        const fy = given.periodEnd?.slice(0, 4)
        const { answer: ofYear } = await ask(`${query}&fp=FY&fy=${fy}`)
        const last = made.findLast(
          each =>
            each.isAnnual &&
            each.end === given.periodEnd &&
            each.stated.some(part => part.statement === statement),
        )
        expect(ofYear.filings.map(({ accession }) => accession)).toEqual([last?.given.whole.accession ?? ''])
      }
    }
})

test('a fiscal year is shown by the latest filing that has its column, without later columns', async () => {
  let shown = 0
  for (const made of nonEmpty(companies))
    for (const fy of [2012, 2014, 2016]) {
      const end = `${fy}-12-31`
      const withColumn = made
        .filter(({ isAnnual }) => isAnnual)
        .filter(({ stated }) =>
          stated.some(
            ({ statement, cells }) =>
              statement === 'income' && [...cells.keys()].some(cell => cell.endsWith(`..${end}`)),
          ),
        )
      if (!made.some(each => each.isAnnual && each.end === end)) continue
      const { answer } = await ask(
        `statements?ticker=${made[0].given.ticker}&statement=income&fp=FY&fy=${fy}&as_of=2026-01-01`,
      )
      expect(answer.columns[0].period).toMatchObject({ end, quarters: 4, fy, fp: 'FY' })
      const latest = [...withColumn].sort((a, b) =>
        a.end === b.end ? (a.given.filed < b.given.filed ? 1 : -1) : a.end < b.end ? 1 : -1,
      )[0]
      expect(answer.columns[0].accession).toBe(latest.given.whole.accession)
      shown++
    }
  expect(shown).toBeGreaterThan(20)
})

test('every figure of a tag has a row for each filing that states it, page by page', async () => {
  for (const made of nonEmpty(companies).slice(0, 12)) {
    const day = '2018-03-01'
    const wanted = made
      .filter(({ given }) => given.filed <= day)
      .flatMap(({ given, stated }) =>
        stated.flatMap(({ cells }) =>
          [...cells].flatMap(([cell, value]) =>
            cell.startsWith('us-gaap:Revenues ')
              ? [`${cell.split(' ')[1]} ${value} ${given.whole.accession}`]
              : [],
          ),
        ),
      )
    const found: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 200; pages++) {
      const response = await fetch(
        `${server.url}/api/v1/reported?ticker=${made[0].given.ticker}&tag=us-gaap:Revenues&as_of=${day}&limit=5${cursor}`,
        { headers: { Authorization: `Bearer ${key}` } },
      )
      const { data, next } = await response.json()
      for (const { start, end, value, accession } of data)
        found.push(`${start ?? ''}..${end} ${value} ${accession}`)
      if (next === null) break
      cursor = `&cursor=${next}`
    }
    expect(found.sort()).toEqual(wanted.sort())
  }
})
