import fc from 'fast-check'
import type { Sql, TransactionSql } from '../../../src/postgres/client.ts'
import { advanceDataVersion } from '../../../src/postgres/dataVersion.ts'
import { type Draft, draftsOf, importAs, statementsOf } from '../companies/randomFilings.ts'
import { take } from '../signals/fixtures.ts'

const periods = [2018, 2019, 2020].flatMap(year => [
  { start: `${year}-01-01`, end: `${year}-12-31` },
  { start: `${year}-01-01`, end: `${year}-03-31` },
])

/** A change to the store. Each makes at least one data version, or none if it changes nothing. */
export type Change =
  | {
      readonly kind: 'import'
      readonly market: 'US' | 'JP'
      readonly number: number
      readonly drafts: readonly Draft[]
    }
  | { readonly kind: 'signals'; readonly lines: readonly string[] }
  | { readonly kind: 'sql'; readonly number: number; readonly statements: readonly Statement[] }

export type Statement =
  | 'correct'
  | 'remove'
  | 'rename'
  | 'move id'
  | 'remove filing'
  | 'amend filing'
  | 'undo'

const number = fc.integer({ min: 0, max: 2 })
const statement: fc.Arbitrary<Statement> = fc.constantFrom(
  ...(['correct', 'remove', 'rename', 'move id', 'remove filing', 'amend filing', 'undo'] as const),
)

const importOf = (market: fc.Arbitrary<'US' | 'JP'>, company: fc.Arbitrary<number>): fc.Arbitrary<Change> =>
  fc.record({
    kind: fc.constant('import' as const),
    market,
    number: company,
    drafts: fc.array(draftsOf(periods, [2, 10]), { minLength: 1, maxLength: 4 }),
  })

export const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: importOf(fc.constantFrom('US' as const, 'JP' as const), number) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('signals' as const),
      lines: fc.array(
        fc
          .tuple(
            fc.integer({ min: 1, max: 9 }),
            number,
            fc.integer({ min: -2, max: 2 }),
            fc.constantFrom('', '0.1', '-0.2'),
          )
          .map(([day, n, predicted, actual]) => `2021-02-0${day},E${n},US,1d,${predicted / 10},${actual}`),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('sql' as const),
      number,
      statements: fc.array(statement, { minLength: 1, maxLength: 4 }),
    }),
  },
)

/** Two companies arrive one after the other, so that versions differ; then anything happens. */
export const anyChanges: fc.Arbitrary<Change[]> = fc
  .tuple(
    importOf(fc.constant('US'), fc.constant(0)),
    importOf(fc.constant('JP'), fc.constant(1)),
    fc.array(anyChange, { minLength: 1, maxLength: 5 }),
  )
  .map(([first, second, others]) => [first, second, ...others])

export async function applyChange(sql: Sql, change: Change): Promise<void> {
  switch (change.kind) {
    case 'import':
      await importAs(sql, change.market, change.number, statementsOf(change.number, change.drafts))
      return
    case 'signals':
      await take(sql, [...change.lines], { correct: true })
      return
    case 'sql':
      await sql
        .begin(async transaction => {
          for (const one of change.statements) await apply(transaction, one, change.number)
          await advanceDataVersion(transaction, { source: 'us', entities: 0, factsAdded: 0 })
        })
        .catch(error => {
          if (error !== undone) throw error
        })
  }
}

const undone = new Error('undone')

/** A change that our importers never make but an operator may, all in one version. */
async function apply(sql: TransactionSql, statement: Statement, number: number): Promise<void> {
  const id = `E${number}`
  const own = sql`(select entity_id from entity_ticker where ticker = ${id})`
  switch (statement) {
    case 'correct':
      await sql`update fact set value = value + 1 where entity_id = ${own} and metric_id % 2 = 0`
      return
    case 'remove':
      await sql`delete from fact where entity_id = ${own} and period_end > '2019-06-30'`
      return
    case 'rename':
      await sql`update entity set name = coalesce(name, '') || 'x', sector = 'SIC 1' where entity_id = ${own}`
      return
    case 'move id': {
      const other = `E${(number + 1) % 3}.JP`
      await sql`
        update entity_ticker set entity_id = t.entity_id from entity_ticker t
        where entity_ticker.ticker = ${id} and t.ticker = ${other}`
      await sql`
        insert into entity_former_id (ticker, entity_id)
        select ${id}, entity_id from entity where ticker = ${id} on conflict do nothing`
      return
    }
    case 'remove filing':
      await sql`delete from signal where ticker = ${id}`
      await sql`
        with gone as (delete from filing where entity_id = ${own} and filing_id % 3 = 0 returning filing_id),
             repeats as (delete from fact_repeat where filing_id in (select filing_id from gone))
        delete from fact
        where filing_id in (select filing_id from gone) or inputs && (select array_agg(filing_id) from gone)`
      return
    case 'amend filing':
      await sql`update filing set form = form || '/A', figures = figures + 1 where entity_id = ${own}`
      return
    case 'undo':
      throw undone
  }
}
