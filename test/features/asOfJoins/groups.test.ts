import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { dayNumber } from '../../../src/dates.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { testDatabase } from '../../database.ts'
import { insertEntity, insertVintages } from '../companies/fixtures.ts'
import { joinBench } from './joinBench.ts'

setDefaultTimeout(180_000)

const database = await testDatabase()
const { sql } = database
const bench = await joinBench(sql)
afterAll(async () => {
  await bench.close()
  await database.close()
})

/* sub.txt of 2021q1: the 10-K 0001104659-21-032214 carries 2021-03-04 and was accepted at 08:14 of 2021-03-05 in New
 * York. The codes and the report before it are made up. */
test('the industry that a report states counts for a time from the end of the day of its acceptance', async () => {
  const [late, before] = ['0001104659-21-032214', '0001104659-20-000001']
  const year = ['2020-01-01', '2020-12-31'] as const
  const company = { market: 'US', issuerId: '0000000001' } as const
  const other = { market: 'US', issuerId: '0000000002' } as const
  const entityId = await insertEntity(sql, { ...company, ticker: 'LATE', name: null })
  const otherId = await insertEntity(sql, { ...other, ticker: 'OTHER', name: null })
  await insertVintages(sql, entityId, [
    ['revenue', 0, 2020, ...year, '2020-11-05', 1e6, before],
    ['revenue', 0, 2020, ...year, '2021-03-04', 2e6, late],
  ])
  await insertVintages(sql, otherId, [
    ['revenue', 0, 2020, ...year, '2020-11-05', 1e6, '0001104659-20-000002'],
  ])
  await sql`update filing set form = '10-K', accepted_at = '2021-03-05 08:14:00-05', sector = 'SIC 2834' where accession = ${late}`
  await sql`update filing set form = '10-K', sector = 'SIC 3571' where accession <> ${late}`
  // The second company is only named by an entry of an index.
  const report = { form: '10-K', filed: dayNumber('2021-03-04'), isStructured: true, accession: late }
  const entries = [{ ...other, ...report, sector: 'SIC 2834' }]
  await importFacts(sql, [{ parsed: [], statements: { entries, indexes: [], formerNames: [] } }], {
    source: 'test',
    rules: usRegister.rules,
  })
  const groups = async (rows: { readonly date?: string[]; readonly time?: string[] }, ticker: string) => {
    const dates = rows.time ?? rows.date ?? []
    const request = { metrics: ['revenue'], group: 'sic2', max_age_days: 400 }
    const answer = await bench.join({ ...request, rows: { ...rows, ticker: dates.map(() => ticker) } })
    return answer.columns.group
  }
  const time = ['05T00:00:00', '05T08:15:00', '05T23:59:59', '06T00:00:00'].map(at => `2021-03-${at}-05:00`)
  for (const ticker of ['LATE', 'OTHER']) {
    expect([ticker, ...(await groups({ time }, ticker))]).toEqual([ticker, '35', '35', '35', '28'])
    // A day knows filings by the days that they carry.
    expect([ticker, ...(await groups({ date: ['2021-03-04', '2021-03-05'] }, ticker))]).toEqual([
      ticker,
      '35',
      '28',
    ])
  }
})
