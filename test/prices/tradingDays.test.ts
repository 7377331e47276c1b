import { expect, test } from 'bun:test'
import { dayNumber, isoDate } from '../../src/dates.ts'
import { tradingDaysOf } from '../../src/prices/tradingDays.ts'

const daysOf = (closes: Readonly<Record<string, number>>) =>
  [
    ...tradingDaysOf(Object.entries(closes).map(([day, count]) => ({ day: dayNumber(day), closes: count }))),
  ].map(isoDate)

test('a stray row on a holiday makes no trading day, nor do two holidays that follow each other', () => {
  // Independence Day of 2019 was a Thursday.
  expect(
    daysOf({ '2019-07-02': 100, '2019-07-03': 100, '2019-07-04': 9, '2019-07-05': 100, '2019-07-08': 100 }),
  ).toEqual(['2019-07-02', '2019-07-03', '2019-07-05', '2019-07-08'])
  // Christmas of 2019 in Frankfurt: the 24th to the 26th.
  expect(
    daysOf({ '2019-12-23': 50, '2019-12-24': 1, '2019-12-25': 2, '2019-12-26': 1, '2019-12-27': 50 }),
  ).toEqual(['2019-12-23', '2019-12-27'])
  // A stray Saturday after a stray Friday is compared with Thursday.
  expect(daysOf({ '2020-04-09': 40, '2020-04-10': 1, '2020-04-11': 1, '2020-04-13': 40 })).toEqual([
    '2020-04-09',
    '2020-04-13',
  ])
})

test('a tenth of the securities is a trading day', () => {
  expect(daysOf({ '2019-07-03': 100, '2019-07-04': 10, '2019-07-05': 100 })).toHaveLength(3)
  expect(daysOf({ '2019-07-03': 10, '2019-07-04': 1, '2019-07-05': 10 })).toHaveLength(3)
})

test('a set that begins, ends, grows or shrinks keeps its days', () => {
  expect(daysOf({ '2019-07-01': 1, '2019-07-02': 100, '2019-07-03': 1 })).toHaveLength(3)
  expect(daysOf({ '2019-07-01': 1, '2019-07-02': 1, '2019-07-03': 500, '2019-07-04': 500 })).toHaveLength(4)
  expect(daysOf({ '2019-07-01': 500, '2019-07-02': 500, '2019-07-03': 1, '2019-07-04': 1 })).toHaveLength(4)
  // More than two weeks later the set may have been filled by another import.
  expect(daysOf({ '2019-07-01': 500, '2019-07-02': 1, '2019-07-17': 500 })).toHaveLength(3)
})

test('markets that trade on Sundays keep them, and a stray Saturday is none', () => {
  // The Saudi exchange traded from Saturday to Wednesday until 2013-06-26, and from Sunday to Thursday since.
  expect(
    daysOf({ '2013-07-07': 150, '2013-07-08': 150, '2013-07-11': 150, '2013-07-13': 3, '2013-07-14': 150 }),
  ).toEqual(['2013-07-07', '2013-07-08', '2013-07-11', '2013-07-14'])
})
