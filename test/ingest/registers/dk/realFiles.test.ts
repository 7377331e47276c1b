import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { dayNumber } from '../../../../src/dates.ts'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { usesOfTag } from '../../../../src/ingest/registers/dk/concepts.ts'
import { readPublications } from '../../../../src/ingest/registers/dk/publications.ts'
import { dkRegister } from '../../../../src/ingest/registers/dk/register.ts'
import { readReport } from '../../../../src/ingest/registers/dk/reports.ts'
import { freshDatabases } from '../../../freshDatabases.ts'
import { sharedPath } from '../../../shared.ts'
import { storedFacts } from '../../stored.ts'
import { factsOf, spellFact } from '../factLines.ts'

setDefaultTimeout(60_000)

const fresh = freshDatabases()
const folder = sharedPath('registers/dk')

describe.skipIf(folder === null)('the real reports', () => {
  const names = folder === null ? [] : readdirSync(`${folder}/xbrl`)
  const readReal = async (name: string) => readReport(await Bun.file(`${folder}/xbrl/${name}`).text(), name)

  test.each(names)('%s: every mapped figure is taken or left out for a reason', async name => {
    const text = await Bun.file(`${folder}/xbrl/${name}`).text()
    const content = readReport(text, name)
    // Counted without our reader: an opening tag of a mapped element in fsa or ifrs-full that has a context.
    const prefixes = [...text.matchAll(/xmlns:([\w-]+)="(http:\/\/xbrl\.dcca\.dk\/fsa|[^"]*\/ifrs-full)"/g)]
    const namespaces = new Map(
      prefixes.map(([, prefix, uri]) => [prefix, uri.endsWith('/fsa') ? 'fsa' : 'ifrs-full']),
    )
    const mapped = [...text.matchAll(/<([\w-]+):(\w+)\s[^>]*contextRef=/g)].filter(
      ([, prefix, element]) => usesOfTag(`${namespaces.get(prefix)}:${element}`) !== undefined,
    )
    expect(content.figuresRead).toBe(mapped.length)
    expect(mapped.length).toBeGreaterThan(3)
    const leftOut = Object.values(content.leftOut ?? {}).reduce((sum, figures) => sum + figures, 0)
    const taken = factsOf(content).length
    expect(taken + leftOut + content.malformed + (content.unplaced ?? 0)).toBe(mapped.length)
  })

  test('Ørsted, whose file is called 2019Q4, reports on the third quarter of 2019', async () => {
    const lines = factsOf(await readReal('orsted_2019Q4.xml')).map(spellFact)
    expect(lines).toContain('revenue ifrs-full:Revenue 2019-07-01..2019-09-30 14543000000 DKK')
    expect(lines).toContain('revenue ifrs-full:Revenue 2018-01-01..2018-09-30 49355000000 DKK')
    expect(lines).toContain('assets ifrs-full:Assets ..2018-12-31 174575000000 DKK')
    expect(lines.filter(line => line.startsWith('eps'))).toEqual([])
  })

  test('Miracle states a group: its minority interests are apart from equity', async () => {
    const lines = factsOf(await readReal('miracle.xml')).map(spellFact)
    expect(lines).toContain('gross_profit fsa:GrossResult 2016-07-01..2017-06-30 110171485 DKK')
    expect(lines).toContain('minority_interests fsa:MinorityInterests ..2017-06-30 38648 DKK')
    expect(lines).not.toContain('assets fsa:Assets ..2017-06-30 88118127 DKK')
  })

  test('Netcompany 2016 does not distinguish group and parent company: neither is taken', async () => {
    const { parsed, leftOut } = await readReal('netcompany.xml')
    expect(parsed.flatMap(({ reportedFacts }) => reportedFacts)).toEqual([])
    expect(leftOut).toEqual({
      'a figure of a report that states two different balance sheets for one day': 54,
    })
  })

  test('Mapicture states its result of 2014 as a loss and as its distribution: neither is taken', async () => {
    const content = await readReal('mapicture.xml')
    expect(factsOf(content).filter(({ metric }) => metric === 'net_income')).toEqual([])
    expect(content.leftOut?.['a figure that its report states twice with different values']).toBe(4)
  })

  test('a fund wound up after 21 months has a balance and no flows', async () => {
    const content = await readReal('FR77a_2.xml')
    expect(content.unplaced).toBe(4)
    expect(factsOf(content).every(({ start }) => start === null)).toBe(true)
  })
})

test.skipIf(folder === null)(
  'one of the real hits has an XBRL report and one has pictures only',
  async () => {
    const { parsed, leftOut } = readPublications(
      await Bun.file(`${folder}/offentliggoerelser_real_hits.json`).json(),
    )
    expect(parsed.flatMap(({ filings }) => filings)).toEqual([
      {
        accession: 'DK:10204534/Y3ZyL...ZQ',
        form: 'AARSRAPPORT',
        filed: dayNumber('2013-05-31'),
        acceptedAt: Date.parse('2013-05-30T22:00:00Z'),
      },
    ])
    expect(leftOut).toEqual({ 'a publication without an XBRL report': 1 })
  },
)

test.skipIf(folder === null)(
  'no real report has its publication in the real index: all are stored, none is served',
  async () => {
    const sql = await fresh()
    const { read, written } = await importRegister(
      sql,
      dkRegister,
      { paths: [`${folder}`], observedOn: '2026-01-01' },
      () => {},
    )
    expect(read.skipped).toEqual([])
    expect(read.documents).toBe(readdirSync(`${folder}/xbrl`).length + 1)
    expect(read.malformed).toBe(0)
    expect(written.factsAdded).toBe(0)
    expect(await storedFacts(sql)).toEqual([])
    // Two of the 22 (Netcompany 2016, twice) state two balance sheets for one day and have no facts that could wait.
    expect(written.undatedFilings).toBe(20)
    expect(read.leftOut.get('a publication without an XBRL report')).toBe(1)
  },
)
