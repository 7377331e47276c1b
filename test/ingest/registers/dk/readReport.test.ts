import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { isoDate } from '../../../../src/dates.ts'
import { type Statement, untold } from '../../../../src/facts/reportedFact.ts'
import { dkUses } from '../../../../src/ingest/registers/dk/concepts.ts'
import { readReport } from '../../../../src/ingest/registers/dk/readDocument.ts'
import { sharedPath } from '../../../shared.ts'

const fixture = (name: string) => Bun.file(new URL(`fixtures/${name}`, import.meta.url)).text()
const read = async (name: string) => readReport(await fixture(name), `1/${name}`)
const statementsOf = (content: ReturnType<typeof readReport>) =>
  content.contributions.flatMap(({ statements }) => statements)
const spell = ({ metric, tag, start, end, value, unit }: Statement) =>
  `${metric} ${tag} ${start === null ? '' : isoDate(start)}..${isoDate(end)} ${value} ${unit}`

describe('a report', () => {
  test('states years, and not the earlier ones that it repeats under the dates of this one', async () => {
    const content = await read('kmd-2016.xml')
    expect(statementsOf(content).map(spell)).toEqual([
      'revenue fsa:Revenue 2016-01-01..2016-12-31 5073800000 DKK',
      'revenue fsa:Revenue 2015-01-01..2015-12-31 5084500000 DKK',
      'net_income fsa:ProfitLoss 2016-01-01..2016-12-31 244400000 DKK',
      'net_income fsa:ProfitLoss 2015-01-01..2015-12-31 505300000 DKK',
      'assets fsa:Assets ..2016-12-31 3706100000 DKK',
      'assets fsa:Assets ..2015-12-31 2713600000 DKK',
      'equity fsa:Equity ..2016-12-31 1164600000 DKK',
      'equity fsa:Equity ..2015-12-31 920200000 DKK',
    ])
    expect(content.leftOut).toEqual({
      'a figure in a dimension (a class of equity, an earlier year, a distribution)': 1,
    })
    expect(content.contributions[0].profile).toMatchObject({ issuerId: '26911745', name: 'KMD A/S' })
  })

  test('has no day of its own: that of the general meeting is not one of publication', async () => {
    const filings = statementsOf(await read('kmd-2016.xml')).map(({ filing }) => filing)
    expect(new Set(filings).size).toBe(1)
    expect(filings[0]).toMatchObject({ accession: 'DK:26911745/kmd-2016', filed: untold, acceptedAt: null })
  })

  test('of a group gives the figures of the group, and none of the parent company among them', async () => {
    const content = await read('netcompany-2014.xml')
    expect(statementsOf(content).map(spell)).toEqual([
      'revenue fsa:Revenue 2014-01-01..2014-12-31 629211000 DKK',
      'gross_profit fsa:GrossResult 2014-01-01..2014-12-31 492360000 DKK',
      'net_income fsa:ProfitLoss 2014-01-01..2014-12-31 134404000 DKK',
      'assets fsa:Assets ..2014-12-31 378948000 DKK',
      'equity fsa:Equity ..2014-12-31 212592000 DKK',
      'liabilities fsa:LiabilitiesOtherThanProvisions ..2014-12-31 166356000 DKK',
    ])
    expect(content.leftOut).toEqual({
      'a figure of other accounts than the preferred (group before parent company)': 5,
    })
  })

  test('for nine months states a quarter and nine months; an opening balance and a share in no currency stay out', async () => {
    const content = await read('orsted-2019-9m.xml')
    expect(statementsOf(content).map(spell)).toEqual([
      'revenue ifrs-full:Revenue 2019-07-01..2019-09-30 14543000000 DKK',
      'revenue ifrs-full:Revenue 2019-01-01..2019-09-30 50583000000 DKK',
      'net_income ifrs-full:ProfitLoss 2019-07-01..2019-09-30 856000000 DKK',
      'assets ifrs-full:Assets ..2019-09-30 194521000000 DKK',
      'liabilities ifrs-full:Liabilities ..2019-09-30 102161000000 DKK',
      'equity ifrs-full:Equity ..2019-09-30 87369000000 DKK',
    ])
    expect(content.leftOut).toEqual({
      'a figure in another unit than its metric has': 1,
      'a balance of the first day of a period': 1,
    })
  })

  const changes: [string, (text: string) => string, object][] = [
    [
      'a first year of fifteen months has no flows that compare',
      text => text.replaceAll('<x:startDate>2016-01-01', '<x:startDate>2015-10-01'),
      { statements: 6, unplaced: 2 },
    ],
    [
      'a report in euros is in euros',
      text => text.replace('iso4217:DKK', 'iso4217:EUR'),
      { statements: 8, units: ['EUR'] },
    ],
    [
      'a number that could be two numbers is none',
      text => text.replace('>5073800000<', '>5.073.800.000,00<'),
      { statements: 7, malformed: 1 },
    ],
    [
      'a figure that is stated twice and differently is not chosen between',
      text =>
        text.replace(
          '</x:xbrl>',
          '<e:ProfitLoss contextRef="c1" unitRef="u1" decimals="0">-244400000</e:ProfitLoss></x:xbrl>',
        ),
      { statements: 7, leftOut: { 'a figure that its report states twice and differently': 2 } },
    ],
    [
      'two balances of one day are two accounts: none is taken',
      text =>
        text.replace(
          '</x:xbrl>',
          '<e:Assets contextRef="c3" unitRef="u1" decimals="0">1</e:Assets></x:xbrl>',
        ),
      { statements: 0, leftOut: { 'a figure of a report that states two balances of one day': 9 } },
    ],
  ]
  test.each(changes)('%s', async (_, change, expected) => {
    const changed = change(await fixture('kmd-2016.xml'))
    const content = readReport(changed, 'kmd-2016.xml')
    const statements = statementsOf(content)
    const { malformed, unplaced, leftOut } = content
    const units = [...new Set(statements.map(({ unit }) => unit))]
    expect({ statements: statements.length, malformed, unplaced, leftOut, units }).toMatchObject(expected)
  })

  test('that cannot be tied to a company or a publication is left out whole', async () => {
    const text = await fixture('kmd-2016.xml')
    expect(readReport(text, 'KMD årsrapport.xml')).toMatchObject({
      contributions: [],
      leftOut: { 'a figure of a report whose file is not named as in dokumentUrl': 9 },
    })
    const noCompany = { 'a figure of a report that names no company by one CVR number': 9 }
    for (const other of ['Entity contextRef="c1">25313763', 'Entity contextRef="c1">549300D2K6PKKKXVNN73']) {
      const changed = text.replace('Entity contextRef="c1">26911745', other)
      expect(changed).not.toBe(text)
      const content = readReport(changed, 'kmd-2016.xml')
      expect(content).toMatchObject({ contributions: [], leftOut: noCompany })
    }
  })
})

const folder = sharedPath('registers/dk/xbrl')

describe.skipIf(folder === null)('the real reports', () => {
  const names = folder === null ? [] : readdirSync(folder)
  const readReal = async (name: string) => readReport(await Bun.file(`${folder}/${name}`).text(), name)

  test.each(names)('%s: every mapped figure is taken or left out for a reason', async name => {
    const text = await Bun.file(`${folder}/${name}`).text()
    const content = readReport(text, name)
    // Counted without our reader: an opening tag of a mapped element in fsa or ifrs-full that has a context.
    const prefixes = [...text.matchAll(/xmlns:([\w-]+)="(http:\/\/xbrl\.dcca\.dk\/fsa|[^"]*\/ifrs-full)"/g)]
    const namespaces = new Map(
      prefixes.map(([, prefix, uri]) => [prefix, uri.endsWith('/fsa') ? 'fsa' : 'ifrs-full']),
    )
    const mapped = [...text.matchAll(/<([\w-]+):(\w+)\s[^>]*contextRef=/g)].filter(
      ([, prefix, element]) => dkUses(`${namespaces.get(prefix)}:${element}`) !== undefined,
    )
    expect(content.figuresRead).toBe(mapped.length)
    expect(mapped.length).toBeGreaterThan(3)
    const leftOut = Object.values(content.leftOut ?? {}).reduce((sum, figures) => sum + figures, 0)
    const taken = statementsOf(content).length
    expect(taken + leftOut + content.malformed + (content.unplaced ?? 0)).toBe(mapped.length)
  })

  test('Ørsted, whose file is called 2019Q4, reports on the third quarter of 2019', async () => {
    const lines = statementsOf(await readReal('orsted_2019Q4.xml')).map(spell)
    expect(lines).toContain('revenue ifrs-full:Revenue 2019-07-01..2019-09-30 14543000000 DKK')
    expect(lines).toContain('revenue ifrs-full:Revenue 2018-01-01..2018-09-30 49355000000 DKK')
    expect(lines).toContain('assets ifrs-full:Assets ..2018-12-31 174575000000 DKK')
    expect(lines.filter(line => line.startsWith('eps'))).toEqual([])
  })

  test('Miracle states a group: its minority interests stand beside equity', async () => {
    const lines = statementsOf(await readReal('miracle.xml')).map(spell)
    expect(lines).toContain('gross_profit fsa:GrossResult 2016-07-01..2017-06-30 110171485 DKK')
    expect(lines).toContain('minority_interests fsa:MinorityInterests ..2017-06-30 38648 DKK')
    expect(lines).not.toContain('assets fsa:Assets ..2017-06-30 88118127 DKK')
  })

  test('Netcompany 2016 states group and parent company with nothing between them: neither is taken', async () => {
    const { contributions, leftOut } = await readReal('netcompany.xml')
    expect(contributions.flatMap(({ statements }) => statements)).toEqual([])
    expect(leftOut).toEqual({ 'a figure of a report that states two balances of one day': 54 })
  })

  test('Mapicture states its result of 2014 as a loss and as its distribution: it is not chosen between', async () => {
    const content = await readReal('mapicture.xml')
    expect(statementsOf(content).filter(({ metric }) => metric === 'net_income')).toEqual([])
    expect(content.leftOut?.['a figure that its report states twice and differently']).toBe(4)
  })

  test('a fund wound up after 21 months has a balance and no flows', async () => {
    const content = await readReal('FR77a_2.xml')
    expect(content.unplaced).toBe(4)
    expect(statementsOf(content).every(({ start }) => start === null)).toBe(true)
  })
})
