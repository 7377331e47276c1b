import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../database.ts'
import { insertEntity, insertVintages } from '../features/companies/fixtures.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { sellKey } from './callers.ts'
import { testServer } from './testServer.ts'

const database = await testDatabase()
const { sql } = database
const server = await testServer(sql)
afterAll(async () => {
  await server.stop()
  await database.close()
}, 180_000)

const formulas = ['=HYPERLINK(1)', '＝HYPERLINK(1)', '\t=1+1', '\r=1+1', ' @SUM(A1)', '+cmd|x', '－2+3']

/** The cells of RFC 4180. */
const cellsOf = (text: string) =>
  [...text.matchAll(/(?:^|,|\r\n)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? plain : quoted.replaceAll('""', '"'),
  )

test('no text of a register is a formula in any CSV answer, and numbers stay as they are', async () => {
  for (const [place, text] of formulas.entries()) {
    const id = await insertEntity(sql, {
      market: 'US',
      issuerId: text,
      ticker: text,
      name: text,
      aliases: [`OK${place}`],
    })
    await insertVintages(sql, id, [
      ['net_income', 0, 2020, '2020-01-01', '2020-12-31', '2021-03-01', -5, `a${place}`],
      ['net_income', 0, 2020, '2020-01-01', '2020-12-31', '2021-05-01', -6e-7, `b${place}`],
    ])
    // Units come from the documents, too.
    if (place === 0) await sql`update unit set name = '=HYPERLINK(2)'`
    await sql`insert into unit (name) values ('USD') on conflict do nothing`
  }
  const headers = { Authorization: `Bearer ${await sellKey(sql)}` }
  let numbers = 0
  for (const path of [
    '/api/v1/fundamentals?ticker=OK0&format=csv',
    `/api/v1/fundamentals?ticker=${formulas.map((_, place) => `OK${place}`).join(',')}&format=csv`,
    '/api/v1/cross-section?metric=net_income&market=US&as_of=2022-01-01&format=csv',
    '/api/v1/restatements?metric=net_income&market=US&format=csv',
    '/api/v1/signals?format=csv',
  ]) {
    const answer = await fetch(server.url + path, { headers })
    const text = await answer.text()
    expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
      path,
      200,
      'text/csv; charset=utf-8; header=present',
    ])
    for (const cell of nonEmpty(cellsOf(text))) {
      const isNumber = cell !== '' && Number.isFinite(Number(cell))
      if (isNumber && cell.startsWith('-')) numbers++
      if (!isNumber) expect(cell).not.toMatch(/^[\s\p{Cf}]*[=+\-@＝＋－＠]/u)
    }
    if (!path.includes('signals')) expect(text).toContain("'=HYPERLINK(")
  }
  expect(numbers).toBeGreaterThan(10)
}, 180_000)
