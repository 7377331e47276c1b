import { describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { dayNumber } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import {
  type EntityProfile,
  type Filing,
  type ParsedDocument,
  type ReportedFact,
  unknownFilingDate,
} from '../../../src/facts/reportedFact.ts'
import { makeSample } from '../../../src/ingest/sample/makeSample.ts'

const profile = (market: string, issuerId: string, more: Partial<EntityProfile> = {}): EntityProfile => ({
  market,
  issuerId,
  name: issuerId,
  tickers: [`${issuerId}.${market}`],
  registers: true,
  ...more,
})

const filing = (accession: string, more: Partial<Filing> = {}): Filing => ({
  accession,
  form: '120',
  filed: dayNumber('2024-06-28'),
  acceptedAt: null,
  ...more,
})

const assets = (own: Filing): ReportedFact => ({
  metric: 'assets',
  tag: 'jppfs_cor:Assets',
  unit: 'JPY',
  start: null,
  end: dayNumber('2024-03-31'),
  value: 3_151_394_000_000,
  rounded: false,
  filing: own,
})

const report = (who: EntityProfile, own: Filing): ParsedDocument => ({
  profile: who,
  reportedFacts: [
    assets(own),
    { ...assets(own), metric: 'revenue', tag: 'jppfs_cor:NetSales', start: 19_448 },
  ],
  filings: [own],
})

const these = (...named: string[]) => ({ named: new Set(named), wholeMarkets: new Set<string>() })

const textOf = ({ fundamentals }: { fundamentals: Uint8Array }) => gunzipSync(fundamentals).toString('utf8')

describe('a sample', () => {
  const one = report(profile('JP', 'E02367'), filing('JP:S100TMMG'))
  const other = report(profile('JP', 'E00001'), filing('JP:S1000001'))
  const named: ParsedDocument = { profile: profile('BE', '0410682657'), reportedFacts: [], filings: [] }

  test('contains all companies that have figures, or those that are named, with figures or without', () => {
    const issuers = (made: { entities: string }) =>
      made.entities
        .trim()
        .split('\r\n')
        .slice(1)
        .map(line => line.split(',')[1])
    expect(issuers(makeSample([one, named, other]))).toEqual(['E00001', 'E02367'])
    const some = makeSample([one, named, other], these('JP E02367', 'BE 0410682657'))
    expect(issuers(some)).toEqual(['0410682657', 'E02367'])
    expect([some.companies, some.reportedFacts]).toEqual([2, 2])
    expect(textOf(some)).not.toContain('E00001')
  })

  test('of a whole market has the named companies first, then all others that have figures', () => {
    const companies = { named: new Set(['JP E02367', 'BE 0410682657']), wholeMarkets: new Set(['JP']) }
    const { entities } = makeSample([other, named, one], companies)
    const lines = entities.trim().split('\r\n').slice(1)
    expect(lines.map(line => line.split(',')[1])).toEqual(['0410682657', 'E02367', 'E00001'])
  })

  // A figure without a fiscal period is shipped all the same: the years of others may depend on it.
  test('has rounded figures, those of no fiscal period, and what a filing states of the company', () => {
    const own = filing('US:1', { fiscalYearEnd: '0928', companyName: 'Maker, Inc.', sector: 'SIC 3571' })
    const rounded = { ...assets(own), end: dayNumber('2024-03-31'), rounded: true }
    const future = { ...assets(own), metric: 'cash', end: dayNumber('2108-03-31') }
    const document = { profile: profile('US', '0000000001'), reportedFacts: [rounded, future], filings: [] }
    const lines = textOf(makeSample([document]))
      .trim()
      .split('\r\n')
      .slice(1)
    expect(lines.map(line => line.split(',').slice(0, 4).join())).toEqual([
      'assets,2024,Q2,2024-03-31',
      'cash,,,2108-03-31',
    ])
    expect(lines.map(line => line.split(',').slice(14).join())).toEqual([
      'US,yes,0928,"Maker, Inc.",SIC 3571,',
      'US,,,,,',
    ])
  })

  test('has the same bytes in any order of the files', () => {
    const forward = makeSample([one, named, other], null)
    const backward = makeSample([other, named, one], null)
    expect(backward.fundamentals).toEqual(forward.fundamentals)
    expect(backward.entities).toBe(forward.entities)
  })

  test('is refused where no file contains a named company', () => {
    expect(() => makeSample([one], these('JP E02367', 'KR 00126380'))).toThrow(
      new Failure(
        'parameter_invalid',
        'The files do not contain KR 00126380. Add their files, or remove them from the list.',
        { param: 'companies' },
      ),
    )
  })

  // The list of documents has the minute, 12:22 in Japan; the report does not.
  test('has the acceptance time from another document, in either order', () => {
    const listed: ParsedDocument = {
      profile: one.profile,
      reportedFacts: [],
      filings: [filing('JP:S100TMMG', { acceptedAt: Date.parse('2024-06-28T03:22:00Z') })],
    }
    for (const order of [
      [one, listed],
      [listed, one],
    ]) {
      const lines = textOf(makeSample(order)).trim().split('\r\n').slice(1)
      expect(lines.map(line => line.split(',')[13])).toEqual(
        Array.from({ length: 2 }, () => '2024-06-28T03:22:00.000Z'),
      )
    }
  })

  test('has no figure of a filing without a known day', () => {
    const undated = report(profile('DK', '65305216'), filing('DK:65305216/a', { filed: unknownFilingDate }))
    const made = makeSample([undated], these('DK 65305216'))
    expect([made.companies, made.reportedFacts]).toEqual([1, 0])
  })

  test('has assumed tickers and other names, and refuses a name that it could not read back', () => {
    const called = (otherNames: string[]) =>
      makeSample([
        report(profile('JP', 'E02367', { tickersAssumed: true, otherNames }), filing('JP:S100TMMG')),
      ])
    expect(called(['Nintendo Co., Ltd.', 'ニンテンドウ']).entities).toContain(
      'JP,E02367,E02367.JP,yes,E02367,"Nintendo Co., Ltd.|ニンテンドウ",,,,',
    )
    expect(() => called(['A|B'])).toThrow(
      'JP E02367 has the name A|B, which contains |. The sample cannot store that character.',
    )
  })
})
