import { describe, expect, test } from 'bun:test'
import { dayNumber } from '../../../../src/dates.ts'
import { readIndex } from '../../../../src/ingest/registers/dk/publications.ts'
import { sharedPath } from '../../../shared.ts'

const xml = {
  dokumentType: 'AARSRAPPORT',
  dokumentMimeType: 'application/xml',
  dokumentUrl: 'http://r/1/abc.xml',
}
const source = {
  cvrNummer: 26911745,
  offentliggoerelsesTidspunkt: '2017-03-30T22:00:00.000Z',
  dokumenter: [xml],
}
const filing = {
  accession: 'DK:26911745/abc',
  form: 'AARSRAPPORT',
  filed: dayNumber('2017-03-31'),
  acceptedAt: Date.parse('2017-03-30T22:00:00.000Z'),
}

describe('the index of publications', () => {
  test.each([
    ['an answer of the search', { hits: { hits: [{ _source: source }] } }],
    ['a list of hits', [{ _source: source }]],
    ['one hit', { _source: source }],
    ['a list of sources', [{ ...source, cvrNummer: '26911745' }]],
  ])('%s tells the day of a report', (_, document) => {
    const { contributions, leftOut } = readIndex(document)
    expect(contributions.map(({ profile, filings }) => [profile.issuerId, filings])).toEqual([
      ['26911745', [filing]],
    ])
    expect(leftOut).toEqual({})
  })

  const faults: [string, Record<string, unknown>][] = [
    ['a publication without a CVR number', { cvrNummer: 123 }],
    ['a publication without a CVR number', { cvrNummer: null }],
    ['a publication without a day of publication', { offentliggoerelsesTidspunkt: '2017-03-30' }],
    ['a publication without a day of publication', { offentliggoerelsesTidspunkt: undefined }],
    [
      'a publication without an XBRL report',
      { dokumenter: [{ ...xml, dokumentMimeType: 'application/pdf' }] },
    ],
    ['a publication without an XBRL report', { dokumenter: null }],
    [
      'a publication of several XBRL reports',
      { dokumenter: [xml, { ...xml, dokumentUrl: 'http://r/1/d.xml' }] },
    ],
    [
      'a publication whose group accounts are in ESEF, which is not read',
      { dokumenter: [xml, { ...xml, dokumentType: 'AARSRAPPORT_ESEF' }] },
    ],
  ]
  test.each(faults)('leaves out, counted: %s', (reason, change) => {
    const { contributions, leftOut } = readIndex([{ _source: { ...source, ...change } }])
    expect(contributions).toEqual([])
    expect(leftOut).toEqual({ [reason]: 1 })
  })

  test.each([
    ['text', 'x'],
    ['another answer', { error: 'closed' }],
    ['a list of numbers', [1]],
    ['hits without a list', { hits: { total: 3 } }],
  ])('%s is refused', (_, document) => {
    expect(() => readIndex(document)).toThrow(/has its hits/)
  })
})

const real = sharedPath('registers/dk/offentliggoerelser_real_hits.json')
test.skipIf(real === null)('of the real hits one has an XBRL report and one pictures only', async () => {
  const { contributions, leftOut } = readIndex(await Bun.file(`${real}`).json())
  expect(contributions.flatMap(({ filings }) => filings)).toEqual([
    {
      accession: 'DK:10204534/Y3ZyL...ZQ',
      form: 'AARSRAPPORT',
      filed: dayNumber('2013-05-31'),
      acceptedAt: Date.parse('2013-05-30T22:00:00Z'),
    },
  ])
  expect(leftOut).toEqual({ 'a publication without an XBRL report': 1 })
})
