import { describe, expect, test } from 'bun:test'
import { registerZones } from '../../src/ingest/registers/zones.ts'
import { readAsOf } from '../../src/markets/asOf.ts'
import { loadMarkets } from '../../src/markets/markets.ts'

const markets = await loadMarkets()
const today = '2026-11-20'
const read = (as_of: string, market = 'US', tz?: string) => readAsOf(markets, market, { as_of, tz }, today)

describe('what as_of means', () => {
  test('a day stays a day, in every market', () => {
    for (const market of markets.codes) expect(read('2010-01-25', market)).toBe('2010-01-25')
    expect(readAsOf(markets, 'US', {}, today)).toBe(today)
  })

  // New York is five hours behind UTC in winter and four in summer. In 2010 clocks changed on 14 March and 7 November.
  test.each([
    ['2010-01-25T16:00:00-05:00', '2010-01-25T16:00:00-05:00'],
    ['2010-01-25T21:00:00Z', '2010-01-25T16:00:00-05:00'],
    // A plus that was not encoded arrives as a space.
    ['2010-01-26T06:00:00 09:00', '2010-01-25T16:00:00-05:00'],
    ['2010-01-25T16:00', '2010-01-25T16:00:00-05:00'],
    ['2010-07-01T16:00', '2010-07-01T16:00:00-04:00'],
    // Fractions are truncated: rounding up could include a filing that was not public yet.
    ['2010-01-25T16:33:23.999999-05:00', '2010-01-25T16:33:23.999-05:00'],
    ['2010-03-14T01:59', '2010-03-14T01:59:00-05:00'],
    ['2010-03-14T03:00', '2010-03-14T03:00:00-04:00'],
    ['2010-11-07T00:59', '2010-11-07T00:59:00-04:00'],
    ['2010-11-07T02:00', '2010-11-07T02:00:00-05:00'],
    ['2010-11-07T01:30:00-05:00', '2010-11-07T01:30:00-05:00'],
  ])('%s is %s in New York', (sent, shown) => {
    expect(read(sent)).toBe(shown)
  })

  test('a time without an offset is local time in the market or in the zone tz', () => {
    expect(read('2010-01-25T15:00', 'JP')).toBe('2010-01-25T15:00:00+09:00')
    expect(read('2010-01-25T16:00', 'JP', 'America/New_York')).toBe('2010-01-26T06:00:00+09:00')
  })

  test.each([
    ['2010-03-14T02:30', 'US', undefined, 'does not exist in America/New_York'],
    ['2010-11-07T01:30', 'US', undefined, 'occurred twice in America/New_York'],
    ['2010-01-25T24:00', 'US', undefined, 'not a valid day or instant'],
    ['2010-02-30T10:00', 'US', undefined, 'not a valid day or instant'],
    ['2010-02-30', 'US', undefined, 'not a valid date'],
    ['2010-01-25T16:00:00Z', 'US', 'Asia/Tokyo', 'tz is for an as_of that is a time without an offset'],
    ['2010-01-25', 'US', 'Asia/Tokyo', 'tz is for an as_of that is a time without an offset'],
    ['2010-01-25T16:00', 'US', 'Mars/Olympus', 'not a time zone'],
    ['2026-11-21T00:00:00Z', 'US', undefined, 'is in the future'],
    // PostgreSQL has no year 0, and neither the day of the first nor the day before the second is in year 1 in New York.
    ['0001-01-01T00:00:00Z', 'US', undefined, 'Send an instant from 0001-01-03 on'],
    ['0001-01-02T00:00', 'US', undefined, 'Send an instant from 0001-01-03 on'],
    [
      '2010-01-18@open',
      'US',
      undefined,
      'had no session on 2010-01-18. The nearest were on 2010-01-15 and 2010-01-19',
    ],
    ['2010-01-23@close', 'US', undefined, 'had no session on 2010-01-23'],
    ['2004-12-31@close', 'US', undefined, 'are known from 2005-01-01 to 2027-12-31'],
    ['2009-12-30@close', 'JP', undefined, 'are known from 2010-01-01'],
  ])('%s of %s is refused', (sent, market, tz, why) => {
    expect(() => read(sent, market, tz)).toThrow(why)
  })
})

describe('sessions', () => {
  test.each([
    // NYSE Rule 7.1; closes at 13:00 on the day after Thanksgiving and on Christmas Eve.
    ['2010-01-25@open', 'US', '2010-01-25T09:30:00-05:00'],
    ['2010-01-25@close', 'US', '2010-01-25T16:00:00-05:00'],
    ['2010-11-26@close', 'US', '2010-11-26T13:00:00-05:00'],
    ['2009-12-24@close', 'US', '2009-12-24T13:00:00-05:00'],
    ['2010-07-02@close', 'US', '2010-07-02T16:00:00-04:00'],
    // TSE extended its session by half an hour on 5 November 2024.
    ['2024-11-01@close', 'JP', '2024-11-01T15:00:00+09:00'],
    ['2024-11-05@close', 'JP', '2024-11-05T15:30:00+09:00'],
    // KRX extended its session by half an hour on 1 August 2016.
    ['2016-07-29@close', 'KR', '2016-07-29T15:00:00+09:00'],
    ['2016-08-01@close', 'KR', '2016-08-01T15:30:00+09:00'],
    ['2020-06-01@close', 'TW', '2020-06-01T13:30:00+08:00'],
    ['2020-06-02@open', 'NZ', '2020-06-02T10:00:00+12:00'],
    ['2020-06-02@close', 'FR', '2020-06-02T17:30:00+02:00'],
    ['2020-06-02@open', 'BE', '2020-06-02T09:00:00+02:00'],
    ['2020-06-02@close', 'DK', '2020-06-02T17:00:00+02:00'],
    // Euronext closes at 14:05 on Christmas Eve.
    ['2020-12-24@close', 'FR', '2020-12-24T14:05:00+01:00'],
  ])('%s of %s is %s', (sent, market, shown) => {
    expect(read(sent, market)).toBe(shown)
  })

  test.each([
    // Hurricane Sandy; the funeral of President Bush; Juneteenth; the ten days of Golden Week 2019.
    ['2012-10-29', 'US'],
    ['2018-12-05', 'US'],
    ['2022-06-20', 'US'],
    ['2019-04-30', 'JP'],
    ['2019-05-06', 'JP'],
  ])('there was none on %s in %s', (day, market) => {
    expect(markets.sessions.get(market)?.isSession(day)).toBe(false)
  })

  test('every market has an exchange, in the zone in which its filing days are days', () => {
    for (const { code, calendar } of markets.manifests) {
      expect([code, markets.sessions.has(code)]).toEqual([code, true])
      expect([code, registerZones[code]]).toEqual([code, calendar.timezone])
    }
  })
})
