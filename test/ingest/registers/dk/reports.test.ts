import { describe, expect, test } from 'bun:test'
import { unknownFilingDate } from '../../../../src/facts/reportedFact.ts'
import { readReport } from '../../../../src/ingest/registers/dk/reports.ts'
import { factsOf, spellFact } from '../factLines.ts'

const fixture = (name: string) => Bun.file(new URL(`fixtures/${name}`, import.meta.url)).text()
const read = async (name: string) => readReport(await fixture(name), `1/${name}`)

describe('a report', () => {
  test('states years, without the earlier ones that it repeats under the dates of this one', async () => {
    const content = await read('kmd-2016.xml')
    expect(factsOf(content).map(spellFact)).toEqual([
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
    expect(content.parsed[0].profile).toMatchObject({ issuerId: '26911745', name: 'KMD A/S' })
  })

  test('has no filing date of its own: the general meeting is not the publication', async () => {
    const filings = factsOf(await read('kmd-2016.xml')).map(({ filing }) => filing)
    expect(new Set(filings).size).toBe(1)
    expect(filings[0]).toMatchObject({
      accession: 'DK:26911745/kmd-2016',
      filed: unknownFilingDate,
      acceptedAt: null,
    })
  })

  test('of a group gives the figures of the group, without those of the parent company', async () => {
    const content = await read('netcompany-2014.xml')
    expect(factsOf(content).map(spellFact)).toEqual([
      'revenue fsa:Revenue 2014-01-01..2014-12-31 629211000 DKK',
      'gross_profit fsa:GrossResult 2014-01-01..2014-12-31 492360000 DKK',
      'net_income fsa:ProfitLoss 2014-01-01..2014-12-31 134404000 DKK',
      'assets fsa:Assets ..2014-12-31 378948000 DKK',
      'equity fsa:Equity ..2014-12-31 212592000 DKK',
      'liabilities fsa:LiabilitiesOtherThanProvisions ..2014-12-31 166356000 DKK',
    ])
    expect(content.leftOut).toEqual({
      'a figure of accounts other than the preferred ones (group before parent company)': 5,
    })
  })

  test('for nine months states a quarter and nine months, without opening balances and figures in no currency', async () => {
    const content = await read('orsted-2019-9m.xml')
    expect(factsOf(content).map(spellFact)).toEqual([
      'revenue ifrs-full:Revenue 2019-07-01..2019-09-30 14543000000 DKK',
      'revenue ifrs-full:Revenue 2019-01-01..2019-09-30 50583000000 DKK',
      'net_income ifrs-full:ProfitLoss 2019-07-01..2019-09-30 856000000 DKK',
      'assets ifrs-full:Assets ..2019-09-30 194521000000 DKK',
      'liabilities ifrs-full:Liabilities ..2019-09-30 102161000000 DKK',
      'equity ifrs-full:Equity ..2019-09-30 87369000000 DKK',
    ])
    expect(content.leftOut).toEqual({
      'a figure in a unit that its metric does not allow': 1,
      'a balance on the first day of a period': 1,
    })
  })

  const changes: [string, (text: string) => string, object][] = [
    [
      'a first year of fifteen months has no comparable flows',
      text => text.replaceAll('<x:startDate>2016-01-01', '<x:startDate>2015-10-01'),
      { statements: 6, unplaced: 2 },
    ],
    [
      'a report in euros is in euros',
      text => text.replace('iso4217:DKK', 'iso4217:EUR'),
      { statements: 8, units: ['EUR'] },
    ],
    [
      'an ambiguous number is malformed',
      text => text.replace('>5073800000<', '>5.073.800.000,00<'),
      { statements: 7, malformed: 1 },
    ],
    [
      'a figure that is stated twice with different values is not taken',
      text =>
        text.replace(
          '</x:xbrl>',
          '<e:ProfitLoss contextRef="c1" unitRef="u1" decimals="0">-244400000</e:ProfitLoss></x:xbrl>',
        ),
      { statements: 7, leftOut: { 'a figure that its report states twice with different values': 2 } },
    ],
    [
      'a balance that is stated twice with different values is not taken, and all others are',
      text =>
        text.replace(
          '</x:xbrl>',
          '<e:Assets contextRef="c3" unitRef="u1" decimals="0">1</e:Assets></x:xbrl>',
        ),
      { statements: 7, leftOut: { 'a figure that its report states twice with different values': 2 } },
    ],
    [
      'two sets of figures for one day are two accounts: neither is taken',
      text =>
        text.replace(
          '</x:xbrl>',
          `${text
            .match(/<e:\w+ contextRef="c\d+" unitRef="u1"[^>]*>[^<]*<\/e:\w+>/g)
            ?.map(figure => figure.replace(/>[^<]*</, '>1<'))
            .join('')}</x:xbrl>`,
        ),
      {
        statements: 0,
        leftOut: { 'a figure of a report that states two different balance sheets for one day': 16 },
      },
    ],
  ]
  test.each(changes)('%s', async (_, change, expected) => {
    const changed = change(await fixture('kmd-2016.xml'))
    const content = readReport(changed, 'kmd-2016.xml')
    const statements = factsOf(content)
    const { malformed, unplaced, leftOut } = content
    const units = [...new Set(statements.map(({ unit }) => unit))]
    expect({ statements: statements.length, malformed, unplaced, leftOut, units }).toMatchObject(expected)
  })

  test('that cannot be tied to a company or a publication is left out whole', async () => {
    const text = await fixture('kmd-2016.xml')
    expect(readReport(text, 'KMD årsrapport.xml')).toMatchObject({
      parsed: [],
      leftOut: { 'a figure of a report whose file name is not that in dokumentUrl': 9 },
    })
    const noCompany = { 'a figure of a report without the CVR number of exactly one company': 9 }
    for (const other of ['Entity contextRef="c1">25313763', 'Entity contextRef="c1">549300D2K6PKKKXVNN73']) {
      const changed = text.replace('Entity contextRef="c1">26911745', other)
      expect(changed).not.toBe(text)
      const content = readReport(changed, 'kmd-2016.xml')
      expect(content).toMatchObject({ parsed: [], leftOut: noCompany })
    }
  })
})
