import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type IsoDate, isoDate } from '../../../src/dates.ts'
import { readDatedSymbols } from '../../../src/features/companies/symbolQueries.ts'
import { importRegister } from '../../../src/ingest/import/importRegister.ts'
import { readFilingPackage } from '../../../src/ingest/registers/us/filingPackage.ts'
import { readAmericanReport } from '../../../src/ingest/registers/us/readDocument.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import {
  type KnownFiling,
  listKnownFilings,
  readWholeFilings,
} from '../../../src/wholeFilings/knownFilingQueries.ts'
import { loadTerms } from '../../../src/wholeFilings/termQueries.ts'
import type { WholeFiling } from '../../../src/wholeFilings/wholeFiling.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { sharedPath } from '../../shared.ts'
import { zipped } from '../../zipped.ts'
import { filingsOf, readZipFiles } from '../registers/us/packages.ts'
import { storedFacts } from '../stored.ts'

setDefaultTimeout(180_000)

const folder = sharedPath('registers/us')
const quarter = '0000320193-25-000057'
const packageOfQuarter = `filings/${quarter}-xbrl.zip`

/** What a filing states, whatever the order in which its source lists figures and contexts. */
function contentOf({ accession, figures, statements, sums, taxonomies, defaultMembers }: WholeFiling) {
  const texts = figures.map(({ concept, context, unit, decimals, value }) => {
    const { start, end, quarters, dimensions } = context
    const days = [start, end, quarters, dimensions.map(({ axis, member }) => `${axis} ${member}`)]
    return JSON.stringify([concept, days, unit, String(decimals), value])
  })
  const pairs = [[...taxonomies].sort(), [...defaultMembers].sort()]
  return { accession, figures: texts.sort(), statements, sums, pairs }
}

const byAccession = (filings: readonly WholeFiling[]) =>
  new Map(filings.map(filing => [filing.accession, contentOf(filing)]))

async function entityOf(sql: Sql, issuerId: string): Promise<number> {
  const [{ id }] = await sql<{ id: number }[]>`
    select entity_id as id from entity where market = 'US' and issuer_id = ${issuerId}`
  return id
}

async function readBack({ sql }: TestDatabase, issuerId: string, asOf: IsoDate) {
  const entityId = await entityOf(sql, issuerId)
  const known = await listKnownFilings(sql, entityId, asOf)
  return { known, wholes: await readWholeFilings(sql, await loadTerms(sql), known) }
}

/** @param paths below the folder of real files, or absolute ones */
const importPaths = ({ sql }: TestDatabase, paths: readonly string[]) =>
  importRegister(
    sql,
    usRegister,
    { paths: paths.map(path => resolve(folder ?? '', path)), observedOn: '2026-01-01' },
    () => {},
  )

describe.skipIf(folder === null)('whole filings of the United States', () => {
  let db: TestDatabase
  beforeAll(async () => {
    db = await testDatabase()
  })
  afterAll(() => db.close())

  test('every filing of the data sets is read back as the reader gave it, with or without mapped figures', async () => {
    const sets = ['fsds/2009q3.zip', 'fsds/20250701.zip']
    const { read } = await importPaths(db, sets)
    expect([read.skipped, read.malformed]).toEqual([[], 0])
    const stated: WholeFiling[] = []
    for (const set of sets) stated.push(...filingsOf((await readZipFiles(set)) ?? []))
    const withContent = stated.filter(({ figures, statements }) => figures.length + statements.length > 0)
    const expected = byAccession(withContent)
    const never = contentOf({ ...stated[0], accession: 'not in the set' })
    const entities = await db.sql<{ issuerId: string }[]>`
      select distinct issuer_id as "issuerId" from entity join whole_filing using (entity_id)`
    const found: WholeFiling[] = []
    const listed: KnownFiling[] = []
    for (const { issuerId } of entities) {
      const { known, wholes } = await readBack(db, issuerId, '2026-01-01')
      found.push(...wholes)
      listed.push(...known)
    }
    expect(nonEmpty(found)).toHaveLength(expected.size)
    for (const whole of found) expect(contentOf(whole)).toEqual(expected.get(whole.accession) ?? never)
    expect(new Set(listed.map(({ source }) => source))).toEqual(new Set(['dataSet']))
    // Hewlett-Packard's report on July 2009 has the period 20090731 in sub.txt.
    const report = listed.find(({ accession }) => accession === '0001047469-09-008166')
    expect(report?.periodEnd).toBe('2009-07-31')
  })

  test('companyfacts gives every figure of every filing, exactly', async () => {
    const path = 'companyfacts/CIK0001640147_snow.json'
    const bytes = await Bun.file(join(folder ?? '', path)).bytes()
    await importPaths(db, [path])
    const { known, wholes } = await readBack(db, '0001640147', '2026-01-01')
    const expected = new Map<string, string[]>()
    const { facts } = JSON.parse(new TextDecoder().decode(bytes))
    for (const [taxonomy, tags] of Object.entries<Record<string, { units: object }>>(facts))
      for (const [tag, { units }] of Object.entries(tags))
        for (const [unit, figures] of Object.entries(units))
          for (const { accn, start, end, val } of figures) {
            const text = JSON.stringify([`${taxonomy}:${tag}`, start ?? null, end, unit, val])
            expected.set(accn, [...(expected.get(accn) ?? []), text])
          }
    expect(nonEmpty(wholes)).toHaveLength(expected.size)
    for (const { accession, figures } of wholes) {
      const texts = figures.map(({ concept, context: { start, end }, unit, value }) =>
        JSON.stringify([
          concept,
          start === null ? null : isoDate(start),
          isoDate(end),
          unit,
          // The file's numbers have at most 15 digits, so doubles tell them apart.
          Number(value),
        ]),
      )
      expect(texts.sort()).toEqual(expected.get(accession)?.sort() ?? [])
    }
    expect(new Set(known.map(({ source }) => source))).toEqual(new Set(['figures']))
  })

  test('a filing that another source has not dated is served from the moment one does', async () => {
    const first = await importPaths(db, [packageOfQuarter])
    expect(first.read.skipped).toEqual([])
    expect(first.written.undatedFilings).toBe(1)
    expect((await readBack(db, '0000320193', '2026-01-01')).known.map(one => one.accession)).not.toContain(
      quarter,
    )
    expect((await readDatedSymbols(db.sql, ['AAPL'])).get('AAPL')?.spells).toEqual([])

    await importPaths(db, ['companyfacts/CIK0000320193.json'])
    // The report was filed on 2025-05-02.
    const before = await readBack(db, '0000320193', '2025-05-01')
    expect(nonEmpty(before.known).map(({ accession }) => accession)).not.toContain(quarter)
    const { known, wholes } = await readBack(db, '0000320193', '2025-05-02')
    expect(known[0]).toMatchObject({
      accession: quarter,
      form: '10-Q',
      filed: '2025-05-02',
      periodEnd: '2025-03-29',
      // Companyfacts is less complete and replaces nothing.
      source: 'documents',
    })
    const files = (await readZipFiles(packageOfQuarter)) ?? []
    expect(contentOf(wholes[0])).toEqual(contentOf(readFilingPackage(quarter, files).filing))
    const { spells } = (await readDatedSymbols(db.sql, ['AAPL'])).get('AAPL') ?? { spells: [] }
    expect(nonEmpty([...spells])[0]).toMatchObject({
      issuerId: '0000320193',
      from: '2025-05-02',
      source: 'filing',
    })
  })

  test('a folder of packages, of which a broken one is named and the others are imported', async () => {
    const packages = mkdtempSync(join(tmpdir(), 'asfiled-packages-'))
    cpSync(join(folder ?? '', 'filings'), packages, { recursive: true })
    await Bun.write(join(packages, '0000000001-25-000001-xbrl.zip'), damagedPackage())
    const { read } = await importPaths(db, [packages])
    rmSync(packages, { recursive: true, force: true })
    expect(read.skipped.map(({ name }) => name.slice(packages.length + 1))).toEqual([
      '0000000001-25-000001-xbrl.zip',
    ])
    // metadata.json in the packages of Netflix and Microsoft states the days.
    const netflix = await readBack(db, '0001065280', '2026-01-01')
    const ofPackages = netflix.known.filter(({ source }) => source === 'documents')
    expect(ofPackages.map(({ accession, filed, form }) => [accession, filed, form])).toEqual([
      ['0001065280-24-000030', '2024-01-26', '10-K'],
      ['0001193125-10-036181', '2010-02-22', '10-K'],
    ])
    const read2010 = readFilingPackage(
      '0001193125-10-036181',
      (await readZipFiles('filings/nflx-10k_2010.zip')) ?? [],
    )
    expect(contentOf(netflix.wholes[1])).toEqual(contentOf(read2010.filing))
    // Net sales of 2009 in the annual report: 1,670,269 thousand dollars.
    const revenue = (await storedFacts(db.sql)).filter(
      row => row.startsWith('0001065280|revenue|') && row.includes('|2009-12-31|'),
    )
    expect(nonEmpty(revenue).some(row => row.includes('|1670269000|'))).toBe(true)
  })

  test('nothing is read again or written again', async () => {
    const paths = ['fsds/2009q3.zip', 'companyfacts/CIK0000320193.json', packageOfQuarter]
    const again = await importPaths(db, paths)
    expect([again.read.documentsUnchanged, again.written.changed]).toEqual([3, false])
  })
})

test.skipIf(folder === null)(
  'a package gives the mapped facts that companyfacts gives of the filing',
  async () => {
    const own = await testDatabase()
    try {
      await importPaths(own, [packageOfQuarter])
      const bytes = await Bun.file(join(folder ?? '', 'companyfacts/CIK0000320193.json')).bytes()
      const { parsed } = readAmericanReport({ name: 'CIK0000320193.json', bytes })
      const stated = parsed[0].reportedFacts.filter(({ filing }) => filing.accession === quarter)
      const expected = stated.map(({ tag, unit, start, end, value }) =>
        [tag, unit, start === null ? '-' : isoDate(start), isoDate(end), value].join('|'),
      )
      // Undated, so nothing is served yet; figures under several tags are stored under each.
      const rows = await own.sql<{ row: string }[]>`
      select distinct concat_ws('|', t.name, u.name, coalesce(f.period_start::text, '-'), f.period_end, f.value) as row
      from fact_repeat f join tag t using (tag_id) join unit u using (unit_id)`
      const found = new Set(rows.map(({ row }) => row))
      expect(nonEmpty([...found]).filter(row => !expected.includes(row))).toEqual([])
      expect(await storedFacts(own.sql)).toEqual([])
    } finally {
      await own.close()
    }
  },
)

/** A package whose instance ends early. */
const damagedPackage = () =>
  zipped([
    {
      name: 'own-20250331.xml',
      content: Buffer.from('<xbrl xmlns="http://www.xbrl.org/2003/instance">\n<context id="c">'),
    },
    { name: 'own-20250331.xsd', content: Buffer.from('<schema xmlns="http://www.w3.org/2001/XMLSchema"/>') },
  ])
