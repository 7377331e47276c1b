import { describe, expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { danishDay, readPublications } from '../../../../src/ingest/registers/dk/publications.ts'

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
  acceptedAt: null,
}

describe('the index of publications', () => {
  test.each([
    ['an answer of the search', { hits: { hits: [{ _source: source }] } }],
    ['a list of hits', [{ _source: source }]],
    ['one hit', { _source: source }],
    ['a list of sources', [{ ...source, cvrNummer: '26911745' }]],
  ])('%s dates a report', (_, document) => {
    const { parsed, leftOut } = readPublications(document)
    expect(parsed.map(({ profile, filings }) => [profile.issuerId, filings])).toEqual([
      ['26911745', [filing]],
    ])
    expect(leftOut).toEqual({})
  })

  const faults: [string, Record<string, unknown>][] = [
    ['a publication without a CVR number', { cvrNummer: 123 }],
    ['a publication without a CVR number', { cvrNummer: null }],
    ['a publication without a publication date', { offentliggoerelsesTidspunkt: undefined }],
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
      'a publication whose group accounts are in ESEF, which is not supported',
      { dokumenter: [xml, { ...xml, dokumentType: 'AARSRAPPORT_ESEF' }] },
    ],
  ]
  test.each(faults)('leaves out, counted: %s', (reason, change) => {
    const { parsed, leftOut } = readPublications([{ _source: { ...source, ...change } }])
    expect(parsed).toEqual([])
    expect(leftOut).toEqual({ [reason]: 1 })
  })

  test.each([
    ['text', 'x'],
    ['another answer', { error: 'closed' }],
    ['a list of numbers', [1]],
    ['hits without a list', { hits: { total: 3 } }],
  ])('%s is refused', (_, document) => {
    expect(() => readPublications(document)).toThrow(/must have its hits/)
  })
})

const dayAt = (text: unknown) => {
  const found = danishDay(text)
  return found === null ? null : isoDate(found.day)
}

test.each([
  ['midnight of summer', '2013-05-30T22:00:00.000Z', null],
  ['midnight of winter', '2009-03-09T23:00:00.000Z', null],
  ['the same hour on the other side of the change', '2009-03-09T22:00:00.000Z', '2009-03-09T22:00:00.000Z'],
  ['a time of the day, with another zone', '2018-04-04T15:40:50.047+02:00', '2018-04-04T13:40:50.047Z'],
])('%s as a time of publication: a day has none', (_, published, instant) => {
  const { parsed } = readPublications([{ ...source, offentliggoerelsesTidspunkt: published }])
  expect(parsed[0].filings[0].acceptedAt).toBe(instant === null ? null : Date.parse(instant))
})

test('a timestamp counts on the day in Denmark, in summer and in winter', () => {
  // urn:ofk:oid:9366144 and case 09-63.378: midnight in Denmark.
  expect(dayAt('2013-05-30T22:00:00.000Z')).toBe('2013-05-31')
  expect(dayAt('2009-03-09T23:00:00.000Z')).toBe('2009-03-10')
  expect(dayAt('2009-03-09T22:59:59.999Z')).toBe('2009-03-09')
  expect(dayAt('2013-05-30T21:59:59Z')).toBe('2013-05-30')
  // Clocks go forward on 29 March 2020 and back on 25 October 2020, each at 01:00Z.
  expect(dayAt('2020-03-28T22:30:00Z')).toBe('2020-03-28')
  expect(dayAt('2020-03-29T22:30:00Z')).toBe('2020-03-30')
  expect(dayAt('2020-10-24T22:30:00Z')).toBe('2020-10-25')
  expect(dayAt('2020-10-25T22:30:00Z')).toBe('2020-10-25')
  expect(dayAt('2021-01-01T00:30:00+02:00')).toBe('2020-12-31')
  expect(dayAt('2020-12-31T23:00:00Z')).toBe('2021-01-01')
})

test.each([
  '2013-05-30', // a day of which zone?
  '2013-05-30T22:00:00',
  '2013-02-30T22:00:00Z',
  '2013-05-30T25:00:00Z',
  'yesterday',
  '',
  null,
  1369951200000,
])('%p is no timestamp', text => expect(danishDay(text)).toBeNull())
