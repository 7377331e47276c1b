import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { addDays } from '../../../src/dates.ts'
import type { StatementAnswer } from '../../../src/features/statements/statementSchema.ts'
import { kindOfStatement } from '../../../src/wholeFilings/kindOfStatement.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sellKey } from '../../http/callers.ts'
import { type TestServer, testServer } from '../../http/testServer.ts'
import { readZipFiles, recordsOf } from '../../ingest/registers/us/packages.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { importWhole, realDataSet } from './importWhole.ts'

setDefaultTimeout(300_000)

/* Statements of the companies of 2009q3, compared with `sub.txt`, `pre.txt` and `num.txt` read as plain tables. */

const given = await realDataSet('2009q3.zip')
const files = await readZipFiles('fsds/2009q3.zip')
const isMissing = given === null || files === null
const records = (name: string) => (files === null ? [] : recordsOf(files, name))
const subs = records('sub.txt')
const presented = Map.groupBy(records('pre.txt'), ({ adsh }) => adsh)
const numbers = Map.groupBy(records('num.txt'), ({ adsh, tag, version }) => `${adsh} ${tag} ${version}`)
const day = (compact: string) => compact.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')

let database: TestDatabase
let server: TestServer
let key: string

beforeAll(async () => {
  database = await testDatabase()
  await importWhole(database.sql, given ?? [])
  server = await testServer(database.sql)
  key = await sellKey(database.sql)
  await database.sql`update key_grant set per_minute = 1000000, per_day = null`
  await Bun.sleep(150)
})
afterAll(async () => {
  await server.stop()
  await database.close()
})

/** The filing that counts: of the latest period, the latest one by the day that presents the statement. */
function latestFiling(cik: string, on: string, stmt: string): Record<string, string> | undefined {
  const known = subs.filter(sub => sub.cik === cik && day(sub.filed) <= on && sub.period !== '')
  return known
    .filter(({ adsh }) => presented.get(adsh)?.some(line => line.stmt === stmt && line.inpth === '0'))
    .sort((a, b) => compare(b.period, a.period) || compare(b.filed, a.filed) || compare(b.adsh, a.adsh))[0]
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const question = fc.record({
  company: fc.nat(),
  on: fc.integer({ min: 0, max: 110 }).map(days => addDays('2009-07-01', days)),
  statement: fc.constantFrom(['income', 'IS'] as const, ['balance', 'BS'] as const),
})

test.skipIf(isMissing)(
  'random companies on random days have the lines and figures of the source, and none later',
  async () => {
    const ciks = nonEmpty([...new Set(subs.map(({ cik }) => cik))])
    let [compared, empty] = [0, 0]
    await fc.assert(
      fc.asyncProperty(question, async ({ company, on, statement: [statement, stmt] }) => {
        const cik = ciks[company % ciks.length]
        const path = `statements?ticker=T${cik}&statement=${statement}&as_of=${on}&view=as_filed`
        const response = await fetch(`${server.url}/api/v1/${path}`, {
          headers: { Authorization: `Bearer ${key}` },
        })
        const text = await response.text()
        expect([path, response.status]).toEqual([path, 200])
        const answer: StatementAnswer = JSON.parse(text)
        for (const { adsh, filed } of subs.filter(sub => sub.cik === cik))
          if (day(filed) > on) expect(text).not.toContain(adsh)
        const filing = latestFiling(cik, on, stmt)
        const [shown] = answer.filings
        expect([path, shown?.accession ?? 'none']).toEqual([path, filing?.adsh ?? 'none'])
        if (filing === undefined) {
          empty++
          return
        }
        const lines = nonEmpty(presented.get(filing.adsh)).filter(
          line => line.stmt === stmt && line.inpth === '0',
        )
        const longest = Math.max(
          ...[...Map.groupBy(lines, ({ report }) => report).values()].map(list => list.length),
        )
        const [report] = [...Map.groupBy(lines, each => each.report)]
          .sort(([a], [b]) => Number(a) - Number(b))
          .filter(([, list]) => list.length * 2 >= longest)
        const rows = report[1]
          .sort((a, b) => Number(a.line) - Number(b.line))
          .flatMap(line => {
            const all = numbers.get(`${filing.adsh} ${line.tag} ${line.version}`) ?? []
            const own = all.filter(({ coreg = '', segments = '' }) => coreg === '' && segments === '')
            const cells = answer.columns.map(({ period }) => {
              const fits = own.filter(each => day(each.ddate) === period?.end)
              return (
                fits.find(({ qtrs }) => Number(qtrs) === period?.quarters) ??
                fits.find(({ qtrs }) => qtrs === '0')
              )
            })
            // A fact that the filing states to be nil has no value, and its line is presented.
            const values = cells.map(cell =>
              cell === undefined || cell.value === '' ? null : plain(cell.value),
            )
            const label = line.plabel === '' ? null : line.plabel
            return cells.every(cell => cell === undefined) ? [] : [[label, line.tag, ...values]]
          })
        const whole = answer.data.filter(
          ({ dimensions, heading, opening }) => dimensions.length === 0 && !heading && !opening,
        )
        // A line of a coregistrant alone, or a figure in two currencies, is compared elsewhere.
        const ours = whole.map(({ label, tag, cells }) => [
          label,
          tag.split(':')[1],
          ...cells.map(cell => cell?.value ?? null),
        ])
        if (answer.data.some(({ dimensions, opening }) => dimensions.length > 0 || opening)) return
        expect([path, ours]).toEqual([path, rows])
        compared++
      }),
      { numRuns: 300, seed: 11 },
    )
    expect(compared).toBeGreaterThan(100)
    expect(empty).toBeGreaterThan(20)
  },
)

const plain = (value: string) => (value.includes('.') ? value.replace(/\.?0+$/, '') : value)

test.skipIf(isMissing)('concepts alone identify statements as the data set classifies them', () => {
  const counts = new Map<string, { right: number; all: number }>()
  for (const { whole } of nonEmpty(given))
    for (const statement of whole.statements) {
      if (statement.parenthetical || statement.kind === null || !/^(BS|IS|CF|EQ|CI)$/.test(statement.kind))
        continue
      const count = counts.get(statement.kind) ?? { right: 0, all: 0 }
      counts.set(statement.kind, count)
      count.all++
      if (kindOfStatement({ ...statement, kind: null }) === statement.kind) count.right++
    }
  for (const kind of ['BS', 'IS', 'CF', 'EQ', 'CI']) {
    const { right, all } = counts.get(kind) ?? { right: 0, all: 0 }
    expect(all).toBeGreaterThan(50)
    expect([kind, right / all > (kind === 'EQ' ? 0.97 : 0.99)]).toEqual([kind, true])
  }
})
