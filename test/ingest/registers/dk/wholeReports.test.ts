import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addDays, dayNumber } from '../../../../src/dates.ts'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { dkRegister } from '../../../../src/ingest/registers/dk/register.ts'
import { readReport } from '../../../../src/ingest/registers/dk/reports.ts'
import type { Sql } from '../../../../src/postgres/client.ts'
import { freshDatabases } from '../../../freshDatabases.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { sharedPath } from '../../../shared.ts'
import { figuresIn, figuresInText, knownContent, spellFigure } from '../knownContent.ts'

setDefaultTimeout(180_000)

const reports = sharedPath('registers/dk/xbrl')
const fixtures = new URL('fixtures/', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'asfiled-dk-whole-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000)
const fresh = freshDatabases()

const put = (sql: Sql, ...paths: string[]) =>
  importRegister(sql, dkRegister, { paths, observedOn: '2026-01-01' }, () => {})

const hit = (cvr: string, name: string, at: string) => ({
  _source: {
    cvrNummer: Number(cvr),
    offentliggoerelsesTidspunkt: at,
    dokumenter: [
      {
        dokumentType: 'AARSRAPPORT',
        dokumentMimeType: 'application/xml',
        dokumentUrl: `http://r/1/${name}.xml`,
      },
    ],
  },
})

describe.skipIf(reports === null)('the real reports', () => {
  const names = reports === null ? [] : nonEmpty(readdirSync(reports))
  const readReal = async (name: string) => {
    const text = await Bun.file(`${reports}/${name}`).text()
    const [stated] = nonEmpty(readReport(text, name).wholeFilings)
    return { text, stated }
  }
  const lines = async (name: string) => (await readReal(name)).stated.whole.figures.map(spellFigure)

  test.each(names)('%s: every figure is handed over, and no other', async name => {
    const { text, stated } = await readReal(name)
    expect(stated.whole.figures).toHaveLength(nonEmpty(text.match(/\sunitRef\s*=/g)).length)
    expect(figuresIn(stated.whole)).toEqual(figuresInText(text))
    expect(stated).toMatchObject({ market: 'DK', source: 'documents', whole: { statements: [], sums: [] } })
  })

  test('KMD: the year (line 1197) and the same element in a dimension (line 1415), at their accuracy', async () => {
    const { stated } = await readReal('kmd.xml')
    const figures = stated.whole.figures.map(spellFigure)
    expect(figures).toContain('fsa:Revenue 2016-01-01..2016-12-31 [] 5073800000 DKK -5')
    expect(figures).toContain(
      'fsa:Revenue 2016-01-01..2016-12-31 [cmn:RetrospectiveInformationDimension=cmn:PreviousYearMember] 5084500000 DKK -5',
    )
    // Line 1182.
    expect(stated.periodEnd).toBe(dayNumber('2016-12-31'))
    expect(stated.whole.taxonomies.get('fsa')).toBe('http://xbrl.dcca.dk/fsa')
  })

  test('Ørsted: a quarter (line 1607); Deloitte: an element of its own (line 307)', async () => {
    expect(await lines('orsted_2019Q4.xml')).toContain(
      'ifrs-full:Revenue 2019-07-01..2019-09-30 [] 14543000000 DKK -6',
    )
    expect(await lines('deloitte-ifrs.xml')).toContain(
      'DELO:PP_9EFB6817_E3F6_4370_866E_BAD0905E74AC 2016-06-01..2017-05-31 [] 70900000 DKK -5',
    )
  })

  test('each report can be read in full from the day on which the index says it was published', async () => {
    const sql = await fresh()
    const published = await Promise.all(
      names.map(async (name, at) => {
        const { text, stated } = await readReal(name)
        return { ...stated, name, text, day: addDays('2020-01-01', at) }
      }),
    )
    const index = join(folder, 'index.json')
    const hits = published.map(({ issuerId, name, day }) =>
      hit(issuerId, name.slice(0, -4), `${day}T10:00:00Z`),
    )
    await Bun.write(index, JSON.stringify(hits))
    await put(sql, `${reports}`)
    for (const { issuerId } of published)
      expect(await knownContent(sql, `${issuerId}.DK`, '2100-01-01')).toEqual([])
    await put(sql, index)
    for (const { issuerId, name, text, day, whole } of nonEmpty(published)) {
      const find = async (asOf: string) =>
        (await knownContent(sql, `${issuerId}.DK`, asOf)).find(
          ({ known }) => known.accession === whole.accession,
        )
      expect([name, await find(addDays(day, -1))]).toEqual([name, undefined])
      for (const asOf of [day, addDays(day, 1), '2026-01-01']) {
        const found = await find(asOf)
        expect(found?.known).toMatchObject({ filed: day, source: 'documents', figures: whole.figures.length })
        expect(found?.whole.figures.map(spellFigure).sort()).toEqual(whole.figures.map(spellFigure).sort())
        expect(found === undefined ? [] : figuresIn(found.whole)).toEqual(figuresInText(text))
      }
    }
  })
})

test('a report that replaces another one leaves the first as it was, and each counts from its own publication', async () => {
  const place = (name: string) => join(folder, name)
  const text = await Bun.file(join(fixtures, 'kmd-2016.xml')).text()
  expect(text).toContain('>244400000<')
  await Bun.write(place('first.xml'), text)
  await Bun.write(place('replaced.xml'), text.replace('>244400000<', '>240000000<'))
  const hits = [
    hit('26911745', 'first', '2017-03-30T22:00:00Z'),
    hit('26911745', 'replaced', '2017-06-30T22:00:00Z'),
  ]
  await Bun.write(place('both.json'), JSON.stringify(hits))
  for (const order of [
    ['first.xml', 'replaced.xml', 'both.json'],
    ['both.json', 'replaced.xml', 'first.xml'],
  ]) {
    const sql = await fresh()
    for (const name of order) await put(sql, place(name))
    const profits = async (asOf: string) =>
      (await knownContent(sql, '26911745.DK', asOf)).map(({ known, whole }) => [
        known.accession,
        known.filed,
        whole.figures.some(({ concept, value }) => concept === 'fsa:ProfitLoss' && value === '244400000'),
        whole.figures.some(({ concept, value }) => concept === 'fsa:ProfitLoss' && value === '240000000'),
      ])
    const first = ['DK:26911745/first', '2017-03-31', true, false]
    expect(await profits('2017-03-30')).toEqual([])
    expect(await profits('2017-03-31')).toEqual([first])
    expect(await profits('2017-06-30')).toEqual([first])
    expect(await profits('2017-07-01')).toEqual([['DK:26911745/replaced', '2017-07-01', false, true], first])
  }
})

test('a report without a figure of a metric is read in full, too', async () => {
  const sql = await fresh()
  const place = (name: string) => join(folder, name)
  const text = await Bun.file(join(fixtures, 'kmd-2016.xml')).text()
  const notes = text.replaceAll(
    /<(\w+):(\w+)( [^>]*unitRef=[^>]*>[^<]*)<\/\1:\2>/g,
    '<$1:Note$2$3</$1:Note$2>',
  )
  expect(notes).not.toBe(text)
  await Bun.write(place('notes.xml'), notes)
  await Bun.write(place('notes.json'), JSON.stringify([hit('26911745', 'notes', '2017-03-30T22:00:00Z')]))
  await put(sql, place('notes.xml'))
  await put(sql, place('notes.json'))
  const [{ known, whole }] = nonEmpty(await knownContent(sql, '26911745.DK', '2017-03-31'))
  expect(known.figures).toBe(nonEmpty(text.match(/\sunitRef=/g)).length)
  expect(whole.figures.every(({ concept }) => concept.startsWith('fsa:Note'))).toBe(true)
})

test('a figure that cannot be read is named with its line, and the others are handed over', async () => {
  const text = await Bun.file(join(fixtures, 'kmd-2016.xml')).text()
  const [stated] = nonEmpty(text.match(/ decimals="[^"]*">\d+<\/\w+:(?!Note)\w+>/))
  const line = text.slice(0, text.indexOf(stated)).split('\n').length
  const changed = text.replace(stated, stated.replace(/decimals="[^"]*"/, 'decimals="many"'))
  const { faults, malformed, wholeFilings } = readReport(changed, 'kmd-2016.xml')
  expect(malformed).toBe(1)
  expect(faults?.named).toEqual([
    expect.stringMatching(new RegExp(`^line ${line}: fsa:\\w+ has the decimals "many"$`)),
  ])
  const before = nonEmpty(readReport(text, 'kmd-2016.xml').wholeFilings)[0].whole.figures.length
  expect(nonEmpty(wholeFilings)[0].whole.figures).toHaveLength(before - 1)
})
