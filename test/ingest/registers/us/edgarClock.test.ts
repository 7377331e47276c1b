import { describe, expect, test } from 'bun:test'
import { dayNumber } from '../../../../src/dates.ts'
import type { ClockReading } from '../../../../src/facts/reportedFact.ts'
import {
  clocksOf,
  fromNewYork,
  inNewYork,
  isPlaceholder,
  settleEdgarTimes,
  shownDigits,
} from '../../../../src/ingest/registers/us/edgarClock.ts'

const shown = (text: string) => Date.parse(`${text}Z`)
const iso = (at: number | null | undefined) => (at == null ? null : new Date(at).toISOString().slice(0, 19))

describe("New York's clock", () => {
  test.each([
    ['winter', '2021-01-27T18:03:06', '2021-01-27T23:03:06'],
    ['summer', '2021-07-27T18:03:42', '2021-07-27T22:03:42'],
    // Clocks go back on 7 November 2021 at 02:00 EDT: 01:30 occurs twice, and the later one counts.
    ['the hour that occurs twice', '2021-11-07T01:30:00', '2021-11-07T06:30:00'],
    ['the hour before it', '2021-11-07T00:30:00', '2021-11-07T04:30:00'],
    ['the hour after it', '2021-11-07T02:00:00', '2021-11-07T07:00:00'],
    // They go forward on 14 March 2021 at 02:00 EST, so that 02:30 does not exist.
    ['the hour that is skipped', '2021-03-14T02:30:00', '2021-03-14T07:30:00'],
    ['the hour after it', '2021-03-14T03:00:00', '2021-03-14T07:00:00'],
    // Until 2006 summer began on the first Sunday of April and ended on the last one of October.
    ['the old rule in March', '2006-03-27T17:00:00', '2006-03-27T22:00:00'],
    ['the old rule in November', '2006-11-01T17:00:00', '2006-11-01T22:00:00'],
    ['the new rule in March', '2007-03-27T17:00:00', '2007-03-27T21:00:00'],
    ['the new rule in November', '2007-11-01T17:00:00', '2007-11-01T21:00:00'],
  ])('in %s', (_, digits, instant) => {
    expect(iso(fromNewYork(shown(digits)))).toBe(instant)
  })

  test('every hour of 2021 is recovered from its digits, except the two hours that share theirs', () => {
    const wrong: string[] = []
    for (let at = shown('2021-01-01T00:00:00'); at < shown('2022-01-01T00:00:00'); at += 3_600_000)
      if (fromNewYork(inNewYork(at)) !== at) wrong.push(iso(at) ?? '')
    expect(wrong).toEqual(['2021-11-07T05:00:00'])
  })
})

test('digits are read without their zone, and other texts have none', () => {
  expect(iso(shownDigits('2010-01-25 16:26:00.0'))).toBe('2010-01-25T16:26:00')
  expect(iso(shownDigits('2021-01-27T18:03:06.000Z'))).toBe('2021-01-27T18:03:06')
  for (const text of ['', '2010-01-25', 'x', '2010-13-25 16:26:00']) expect(shownDigits(text)).toBeNaN()
})

let number = 0
const row = (
  time: string,
  form: string,
  filed: string,
  accession = `0000000001-20-${String(++number).padStart(6, '0')}`,
) => ({
  accession,
  form,
  filed: dayNumber(filed),
  shown: shown(time),
})

/* Rows of real lists: CIK 320193 shows New York, 789019, 749647 and 1318605 show UTC. */
describe('a list reveals its clock', () => {
  test.each([
    ['by a morning that is night in UTC', row('2018-11-05T08:01:40', '10-K', '2018-11-05'), 'local'],
    ['by a night that is evening in New York', row('2017-11-02T23:56:36', '10-Q', '2017-11-03'), 'utc'],
    [
      'by a report of the evening with the next day',
      row('2021-01-27T18:03:06', '10-Q', '2021-01-28'),
      'local',
    ],
    ['by such a report before a weekend', row('2024-03-08T18:20:00', '10-K', '2024-03-11'), 'local'],
    [
      "by a notice at a quarter past New York's midnight",
      row('2020-05-20T00:15:11', 'EFFECT', '2020-05-19', '9999999995-20-001195'),
      'local',
    ],
    [
      'by such a notice in UTC, in summer',
      row('2020-05-20T04:15:12', 'EFFECT', '2020-05-19', '9999999995-20-001202'),
      'utc',
    ],
    [
      'by such a notice in UTC, in winter',
      row('2021-03-05T05:15:22', 'EFFECT', '2021-03-04', '9999999995-21-000839'),
      'utc',
    ],
    ['not by an afternoon', row('2021-03-19T13:11:25', '10-K', '2021-03-19'), 'open'],
    ['not by a form 4 of the evening', row('2022-10-04T20:05:07', '4', '2022-10-04'), 'open'],
    // Form 4 0000320193-22-000097, accepted late: the window ends at 22:00.
    [
      'not by a form that was accepted just after the window',
      row('2022-10-04T22:05:07', '4', '2022-10-04'),
      'open',
    ],
    [
      'not by letters of the staff',
      row('2020-11-27T08:19:09', 'UPLOAD', '2020-11-27', '0000000000-20-011361'),
      'open',
    ],
    ['not by midnight', row('2009-03-30T04:00:00', '10-K', '2009-03-30'), 'open'],
    // 10-K 0001564590-20-025870 was accepted at 17:31:05 and has that day.
    [
      'not by one report that is a minute late for its day',
      row('2020-05-15T17:31:05', '10-K', '2020-05-15'),
      'open',
    ],
    [
      'not by one report that is hours late for its day',
      row('2020-07-30T20:44:46', '10-K', '2020-07-30'),
      'doubtful',
    ],
  ])('%s', (_, one, clock) => {
    expect(clocksOf([one])).toEqual([clock as ClockReading['clock']])
  })

  test('by several reports that would all be late for their days, if nothing else reveals it', () => {
    const late = row('2021-08-05T20:44:46', '10-Q', '2021-08-05')
    const later = row('2021-11-04T21:10:00', '10-Q', '2021-11-04')
    const noon = row('2022-01-04T16:10:00', '8-K', '2022-01-04')
    expect(clocksOf([late, later, noon])).toEqual(['utc', 'utc', 'utc'])
    expect(clocksOf([late, noon])).toEqual(['doubtful', 'open'])
    const proof = row('2020-01-04T08:10:00', '8-K', '2020-01-04')
    expect(clocksOf([late, later, noon, proof])).toEqual(['doubtful', 'doubtful', 'local', 'local'])
  })

  test('for the rows between two with the same clock, in any order, but for none between two that differ', () => {
    const first = row('2012-02-01T08:30:00', '8-K', '2012-02-01')
    const second = row('2012-05-01T14:30:00', '10-Q', '2012-05-01')
    const third = row('2013-02-01T18:30:00', '10-K', '2013-02-04')
    const between = row('2013-05-01T15:30:00', '10-Q', '2013-05-01')
    const fourth = row('2014-02-01T01:30:00', '8-K', '2014-01-31')
    const last = row('2014-05-01T20:30:00', '10-Q', '2014-05-01')
    const rows = [first, second, third, between, fourth, last]
    const clocks: ClockReading['clock'][] = ['local', 'local', 'local', 'open', 'utc', 'utc']
    expect(clocksOf(rows)).toEqual(clocks)
    expect(clocksOf(rows.toReversed())).toEqual(clocks.toReversed())
  })

  test('and a report with an exceptional day does not outweigh its neighbours', () => {
    // 10-Q 0001213900-22-048198 was accepted at 17:56:51 and has that day.
    const exception = row('2022-08-15T17:56:51', '10-Q', '2022-08-15')
    const before = row('2022-06-15T08:56:51', '8-K', '2022-06-15')
    const after = row('2022-11-15T09:06:51', '8-K', '2022-11-15')
    expect(clocksOf([before, exception, after])).toEqual(['local', 'local', 'local'])
    expect(clocksOf([before, exception])).toEqual(['local', 'doubtful'])
  })
})

const listed = (time: string, clock: ClockReading['clock'], lister = '0000000001') => ({
  lister,
  shown: shown(time),
  clock,
})
const inSet = (time: string) => listed(time, 'local', '')
const settled = (readings: Readonly<Record<string, readonly ClockReading[]>>) =>
  Object.fromEntries(
    [...settleEdgarTimes(new Map(Object.entries(readings)))].map(([key, at]) => [key, iso(at)]),
  )

describe('the time of a filing', () => {
  test.each([
    // Both sources of five filings of 2021q1.
    [
      '0000320193-21-000010',
      [listed('2021-01-27T18:03:06', 'open'), inSet('2021-01-27T18:03:00')],
      '2021-01-27T23:03:06',
    ],
    [
      '0001493152-21-006382',
      [listed('2021-03-19T13:11:25', 'open'), inSet('2021-03-19T09:11:00')],
      '2021-03-19T13:11:25',
    ],
    [
      '0001564590-21-002316',
      [listed('2021-01-26T21:09:34', 'utc'), inSet('2021-01-26T16:10:00')],
      '2021-01-26T21:10:00',
    ],
    [
      '0001193125-21-089563',
      [listed('2021-03-22T16:18:53', 'local'), inSet('2021-03-22T16:19:00')],
      '2021-03-22T20:19:00',
    ],
    [
      '0001465740-21-000035',
      [listed('2021-02-25T22:13:00', 'utc'), inSet('2021-02-25T17:13:00')],
      '2021-02-25T22:13:00',
    ],
    // 10-K/A 0001193125-10-012091: a data set alone is rounded to the minute.
    ['a data set alone', [inSet('2010-01-25T16:26:00')], '2010-01-25T21:27:00'],
    ['a data set alone, with seconds', [inSet('2010-01-25T16:26:11')], '2010-01-25T21:26:11'],
    ['a list alone', [listed('2018-11-05T08:01:40', 'local')], '2018-11-05T13:01:40'],
    [
      'a data set that overrules what the list reveals',
      [listed('2021-01-27T18:03:06', 'utc'), inSet('2021-01-27T18:03:00')],
      '2021-01-27T23:03:06',
    ],
    // S-4/A 0001213900-21-002636 and 10-K 0001058090-21-000010.
    ['22:01', [inSet('2021-01-15T22:01:00')], '2021-01-16T03:02:00'],
    ['22:00', [inSet('2021-02-09T22:00:00')], '2021-02-10T03:01:00'],
    [
      'a list of each of two filers',
      [listed('2021-01-27T18:03:06', 'local'), listed('2021-01-27T23:03:06', 'utc', '0000000002')],
      '2021-01-27T23:03:06',
    ],
    ['nothing that reveals the clock', [listed('2021-03-19T13:11:25', 'open')], null],
    ['a doubtful day', [listed('2021-03-19T20:11:25', 'doubtful')], null],
    ['midnight in a list', [listed('2009-03-30T04:00:00', 'utc')], null],
    ['midnight in a list in winter', [listed('2009-02-27T05:00:00', 'utc')], null],
    ['midnight in a data set', [inSet('2009-03-30T00:00:00')], null],
    ['a time at which EDGAR is closed', [listed('2021-03-19T05:59:59', 'local')], null],
    [
      'sources that differ by more than a minute',
      [listed('2021-03-19T16:11:25', 'local'), inSet('2021-03-19T16:13:00')],
      null,
    ],
    [
      'lists that contradict one another',
      [listed('2021-03-19T16:11:25', 'local'), listed('2021-03-19T16:11:25', 'utc', '0000000002')],
      null,
    ],
    [
      'a list that reveals one clock once and the other clock once',
      [listed('2021-03-19T16:11:25', 'local'), listed('2021-03-19T16:11:25', 'utc')],
      null,
    ],
  ] as const)('from %s', (name, readings, instant) => {
    expect(settled({ [name]: readings })).toEqual({ [name]: instant })
    expect(settled({ [name]: readings.toReversed() })).toEqual({ [name]: instant })
  })

  test('follows from a data set that confirms its neighbours in the list', () => {
    const readings = {
      a: [listed('2020-05-01T14:00:10', 'open'), inSet('2020-05-01T10:00:00')],
      b: [listed('2020-08-03T14:00:10', 'open')],
      c: [listed('2020-11-02T15:00:10', 'open'), inSet('2020-11-02T10:00:00')],
      d: [listed('2021-02-01T15:00:10', 'open')],
      e: [listed('2021-02-02T20:00:10', 'doubtful')],
      f: [listed('2020-08-03T15:00:10', 'open', '0000000002')],
    }
    const times = { a: '2020-05-01T14:00:10', b: '2020-08-03T14:00:10', c: '2020-11-02T15:00:10' }
    expect(settled(readings)).toEqual({ ...times, d: '2021-02-01T15:00:10', e: null, f: null })
  })

  test('stays open between a filing of one clock and a filing of the other', () => {
    const readings = {
      a: [listed('2020-05-01T10:00:10', 'open'), inSet('2020-05-01T10:00:00')],
      b: [listed('2020-08-03T14:00:10', 'open')],
      c: [listed('2020-11-02T15:00:10', 'open'), inSet('2020-11-02T10:00:00')],
    }
    expect(settled(readings)).toEqual({ a: '2020-05-01T14:00:10', b: null, c: '2020-11-02T15:00:10' })
  })
})

test('midnight is a placeholder in winter and summer, as New York and as UTC shows it', () => {
  for (const time of ['00:00:00', '04:00:00', '05:00:00'])
    expect(isPlaceholder(shown(`2009-03-30T${time}`))).toBe(true)
  expect(isPlaceholder(shown('2009-03-30T04:00:01'))).toBe(false)
})
