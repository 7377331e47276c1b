import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FormatRegistry } from '@sinclair/typebox'
import { isIsoDate } from '../../../../src/dates.ts'
import type { FundamentalsQuery } from '../../../../src/features/fundamentals/schema.ts'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { frRegister } from '../../../../src/ingest/registers/fr/register.ts'
import { type TestDatabase, testDatabase } from '../../../database.ts'
import { readStored } from '../../../features/fundamentals/readStored.ts'
import { zipped } from '../../../zipped.ts'
import { storedFacts } from '../../stored.ts'
import { accounts } from './accounts.ts'

FormatRegistry.Set('date', isIsoDate)
setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-fr-'))
const fixtures = new URL('fixtures/', import.meta.url).pathname
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...paths: string[]) =>
  importRegister(db.sql, frRegister, { paths, observedOn: '2026-01-01' }, () => {})

const ask = (query: FundamentalsQuery) => readStored(db.sql, query)

test('a folder and a zip are imported once', async () => {
  const xml = 'PUB_CA_483935326_1303_2013D00195_2015_1048.donnees.xml'
  const first = await run(fixtures)
  expect(first.read).toMatchObject({ documents: 2, malformed: 0, skipped: [] })
  const facts = await storedFacts(db.sql)
  const packed = join(folder, 'bundle.zip')
  writeFileSync(packed, zipped([{ name: xml, content: await Bun.file(join(fixtures, xml)).bytes() }]))
  const second = await run(fixtures, packed)
  expect(second.read).toMatchObject({ documents: 3, documentsUnchanged: 2 })
  expect(second.written).toMatchObject({ factsAdded: 0, changed: false })
  expect(await storedFacts(db.sql)).toEqual(facts)
})

// Deposit 1048 of 2017-02-18 at the court 1303: FJ 4,549,159 and HN 648,828 of 2015.
test('turnover and margin are visible from the deposit date on', async () => {
  const values = async (as_of: string) =>
    (await ask({ ticker: '483935326.FR', as_of, view: 'latest', metric: 'revenue,net_margin' })).data.map(
      row => [row.m, row.v, row.fy, row.filed],
    )
  expect(await values('2017-02-17')).toEqual([])
  expect(await values('2017-02-18')).toEqual([
    ['net_margin', 648_828 / 4_549_159, 2015, '2017-02-18'],
    ['revenue', 4_549_159, 2015, '2017-02-18'],
  ])
})

test('an edit under the same deposit number is visible from the day on which it was observed, whichever is imported first', async () => {
  const name = 'PUB_CA_483935326_1303_2013D00195_2015_1048.donnees.xml'
  const text = await Bun.file(join(fixtures, name)).text()
  expect(text).toContain('000000004549159')
  // Made up: the register corrects the turnover that it entered. The correction is lower, so that no rule for higher figures applies.
  const states = { '2026-01-01': text, '2026-03-01': text.replace('000000004549159', '000000004549100') }
  for (const days of [Object.entries(states), Object.entries(states).reverse()]) {
    const own = await testDatabase()
    for (const [pulledOn, content] of days) {
      const path = join(folder, `${pulledOn}.xml`)
      writeFileSync(path, content)
      await importRegister(own.sql, frRegister, { paths: [path], observedOn: pulledOn }, () => {})
    }
    const turnover = async (as_of: string) =>
      (
        await readStored(own.sql, { ticker: '483935326.FR', as_of, view: 'latest', metric: 'revenue' })
      ).data.map(row => [row.v, row.filed])
    expect(await turnover('2017-02-17')).toEqual([])
    expect(await turnover('2026-02-28')).toEqual([[4_549_159, '2017-02-18']])
    expect(await turnover('2026-03-01')).toEqual([[4_549_100, '2026-03-01']])
    await own.close()
  }
})

test('a company with a confidential income statement gets a note that explains the missing turnover', async () => {
  const path = join(folder, 'confidential.xml')
  const page = '<page numero="01"><liasse code="CO" m3="000000000000050"/></page>'
  writeFileSync(path, accounts({ code_confidentialite: '2' }, page))
  const { read } = await run(path)
  expect([...read.leftOut]).toEqual([['a confidential income statement', 1]])
  const list = await ask({ ticker: '999999999.FR', metric: 'revenue' })
  expect(list.note).toContain('may keep their income statement confidential')
})

test('consolidated accounts give consolidated_ metrics, and no ratio mixes them with the company’s', async () => {
  const path = join(folder, 'group.xml')
  const pages = `<page numero="02"><liasse code="DL" m1="000000000001000"/></page>
    <page numero="04"><liasse code="R6" m1="000000000000040"/></page>`
  writeFileSync(path, accounts({ code_type_bilan: 'K', num_depot: '13' }, pages))
  await run(path)
  const list = await ask({ ticker: '999999999.FR' })
  expect(list.data.map(row => `${row.m} ${row.v}`)).toEqual([
    'assets 50',
    'consolidated_equity 1000',
    'consolidated_net_income 40',
  ])
})

test('a broken file is reported with the place of the fault, and the others are imported', async () => {
  const whole = accounts({ siren: '888888888', num_depot: '99' }, '')
  writeFileSync(join(folder, 'cut.xml'), whole.slice(0, -30))
  const { read } = await run(join(folder, 'cut.xml'), fixtures)
  expect(read.skipped).toEqual([
    { name: join(folder, 'cut.xml'), reason: expect.stringMatching(/^line \d+, column \d+: unclosed tag/) },
  ])
  expect(read.documents).toBe(2)
})
