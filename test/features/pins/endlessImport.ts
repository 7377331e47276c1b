import { connect } from '../../../src/postgres/client.ts'
import { importAs, statementsOf } from '../companies/randomFilings.ts'

/* Imports other figures of three companies again and again, until it is killed. The argument is the address of the database. */

const sql = connect({ url: process.argv[2], connections: 2, statementTimeoutMs: 60_000 })
const years = Array.from({ length: 15 }, (_, i) => ({ start: `${2000 + i}-01-01`, end: `${2000 + i}-12-31` }))
for (let round = 0; ; round++) {
  for (const number of [0, 1, 2]) {
    const figures = years.flatMap(period =>
      ['revenue', 'net_income', 'assets', 'equity'].map((metric, place) => ({
        metric,
        period,
        value: round * 7 + place + 1,
      })),
    )
    await importAs(
      sql,
      'US',
      number,
      statementsOf(number, [{ day: round % 12, hour: 8, name: `${round}`, figures }]),
    )
    if (round === 0 && number === 2) console.log('running')
  }
}
