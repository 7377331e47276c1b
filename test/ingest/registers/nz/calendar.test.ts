import { describe, expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { newZealandDay, workingDayFrom } from '../../../../src/ingest/registers/nz/calendar.ts'

test('a timestamp counts on the day in New Zealand, in summer and in winter', () => {
  const day = (text: unknown) => {
    const found = newZealandDay(text)
    return Number.isNaN(found) ? null : isoDate(found)
  }
  expect(day('2025-01-15T10:59:59Z')).toBe('2025-01-15')
  expect(day('2025-01-15T11:00:00Z')).toBe('2025-01-16')
  expect(day('2025-07-15T11:59:59Z')).toBe('2025-07-15')
  expect(day('2025-07-15T12:00:00.123')).toBe('2025-07-16')
  for (const text of [null, '', '2025-01-15', '2025-02-30T00:00:00Z', 'T', 5]) expect(day(text)).toBeNull()
})

// Days off under the law of New Zealand: Interpretation Act 1999, section 29, and Legislation Act 2019, section 13.
describe('what is due on a day off is due on the next working day', () => {
  test.each([
    ['a working day', '2025-09-30', '2025-09-30'],
    ['a Saturday', '2024-08-31', '2024-09-02'],
    ['the last day of the year, with 2 January a Thursday', '2024-12-31', '2025-01-03'],
    ['the new year from a Friday on: the Monday is off', '2015-12-31', '2016-01-05'],
    ['the new year on a Saturday: Monday and Tuesday are off', '2021-12-31', '2022-01-05'],
    ['the new year on a Sunday: Monday and Tuesday are off', '2022-12-31', '2023-01-04'],
    ['Easter Sunday 2024', '2024-03-31', '2024-04-02'],
    ['Good Friday 2018', '2018-03-30', '2018-04-03'],
    ['Easter Monday 2011, which was Anzac Day, which has no Monday of its own', '2011-04-25', '2011-04-26'],
    ['Waitangi Day 2025', '2025-02-06', '2025-02-07'],
    ['the Monday after Anzac Day, a Saturday in 2020', '2020-04-27', '2020-04-28'],
    ["the King's Birthday, 2 June 2025, after a Saturday", '2025-05-31', '2025-06-03'],
    ['Labour Day 2024', '2024-10-28', '2024-10-29'],
    ['Matariki, 28 June 2024', '2024-06-28', '2024-07-01'],
    ['a Friday on which there was no Matariki yet', '2019-06-28', '2019-06-28'],
  ])('%s', (_, day, due) => {
    expect(isoDate(workingDayFrom(dayNumber(day)))).toBe(due)
  })

  // Easter Sundays from printed calendars.
  test.each(['2000-04-23', '2008-03-23', '2019-04-21', '2025-04-20', '2038-04-25'])(
    'Easter on %s',
    easter => {
      const sunday = dayNumber(easter)
      expect(workingDayFrom(sunday - 3)).toBe(sunday - 3)
      expect(workingDayFrom(sunday - 2)).toBeGreaterThan(sunday + 1)
    },
  )
})
