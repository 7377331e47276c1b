import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { createReader } from '../../../../src/ingest/registers/be/readDocument.ts'
import { beRegister } from '../../../../src/ingest/registers/be/register.ts'
import type { Sql } from '../../../../src/postgres/client.ts'
import type { StatedFiling } from '../../../../src/wholeFilings/statedFiling.ts'
import { freshDatabases } from '../../../freshDatabases.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { sharedPath } from '../../../shared.ts'
import { figuresIn, figuresInText, knownContent, spellFigure } from '../knownContent.ts'
import { accounts, json, micro, microReference, reference, xerius } from './documents.ts'

setDefaultTimeout(180_000)

const real = sharedPath('registers/be')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-be-whole-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000)
const fresh = freshDatabases()

const put = (sql: Sql, ...names: string[]) =>
  importRegister(
    sql,
    beRegister,
    { paths: names.map(name => join(folder, name)), observedOn: '2026-01-01' },
    () => {},
  )

/** Reads accounts after their reference. */
function stated(known: unknown, document: { name: string; bytes: Uint8Array }): readonly StatedFiling[] {
  const read = createReader()
  read(json('references.json', [known]))
  return read(document).wholeFilings ?? []
}

describe.skipIf(real === null)('the real accounts', () => {
  // The register names a file by its reference number, which these copies have lost: the references are made up, with
  // the real enterprises and years.
  const cases = [
    {
      file: 'belgian-npo_0410682657_FY2016.xbrl',
      name: '2017-00000001.xbrl',
      known: reference(),
      ticker: `${xerius}.BE`,
      days: ['2017-06-27', '2017-06-28', '2017-06-29'] as const,
    },
    {
      file: 'nbb-cbso_m87-micro-example.xbrl',
      name: '2023-00000002.xbrl',
      known: microReference,
      ticker: `${micro}.BE`,
      days: ['2023-06-19', '2023-06-20', '2024-01-01'] as const,
    },
  ]
  const readReal = async ({ file, name, known }: (typeof cases)[number]) => {
    const bytes = await Bun.file(`${real}/${file}`).bytes()
    const [whole] = nonEmpty(stated(known, { name, bytes }))
    return { text: new TextDecoder().decode(bytes), whole }
  }

  test.each(cases)('$file: every figure is handed over, and no other', async one => {
    const { text, whole } = await readReal(one)
    expect(whole.whole.figures).toHaveLength(nonEmpty(text.match(/\sunitRef\s*=/g)).length)
    expect(figuresIn(whole.whole)).toEqual(figuresInText(text))
    expect(whole).toMatchObject({ market: 'BE', source: 'documents', whole: { statements: [] } })
  })

  test('elements have the days of their contexts, in money and in people', async () => {
    const { whole } = await readReal(cases[0])
    const figures = whole.whole.figures.map(spellFigure)
    // Line 1 of the file: <pfs:Turnover unitRef="U-EUR" decimals="INF" contextRef="CurrentDuration">21726317<.
    expect(figures).toContain('pfs:Turnover 2016-01-01..2016-12-31 [] 21726317 EUR Infinity')
    expect(figures).toContain('pfs:Turnover 2015-01-01..2015-12-31 [] 20363143 EUR Infinity')
    expect(figures).toContain(
      'pfs:EmployeesRecordedPersonnelRegisterTotalNumberClosingDate ..2016-12-31 [] 127 pure Infinity',
    )
  })

  test('measures have the dimensions of their contexts (c40 in lines 462 to 470, its figure in line 1351)', async () => {
    const { whole } = await readReal(cases[1])
    expect(whole.whole.figures.map(spellFigure)).toContain(
      'met:am1 ..2022-12-31 [dim:bas=bas:m2 dim:part=part:m1 dim:prd=prd:m1] 284932.83 EUR Infinity',
    )
  })

  test('each deposit can be read in full from its day on', async () => {
    const sql = await fresh()
    for (const { file, name } of cases) await Bun.write(join(folder, name), Bun.file(`${real}/${file}`))
    await Bun.write(join(folder, 'references.json'), JSON.stringify(cases.map(({ known }) => known)))
    await put(sql, ...cases.map(({ name }) => name), 'references.json')
    for (const one of cases) {
      const { text } = await readReal(one)
      const [before, ...after] = one.days
      expect(await knownContent(sql, one.ticker, before)).toEqual([])
      for (const day of after) {
        const [{ known, whole }, ...others] = nonEmpty(await knownContent(sql, one.ticker, day))
        expect(others).toEqual([])
        expect(known).toMatchObject({
          filed: one.days[1],
          form: one.known.ModelType,
          periodEnd: one.known.ExerciseDates.endDate,
          source: 'documents',
        })
        expect(figuresIn(whole)).toEqual(figuresInText(text))
      }
    }
  })
})

const rubrics = accounts([
  ['20/58', 'N', '4100000.10'],
  ['20/58', 'NM1', '3700000'],
  ['9087', 'N', '12.5'],
  ['70', 'N', ''],
  ['9904', 'N', '-15'],
])

test('every rubric in JSON is handed over under its code, on the last day of its year', () => {
  const [{ whole, source, periodEnd }] = nonEmpty(stated(reference(), json('2017-00000001.json', rubrics)))
  expect(whole.figures.map(spellFigure)).toEqual([
    'rubric:20/58 ..2016-12-31 [] 4100000.1 EUR null',
    'rubric:20/58 ..2015-12-31 [] 3700000 EUR null',
    // People: JSON states no unit.
    'rubric:9087 ..2016-12-31 [] 12.5  null',
    'rubric:70 ..2016-12-31 [] null EUR null',
    'rubric:9904 ..2016-12-31 [] -15 EUR null',
  ])
  expect([source, periodEnd, whole.statements]).toEqual(['figures', 17_166, []])
})

test('the register’s answer has as many figures as rubrics', async () => {
  const bytes = await Bun.file(
    new URL('../../network/fixtures/be-accountingData.json', import.meta.url),
  ).bytes()
  const known = reference({
    ReferenceNumber: '2024-00290653',
    DepositDate: '2024-07-26',
    ExerciseDates: { startDate: '2023-01-01', endDate: '2023-12-31' },
  })
  const [{ whole }] = nonEmpty(stated(known, { name: 'deposit.json', bytes }))
  const text = new TextDecoder().decode(bytes)
  expect(whole.figures).toHaveLength(nonEmpty(text.match(/"Value"/g)).length)
  expect(whole.figures.map(spellFigure)).toContain('rubric:9904 ..2023-12-31 [] 519337 EUR null')
})

test('a rubric of no metric that is not a number is named, and the others are handed over', () => {
  const read = createReader()
  read(json('references.json', [reference()]))
  const content = read(
    json(
      'a.json',
      accounts([
        ['60', 'N', '1.234,5'],
        ['61', 'N', '7'],
      ]),
    ),
  )
  expect(content.faults?.named).toEqual(['2017-00000001, rubric 60 of N: "1.234,5" is not a number'])
  expect(content.malformed).toBe(1)
  expect(nonEmpty(content.wholeFilings)[0].whole.figures).toHaveLength(1)
})

test('accounts without their reference, or whose reference names another enterprise, are no filing', async () => {
  const instance = await Bun.file(new URL('fixtures/npo-0410682657-2016.xbrl', import.meta.url)).bytes()
  expect(createReader()({ name: '2017-00000001.xbrl', bytes: instance }).wholeFilings).toEqual([])
  const other = reference({ EnterpriseNumber: micro })
  expect(stated(other, { name: '2017-00000001.xbrl', bytes: instance })).toEqual([])
})

test('an instance replaces the list of rubrics of the same deposit, whichever is imported first', async () => {
  const instance = Bun.file(new URL('fixtures/npo-0410682657-2016.xbrl', import.meta.url))
  const text = await instance.text()
  await Bun.write(join(folder, 'one/2017-00000001.xbrl'), instance)
  await Bun.write(join(folder, 'one/rubrics.json'), JSON.stringify(rubrics))
  await Bun.write(join(folder, 'one/references.json'), JSON.stringify([reference()]))
  for (const order of [
    ['one/2017-00000001.xbrl', 'one/rubrics.json'],
    ['one/rubrics.json', 'one/2017-00000001.xbrl'],
  ]) {
    const sql = await fresh()
    for (const name of order) await put(sql, name, 'one/references.json')
    const [{ known, whole }] = nonEmpty(await knownContent(sql, `${xerius}.BE`, '2017-06-28'))
    expect(known.source).toBe('documents')
    expect(figuresIn(whole)).toEqual(figuresInText(text))
  }
})
