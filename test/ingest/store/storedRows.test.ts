import { expect, setDefaultTimeout, test } from 'bun:test'
import { dayNumber } from '../../../src/dates.ts'
import { importAs, statementsOf } from '../../features/companies/randomFilings.ts'
import { freshDatabases } from '../../freshDatabases.ts'

setDefaultTimeout(180_000)

const fresh = freshDatabases()

const period = { start: '2018-01-01', end: '2018-12-31' }
const figures = [{ metric: 'revenue', period, value: 7 }]
const drafts = [0, 1, 2].map(day => ({ day, hour: null, name: null, figures }))

test('an import of a company whose filing was deleted by hand fails, and says which statements mend that', async () => {
  const sql = await fresh()
  await importAs(sql, 'US', 0, statementsOf(0, drafts.slice(0, 2)))
  const [{ filing_id }] = await sql<{ filing_id: number }[]>`
    delete from filing where filed = '2021-02-02' returning filing_id`
  const again = () => importAs(sql, 'US', 0, statementsOf(0, drafts))
  const failure = await again().then(
    () => '',
    error => String(error),
  )
  expect(failure).toContain(`Filing ${filing_id} is not on record`)
  const statements = failure.match(/delete from [^;]*?(?=;|\.$)/g) ?? []
  expect(statements).toHaveLength(2)
  for (const statement of statements) await sql.unsafe(statement)
  await again()
  const stored = await sql<{ value: number; filed: number }[]>`
    select value, filed - date '1970-01-01' as filed from fact where fp = 0`
  expect([...stored]).toEqual([{ value: 7, filed: dayNumber('2021-02-01') }])
  const repeats = await sql<{ filed: string }[]>`select filed::text from fact_repeat order by filed`
  expect(repeats.map(({ filed }) => filed)).toEqual(['2021-02-02', '2021-02-03'])
})
