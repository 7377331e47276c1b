import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IsoDate } from '../../../../src/dates.ts'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { readFrenchReport } from '../../../../src/ingest/registers/fr/readDocument.ts'
import { frRegister } from '../../../../src/ingest/registers/fr/register.ts'
import type { Sql } from '../../../../src/postgres/client.ts'
import type { WholeFiling } from '../../../../src/wholeFilings/wholeFiling.ts'
import { freshDatabases } from '../../../freshDatabases.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { sharedPath } from '../../../shared.ts'
import { knownContent, spellFigure } from '../knownContent.ts'
import { accounts } from './accounts.ts'

setDefaultTimeout(180_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-fr-whole-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000)
const fresh = freshDatabases()

const read = (name: string, text: string) => readFrenchReport({ name, bytes: Buffer.from(text) })
const wholeOf = (name: string, text: string) => nonEmpty(read(name, text).wholeFilings)[0]

async function put(sql: Sql, observedOn: IsoDate, name: string, text: string) {
  const path = join(folder, `${observedOn}-${name}`)
  await Bun.write(path, text)
  return importRegister(sql, frRegister, { paths: [path], observedOn }, () => {})
}

/** The amounts of a file that are not empty, in whatever column, and its lines. */
const amountsInXml = (text: string) =>
  nonEmpty([...text.matchAll(/ m[1-4]="([^"]+)"/g)].map(([, amount]) => String(BigInt(amount)))).toSorted()
const codesInXml = (text: string) =>
  nonEmpty([...text.matchAll(/<liasse code="([^"]+)"/g)].map(([, code]) => code))
const amountsInJson = (text: string) =>
  nonEmpty([...text.matchAll(/"m[1-4]": "([^"]+)"/g)].map(([, amount]) => String(BigInt(amount)))).toSorted()
const codesInJson = (text: string) =>
  nonEmpty([...text.matchAll(/"code": "([^"]+)"/g)].map(([, code]) => code))

const valuesOf = ({ figures }: WholeFiling) => figures.map(({ value }) => value).sort()
const codesOf = ({ statements }: WholeFiling) =>
  statements.flatMap(({ lines }) => lines.map(({ concept }) => concept.slice(concept.indexOf(':') + 1)))

const real = sharedPath('registers/fr')
const xmlName = 'inpi_xml_bundles/comptes/PUB_CA_483935326_1303_2013D00195_2015_1048.donnees.xml'
const jsonName = 'inpi_bilan_saisi_official_example.json'

describe.skipIf(real === null)('the real deposits', () => {
  const textOf = (name: string) => Bun.file(`${real}/${name}`).text()

  test.each([
    [xmlName, amountsInXml, codesInXml],
    [jsonName, amountsInJson, codesInJson],
  ] as const)(
    '%s: every amount is handed over and every line is presented, in its order',
    async (name, amounts, codes) => {
      const text = await textOf(name)
      const { whole, source } = wholeOf(name, text)
      expect(valuesOf(whole)).toEqual([...amounts(text)])
      expect(codesOf(whole)).toEqual([...codes(text)])
      expect(source).toBe('dataSet')
    },
  )

  test('483935326: columns of the year, of the prior year and others (lines 25, 47, 59, 71, 116 of the file)', async () => {
    const { whole } = wholeOf(xmlName, await textOf(xmlName))
    const figures = whole.figures.map(spellFigure)
    // <liasse code="AF" m1="000000000010036" m2="000000000010036" m4="000000000000514"/> of page 1.
    expect(figures.filter(line => line.startsWith('C:AF '))).toEqual([
      'C:AF ..2015-12-31 [liasse:column=m1] 10036 EUR null',
      'C:AF ..2015-12-31 [liasse:column=m2] 10036 EUR null',
      'C:AF ..2014-12-31 [] 514 EUR null',
    ])
    // <liasse code="DL" m1="000000002525814" m2="000000002260035"/> of page 2.
    expect(figures.filter(line => line.startsWith('C:DL '))).toEqual([
      'C:DL ..2015-12-31 [] 2525814 EUR null',
      'C:DL ..2014-12-31 [] 2260035 EUR null',
    ])
    // <liasse code="FJ" m1="000000004210343" m2="000000000338816" m3="000000004549159" m4="000000004500553"/> of page 3.
    expect(figures.filter(line => line.startsWith('C:FJ '))).toEqual([
      'C:FJ 2015-01-01..2015-12-31 [liasse:column=m1] 4210343 EUR null',
      'C:FJ 2015-01-01..2015-12-31 [liasse:column=m2] 338816 EUR null',
      'C:FJ 2015-01-01..2015-12-31 [] 4549159 EUR null',
      'C:FJ 2014-01-01..2014-12-31 [] 4500553 EUR null',
    ])
    expect(figures).toContain('C:GG 2014-01-01..2014-12-31 [] 568732 EUR null')
    // <liasse code="UT" m1="000000000003000" m2="000000000003000"/> of page 8.
    expect(figures.filter(line => line.startsWith('C8:UT '))).toEqual([
      'C8:UT ..2015-12-31 [liasse:column=m1] 3000  null',
      'C8:UT ..2015-12-31 [liasse:column=m2] 3000  null',
    ])
  })

  test('377708425: a loss carried forward (line 93) and a page of notes (line 378)', async () => {
    const { whole, periodEnd } = wholeOf(jsonName, await textOf(jsonName))
    const figures = whole.figures.map(spellFigure)
    expect(figures).toContain('C:DH ..2021-12-31 [] -1127414 EUR null')
    expect(figures).toContain('C11:SS ..2021-12-31 [liasse:column=m1] 113  null')
    expect(periodEnd).toBe(Date.parse('2021-12-31') / 86_400_000)
    expect(whole.statements.map(({ role, kind }) => [role, kind])).toEqual([
      ['1-2', 'BS'],
      ['3-4', 'IS'],
      ['5', null],
      ['6', null],
      ['8', null],
      ['11', null],
    ])
  })

  test('each deposit can be read in full from its day on', async () => {
    const sql = await fresh()
    const xml = await textOf(xmlName)
    const example = await textOf(jsonName)
    await put(sql, '2026-01-01', 'a.xml', xml)
    await put(sql, '2026-01-01', 'b.json', example)
    for (const [ticker, before, filed, amounts] of [
      ['483935326.FR', '2017-02-17', '2017-02-18', amountsInXml(xml)],
      ['377708425.FR', '2023-01-01', '2023-01-02', amountsInJson(example)],
    ] as const) {
      expect(await knownContent(sql, ticker, before)).toEqual([])
      for (const day of [filed, '2026-11-20']) {
        const [{ known, whole }, ...others] = nonEmpty(await knownContent(sql, ticker, day))
        expect(others).toEqual([])
        expect(known).toMatchObject({ filed, source: 'dataSet', figures: amounts.length })
        expect(valuesOf(whole)).toEqual([...amounts])
      }
    }
  })

  test('what a later pull shows counts from its day on, whichever is imported first, and also when it is taken back', async () => {
    const text = await textOf(xmlName)
    // Made up: the register corrects an amount of no metric, and takes the correction back.
    const edited = text.replace('code="AF" m1="000000000010036"', 'code="AF" m1="000000000010037"')
    expect(edited).not.toBe(text)
    const pulls: [IsoDate, string][] = [
      ['2026-01-01', text],
      ['2026-03-01', edited],
      ['2026-04-01', edited],
      ['2026-06-01', text],
    ]
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [0, 3, 2, 1],
    ]) {
      const sql = await fresh()
      for (const at of order) await put(sql, pulls[at][0], 'a.xml', pulls[at][1])
      const gross = async (day: string) =>
        (await knownContent(sql, '483935326.FR', day)).map(({ known, whole }) => [
          known.seenOn,
          whole.figures.find(
            ({ concept, context }) => concept === 'C:AF' && context.dimensions[0]?.member === 'm1',
          )?.value,
        ])
      expect(await gross('2017-02-17')).toEqual([])
      expect(await gross('2017-02-18')).toEqual([['2026-01-01', '10036']])
      expect(await gross('2026-02-28')).toEqual([['2026-01-01', '10036']])
      expect(await gross('2026-03-01')).toEqual([['2026-03-01', '10037']])
      expect(await gross('2026-05-31')).toEqual([['2026-03-01', '10037']])
      expect(await gross('2026-06-01')).toEqual([['2026-06-01', '10036']])
    }
  })
})

const page = (number: string, lines: string) => `<page numero="${number}">${lines}</page>`
const figuresOf = (change: Parameters<typeof accounts>[0], pages: string) =>
  wholeOf('a.xml', accounts(change, pages)).whole.figures.map(spellFigure)

test('a column whose days the deposit does not state keeps its name', () => {
  const pages =
    page('02', '<liasse code="DL" m1="1" m2="2"/>') +
    page('03', '<liasse code="FJ" m3="000000000000003" m4="4"/>')
  const prior = { 'date_cloture_exercice_n-1': '', 'duree_exercice_n-1': '' }
  expect(figuresOf({ ...prior, duree_exercice_n: '15' }, pages)).toEqual([
    'C:DL ..2020-12-31 [] 1 EUR null',
    'C:DL ..2020-12-31 [liasse:column=m2] 2 EUR null',
    'C:FJ 2019-10-01..2020-12-31 [] 3 EUR null',
    'C:FJ ..2020-12-31 [liasse:column=m4] 4 EUR null',
  ])
  expect(figuresOf({ duree_exercice_n: '' }, pages)).toContain(
    'C:FJ ..2020-12-31 [liasse:column=m3] 3 EUR null',
  )
})

test('a confidential income statement is neither handed over nor presented', () => {
  const pages = page('01', '<liasse code="CO" m3="50"/>') + page('03', '<liasse code="FJ" m3="7"/>')
  const { whole } = wholeOf('a.xml', accounts({ code_confidentialite: '2' }, pages))
  expect(whole.figures.map(spellFigure)).toEqual(['C:CO ..2020-12-31 [] 50 EUR null'])
  expect(whole.statements.map(({ role }) => role)).toEqual(['1'])
  expect(read('a.xml', accounts({ code_confidentialite: '1' }, pages)).wholeFilings).toEqual([])
})

test('the simplified and the consolidated form have names of their own', () => {
  expect(
    figuresOf(
      { code_type_bilan: 'S' },
      page('01', '<liasse code="110" m1="9" m3="5" m4="4"/>') +
        page('02', '<liasse code="310" m1="3" m2="2"/>'),
    ),
  ).toEqual([
    'S:110 ..2020-12-31 [liasse:column=m1] 9 EUR null',
    'S:110 ..2020-12-31 [] 5 EUR null',
    'S:110 ..2019-12-31 [] 4 EUR null',
    'S:310 2020-01-01..2020-12-31 [] 3 EUR null',
    'S:310 2019-01-01..2019-12-31 [] 2 EUR null',
  ])
  expect(figuresOf({ code_type_bilan: 'K' }, page('04', '<liasse code="R8" m1="3"/>'))).toEqual([
    'K:R8 2020-01-01..2020-12-31 [] 3 EUR null',
  ])
})

test('an amount that is not a whole number is named once, with its page, line and column', () => {
  const pages =
    page('03', '<liasse code="FJ" m1="1,5" m3="1.234"/>') +
    page('05', '<liasse code="CZ" m1="x" m2="000000000000008"/>')
  const { faults, malformed, wholeFilings } = read('a.xml', accounts({}, pages))
  const accession = 'FR:7501-2001B00001-2021-12-20201231'
  expect([...nonEmpty(faults?.named)].sort()).toEqual([
    `${accession}, page 3, line FJ, column 1: "1,5" is not a whole number`,
    `${accession}, page 3, line FJ, column 3: "1.234" is not a whole number`,
    `${accession}, page 5, line CZ, column 1: "x" is not a whole number`,
  ])
  expect(malformed).toBe(3)
  expect(nonEmpty(wholeFilings)[0].whole.figures.map(({ value }) => value)).toEqual(['8'])
})

test('a deposit without a line of a metric is read in full, too', async () => {
  const sql = await fresh()
  await put(
    sql,
    '2026-01-01',
    'notes.xml',
    accounts({}, page('01', '<liasse code="AF" m3="000000000000008"/>')),
  )
  expect(await knownContent(sql, '999999999.FR', '2021-11-30')).toEqual([])
  const [{ whole }] = nonEmpty(await knownContent(sql, '999999999.FR', '2021-12-01'))
  expect(whole.figures.map(spellFigure)).toEqual(['C:AF ..2020-12-31 [] 8 EUR null'])
})
