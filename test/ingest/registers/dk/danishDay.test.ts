import { expect, test } from 'bun:test'
import { isoDate } from '../../../../src/dates.ts'
import { danishDay } from '../../../../src/ingest/registers/dk/publications.ts'

const dayAt = (text: unknown) => {
  const found = danishDay(text)
  return found === null ? null : isoDate(found.day)
}

test('a moment counts on the day that it is in Denmark, in summer and in winter', () => {
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
])('%p is no moment', text => expect(danishDay(text)).toBeNull())
