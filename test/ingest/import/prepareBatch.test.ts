import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { dayNumber } from '../../../src/dates.ts'
import type { Filing, ParsedDocument, ReportedFact } from '../../../src/facts/reportedFact.ts'
import { prepareBatch } from '../../../src/ingest/import/prepareBatch.ts'
import { writeBatch } from '../../../src/ingest/import/writeBatch.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { loadFactNames } from '../../../src/ingest/store/nameQueries.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

setDefaultTimeout(180_000)
let db: TestDatabase
let other: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  other = await testDatabase()
}, 180_000)
afterAll(async () => {
  await db.close()
  await other.close()
})

const { rules } = usRegister

const filing = (accession: string, filed: string, acceptedAt: number | null = null): Filing => ({
  accession,
  form: '10-K',
  filed: dayNumber(filed),
  acceptedAt,
})

const revenue = (value: number, from: Filing): ReportedFact => ({
  metric: 'revenue',
  tag: 'us-gaap:Revenues',
  unit: 'USD',
  start: dayNumber('2020-01-01'),
  end: dayNumber('2020-12-31'),
  value,
  rounded: false,
  filing: from,
})

const document = (
  issuerId: string,
  reportedFacts: readonly ReportedFact[],
  filings: readonly Filing[] = [],
) =>
  ({ profile: { market: 'US', issuerId, registers: true }, reportedFacts, filings }) satisfies ParsedDocument

const write = async (sql: Sql, prepared: Awaited<ReturnType<typeof prepareBatch>>) => {
  const names = await loadFactNames(sql)
  await sql.begin(transaction => writeBatch(transaction, names, prepared, { rules }))
}

const facts = (sql: Sql) => sql`
  select issuer_id, accession, fact.filed::text, value, superseded::text, accepted_at
  from fact join entity using (entity_id) join filing using (filing_id)
  order by issuer_id, fact.filed, accepted_at nulls first, accession`

const first = filing('0000000001-21-000001', '2021-02-01')
const amended = filing('0000000001-21-000002', '2021-05-01')

test('what was derived ahead is derived again, with what is on record, if another batch has added the entity meanwhile', async () => {
  const [earlier, later] = [
    document('0000000001', [revenue(10, first)]),
    document('0000000001', [revenue(12, amended)]),
  ]
  // Neither batch knows of the other when it is prepared.
  const prepared = await Promise.all(
    [later, earlier].map(one => prepareBatch(db.sql, [{ parsed: [one] }], rules)),
  )
  expect(prepared.map(({ items }) => items[0].derivedAhead?.facts.length)).toEqual([1, 1])
  for (const one of prepared) await write(db.sql, one)

  await write(other.sql, await prepareBatch(other.sql, [{ parsed: [earlier, later] }], rules))
  const rows = [...(await facts(db.sql))]
  expect(rows).toEqual([...(await facts(other.sql))])
  // By hand: 10 is current from the first filing until the amendment, 12 from then on.
  expect(rows.map(row => [row.filed, row.value, row.superseded])).toEqual([
    ['2021-02-01', 10, '2021-05-01'],
    ['2021-05-01', 12, 'infinity'],
  ])
})

test('what was derived ahead is derived again if more is on record about one of its filings', async () => {
  // One filing of two filers. Its acceptance time from the first puts the second's vintages of that day in order.
  const morning = filing('0000000002-21-000009', '2021-02-01')
  const evening = filing('0000000002-21-000001', '2021-02-01')
  const hours = [
    { ...morning, acceptedAt: Date.parse('2021-02-01T08:00:00Z') },
    { ...evening, acceptedAt: Date.parse('2021-02-01T17:00:00Z') },
  ]
  const figures = document('0000000003', [revenue(10, morning), revenue(20, evening)])
  const prepared = await prepareBatch(db.sql, [{ parsed: [figures] }], rules)
  expect(prepared.items[0].derivedAhead?.facts.map(({ value }) => value)).toEqual([20, 10])
  await write(db.sql, await prepareBatch(db.sql, [{ parsed: [document('0000000002', [], hours)] }], rules))
  await write(db.sql, prepared)
  const [current] = await db.sql`
    select value from fact join entity using (entity_id) where issuer_id = '0000000003' and superseded = 'infinity'`
  expect(current.value).toBe(20)
})

test('nothing is derived ahead for an entity on record, or where what is on record changes the reported facts', async () => {
  const parsed = document('0000000004', [revenue(10, filing('0000000004-21-000001', '2021-02-01'))])
  const units = [{ parsed: [parsed] }]
  expect(
    (await prepareBatch(db.sql, units, rules, { observedOn: dayNumber('2021-03-01') })).items[0].derivedAhead,
  ).toBeNull()
  await write(db.sql, await prepareBatch(db.sql, units, rules))
  expect((await prepareBatch(db.sql, units, rules)).items[0].derivedAhead).toBeNull()
})
