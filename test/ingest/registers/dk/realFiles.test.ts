import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { dayNumber } from '../../../../src/dates.ts'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { usesOfTag } from '../../../../src/ingest/registers/dk/concepts.ts'
import { readPublications } from '../../../../src/ingest/registers/dk/publications.ts'
import { dkRegister } from '../../../../src/ingest/registers/dk/register.ts'
import { readReport } from '../../../../src/ingest/registers/dk/reports.ts'
import { freshDatabases } from '../../../freshDatabases.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { sharedPath } from '../../../shared.ts'
import { storedFacts } from '../../stored.ts'
import { factsOf, spellFact } from '../factLines.ts'

setDefaultTimeout(180_000)

const fresh = freshDatabases()
const folder = sharedPath('registers/dk')

describe.skipIf(folder === null)('the real reports', () => {
  const names = folder === null ? [] : nonEmpty(readdirSync(`${folder}/xbrl`))
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

  test.each(['netcompany.xml', 'nc-ifrs.xml'])(
    '%s tells group and parent company apart by their order alone: the group comes first, and both add up',
    async name => {
      const content = await readReal(name)
      const lines = factsOf(content).map(spellFact)
      // Page 1 of the report: revenue 899.6 million, profit 157.0 million; the parent company's profit is 108.2 million.
      expect(lines).toContain('revenue ifrs-full:Revenue 2016-01-01..2016-12-31 899611000 DKK')
      expect(lines).toContain('net_income ifrs-full:ProfitLoss 2016-01-01..2016-12-31 156984000 DKK')
      expect(lines).toContain('assets ifrs-full:Assets ..2016-12-31 655092000 DKK')
      expect(lines).toContain('equity ifrs-full:Equity ..2015-12-31 300385000 DKK')
      expect(lines.filter(line => /108187000|316126000|-5782000/.test(line))).toEqual([])
      // Opening balances of 2015: the group's equity of 212,592 thousand is that of the report of 2014 under its dimension.
      expect(content.leftOut).toEqual({
        'a figure of accounts other than the preferred ones (group before parent company)': 25,
        'a balance on the first day of a period': 7,
      })
    },
  )

  test('a report whose two statements of one balance sheet do not add up is left out whole', async () => {
    const text = await Bun.file(`${folder}/xbrl/netcompany.xml`).text()
    // The parent company's liabilities of 220,882 thousand.
    const changed = text.replace('>220882000<', '>120882000<')
    expect(changed).not.toBe(text)
    const content = readReport(changed, 'netcompany.xml')
    expect(factsOf(content)).toEqual([])
    expect(content.leftOut).toEqual({
      'a figure of a report that states two different balance sheets for one day': 54,
    })
  })

  test('Mapicture states its result of 2014 as a loss and as its distribution: neither is taken', async () => {
    const content = await readReal('mapicture.xml')
    expect(nonEmpty(factsOf(content)).filter(({ metric }) => metric === 'net_income')).toEqual([])
    expect(content.leftOut?.['a figure that its report states twice with different values']).toBe(4)
  })

  test('a fund wound up after 21 months has a balance and no flows', async () => {
    const content = await readReal('FR77a_2.xml')
    expect(content.unplaced).toBe(4)
    expect(nonEmpty(factsOf(content)).every(({ start }) => start === null)).toBe(true)
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
        // 22:00Z is midnight in Denmark: the index states only the day.
        acceptedAt: null,
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
    expect(written.undatedFilings).toBe(22)
    expect(read.leftOut.get('a publication without an XBRL report')).toBe(1)
  },
)
