import { expect, test } from 'bun:test'
import { addBusinessDays } from '../../../src/backtest/dataset/calendar.ts'
import { alignFactors } from '../../../src/backtest/factors/alignFactors.ts'
import { readFactorFile } from '../../../src/backtest/factors/factorFile.ts'
import { type FactorSeries, resolveFactors } from '../../../src/backtest/factors/factorSeries.ts'
import { dayNumber, endOfMonth, isoDate } from '../../../src/dates.ts'
import { frenchText } from './anyRegression.ts'

function series(sent: Parameters<typeof resolveFactors>[0]): FactorSeries {
  const resolved = resolveFactors(sent)
  if (resolved === undefined) throw new Error('no factors were sent')
  return resolved
}

const days = (...dates: string[]) => Int32Array.from(dates, dayNumber)

test('a file of the data library is read as downloaded: July 1926 is 2.89, -2.55, -2.39 and 0.22 percent', () => {
  const { dates, columns, rf, unit } = readFactorFile(frenchText, 'file')
  expect(unit).toBe('percent')
  expect(dates[0]).toBe('1926-07')
  expect(columns.map(({ name, values }) => [name, values[0]])).toEqual([
    ['Mkt-RF', 2.89],
    ['SMB', -2.55],
    ['HML', -2.39],
  ])
  expect(rf?.[0]).toBe(0.22)
  // The annual block below is not read.
  expect(dates.length).toBe(42)
  expect(dates.at(-1)).toBe('1929-12')
})

test('daily files, missing returns, files without RF and plain CSV are read', () => {
  const daily = readFactorFile(
    'text, with a comma\n\n,Mom   \n20240102,  0.50\n20240103,-99.99\n20240104,-999\nCopyright 2026',
    'file',
  )
  expect(daily.dates).toEqual(['2024-01-02', '2024-01-03', '2024-01-04'])
  expect(daily.columns).toEqual([{ name: 'Mom', values: [0.5, null, null] }])
  expect(daily.rf).toBeNull()
  const plain = readFactorFile('\uFEFFdate,QMJ,rf\r\n2024-01-31,0.01,0.004\r\n2024-02-29,,0.004\r\n', 'file')
  expect(plain.unit).toBe('fraction')
  expect(plain.columns).toEqual([{ name: 'QMJ', values: [0.01, null] }])
  expect(plain.rf).toEqual([0.004, 0.004])
})

test('a table that was saved with an unnamed index of days has fractions, not percent', () => {
  // What pandas writes for DataFrame.to_csv(); -99.99 is only missing in files of the data library.
  const saved = readFactorFile(',Mkt-RF,RF\n2024-01-02,-0.0073,0.0002\n2024-01-03,-0.0087,0.0002\n', 'file')
  expect(saved.unit).toBe('fraction')
  expect(saved.columns).toEqual([{ name: 'Mkt-RF', values: [-0.0073, -0.0087] }])
})

test('files that cannot be read say what is wrong', () => {
  expect(() => readFactorFile('date,A\n2024-01-32,1', 'f.csv')).toThrow(
    'f.csv: line 2: "2024-01-32" is not a day',
  )
  expect(() => readFactorFile('date,A\n2024-01-31,x', 'f.csv')).toThrow('f.csv: line 2: "x" is not a number')
  expect(() => readFactorFile('date,A,B\n2024-01-31,1', 'f.csv')).toThrow(
    'line 2 has 2 cells; the header has 3',
  )
  expect(() => readFactorFile('date,A,A\n2024-01-31,1,2', 'f.csv')).toThrow('names "A"')
  expect(() => readFactorFile('hello', 'f.csv')).toThrow('f.csv has no header of factors')
  // A file with years only has no returns that match a period.
  expect(() => readFactorFile(',Mkt-RF\n1927,29.44', 'f.csv')).toThrow('no header of factors')
})

test('percent sent as fractions is refused, unless the unit is stated', () => {
  const sent = { date: ['2024-01', '2024-02', '2024-03'], returns: { 'Mkt-RF': [0.73, 5.07, 2.84] } }
  expect(() => series(sent)).toThrow('as if percent had been sent as fractions')
  expect([...series({ ...sent, unit: 'percent' }).returns[0]]).toEqual([0.73 / 100, 5.07 / 100, 2.84 / 100])
  expect([...series({ ...sent, unit: 'fraction' }).returns[0]]).toEqual([0.73, 5.07, 2.84])
})

test('dates must ascend, and every column must have as many', () => {
  expect(() => series({ date: ['2024-02', '2024-01'], returns: { A: [0, 0] } })).toThrow(
    'The factors of 2024-01 follow those of 2024-02',
  )
  expect(() => series({ date: ['2024-02'], returns: { A: [0, 0] } })).toThrow('date has 1 elements and A 2')
  expect(() => series({ date: ['2024-02-30'], returns: { A: [0] } })).toThrow('does not exist')
  expect(() => series({ date: ['2024-02'] })).toThrow('factors needs file, or both date and returns')
  expect(() => series({ file: 'x', date: ['2024-02'] })).toThrow('both file and columns')
})

test('the frequency follows from the dates: month ends are months, and the last day of each week is not', () => {
  const sent = (date: string[]) => series({ date, returns: { A: date.map((_, i) => i / 1_000) } }).frequency
  expect(sent(['2024-01-31', '2024-02-29', '2024-03-28'])).toBe('monthly')
  expect(sent(['2024-01', '2024-02'])).toBe('monthly')
  expect(sent(['2024-01-30', '2024-01-31', '2024-02-01'])).toBe('daily')
})

test('daily factors after the first day, up to the first day of the next period, are compounded', () => {
  const date = Array.from({ length: 12 }, (_, i) => isoDate(addBusinessDays(dayNumber('2024-01-01'), i + 1)))
  const f = date.map((_, i) => (i + 1) / 1_000)
  const factors = series({ date, returns: { F: f }, rf: f.map(() => 0.0002) })
  // Fridays: the 5th has the returns of the 8th to the 12th, and the last week ends on the 19th, after the file.
  const aligned = alignFactors(factors, {
    days: days('2024-01-05', '2024-01-12'),
    returnDays: 5,
    medianDateGap: 5,
  })
  expect([...aligned.matched]).toEqual([0])
  const at = date.indexOf('2024-01-08')
  let expected = 1
  for (let i = at; i < at + 5; i++) expected *= 1 + f[i]
  expect(aligned.returns[0][0]).toBe(expected - 1)
  expect(aligned.rf?.[0]).toBeCloseTo(1.0002 ** 5 - 1, 15)
  expect([...aligned.unmatched]).toEqual([['outside', [dayNumber('2024-01-12')]]])
})

test('the return of the day itself, which the score might know, never explains its period', () => {
  const date = ['2024-01-02', '2024-01-03', '2024-01-04', '2024-01-05']
  const factors = series({ date, returns: { F: [0.1, 0.02, 0.03, 0.04] } })
  const aligned = alignFactors(factors, {
    days: days('2024-01-02', '2024-01-03', '2024-01-04'),
    returnDays: 1,
    medianDateGap: 1,
  })
  expect([...aligned.returns[0]]).toEqual([0.02, 0.03, 0.04])
})

test('a return that begins at the next close is explained by the factors after that close', () => {
  const date = ['2024-01-02', '2024-01-03', '2024-01-04', '2024-01-05', '2024-01-08']
  const sent = { date, returns: { F: [0.01, 0.02, 0.03, 0.04, 0.05] }, rf: [1, 2, 3, 4, 5].map(x => x / 1e4) }
  const record = { days: days('2024-01-02', '2024-01-03', '2024-01-04', '2024-01-05') }
  // Ranked on the 2nd, bought at the close of the 3rd, sold at that of the 4th.
  const daily = alignFactors(series({ ...sent, entryLag: 1 }), { ...record, returnDays: 1, medianDateGap: 1 })
  expect([...daily.matched]).toEqual([0, 1, 2])
  expect([...daily.returns[0]]).toEqual([0.03, 0.04, 0.05])
  expect([...(daily.rf ?? [])]).toEqual([3e-4, 4e-4, 5e-4])
  expect([...daily.unmatched]).toEqual([['outside', [dayNumber('2024-01-05')]]])
  expect(() => series({ date: ['2024-01', '2024-02'], returns: { F: [0, 0.01] }, entryLag: 1 })).toThrow(
    'Send daily factors',
  )
  // A hole in the file: nobody knows which days come after the 8th.
  const holed = series({ ...sent, date: [...date.slice(0, 4), '2024-02-08'], entryLag: 1 })
  expect([...alignFactors(holed, { ...record, returnDays: 1, medianDateGap: 1 }).matched]).toEqual([0, 1])
})

test('where prices give the returns, the factors are those of exactly their days', () => {
  // Weekdays of 2024 without the holidays of New York's exchange from April to June.
  const closed = ['2024-05-27', '2024-06-19'].map(dayNumber)
  const trading: number[] = []
  for (let day = dayNumber('2024-03-25'); day <= dayNumber('2024-06-28'); day++)
    if ((day + 3) % 7 < 5 && day !== dayNumber('2024-03-29') && !closed.includes(day)) trading.push(day)
  const f = trading.map((_, i) => ((i * 7) % 11) / 1e3)
  const sent = { date: trading.map(isoDate), returns: { F: f } }
  // Ends of months on a Sunday, a Tuesday and a Friday, a Saturday, and a holiday.
  const dates = ['2024-03-31', '2024-04-30', '2024-05-03', '2024-05-18', '2024-05-27', '2024-06-26'].map(
    dayNumber,
  )
  for (const [lag, horizon, medianDateGap] of [
    [0, 1, 1],
    [1, 1, 1],
    [1, 21, 22],
    [2, 5, 22],
  ]) {
    const resolved = resolveFactors(sent, { entry_lag: lag })
    if (resolved === undefined) throw new Error('no factors were sent')
    const aligned = alignFactors(resolved, {
      days: Int32Array.from(dates),
      returnDays: horizon,
      medianDateGap,
    })
    const expected: number[] = []
    for (const date of dates) {
      const entry = trading.findIndex(day => day >= date) + lag
      if (entry + horizon >= trading.length) continue
      let grown = 1
      for (let at = entry + 1; at <= entry + horizon; at++) grown *= 1 + f[at]
      expected.push(grown - 1)
    }
    expect(expected.length).toBeGreaterThan(3)
    expect(aligned.returns[0].length).toBe(expected.length)
    for (const [at, value] of expected.entries()) expect(aligned.returns[0][at]).toBeCloseTo(value, 14)
  }
})

test('factors begin where the returns that prices give do: once, whether or not the lag is sent', () => {
  const sent = { date: ['2024-01-02', '2024-01-03', '2024-01-04'], returns: { F: [0.01, 0.02, 0.03] } }
  const prices = { entry_lag: 1 }
  expect(resolveFactors(sent, prices)?.entryLag).toBe(1)
  expect(resolveFactors({ ...sent, entryLag: 1 }, prices)).toEqual(resolveFactors(sent, prices))
  for (const entryLag of [0, 2])
    expect(() => resolveFactors({ ...sent, entryLag }, prices)).toThrow(
      `factors.entryLag is ${entryLag}, but the prices give returns that begin 1 trading days after the date`,
    )
  const monthly = { date: ['2024-01', '2024-02'], returns: { F: [0, 0.01] } }
  expect(() => resolveFactors(monthly, prices)).toThrow('prices.entry_lag is 1')
  expect(resolveFactors(monthly, { entry_lag: 0 })?.frequency).toBe('monthly')
})

test('a daily period whose number of factor days is not that of its return is left out', () => {
  const date = ['2024-01-02', '2024-01-03', '2024-01-04', '2024-01-05', '2024-01-08', '2024-01-09']
  const factors = series({ date, returns: { F: [0.01, 0.02, 0.03, 0.04, 0.05, 0.06] } })
  // The rows have no 2024-01-04.
  const aligned = alignFactors(factors, {
    days: days('2024-01-02', '2024-01-03', '2024-01-05', '2024-01-08'),
    returnDays: 1,
    medianDateGap: 1,
  })
  expect([...aligned.matched]).toEqual([0, 2, 3])
  expect([...aligned.unmatched]).toEqual([['interval', [dayNumber('2024-01-03')]]])
})

test('a hole in a daily file leaves out the period that it is in', () => {
  const date = Array.from({ length: 90 }, (_, i) => isoDate(addBusinessDays(dayNumber('2024-01-01'), i + 1)))
  const kept = date.filter(day => day < '2024-02-05' || day > '2024-02-20')
  const factors = series({ date: kept, returns: { F: kept.map(() => 0.001) } })
  const aligned = alignFactors(factors, {
    days: days('2024-01-31', '2024-02-29', '2024-03-28'),
    returnDays: 21,
    medianDateGap: 21,
  })
  expect([...aligned.matched]).toEqual([1, 2])
  expect([...aligned.unmatched.keys()]).toEqual(['outside'])
})

test('a monthly factor explains the period that starts at the end of the month before', () => {
  const factors = series({ file: frenchText })
  // 1926-07-31 was a Saturday, on which the exchange traded.
  const record = { days: days('1926-06-30', '1926-07-30', '1926-08-31', '1926-09-30'), returnDays: 22 }
  const aligned = alignFactors(factors, { ...record, medianDateGap: 22 })
  expect([...aligned.matched]).toEqual([0, 1, 2, 3])
  expect([...aligned.returns[0]]).toEqual([2.89, 2.64, 0.38, -3.27].map(value => value / 100))
  expect(aligned.rf?.[0]).toBe(0.22 / 100)
})

test('monthly factors are compounded over quarters, and do not match weeks or periods within a month', () => {
  const factors = series({ file: frenchText })
  const quarters = alignFactors(factors, {
    days: days('1926-06-30', '1926-09-30', '1926-12-31'),
    returnDays: 65,
    medianDateGap: 65,
  })
  expect([...quarters.matched]).toEqual([0, 1, 2])
  expect(quarters.returns[0][0]).toBeCloseTo(1.0289 * 1.0264 * 1.0038 - 1, 15)
  const weeks = alignFactors(factors, {
    days: days('1926-07-02', '1926-07-09', '1926-07-16'),
    returnDays: 5,
    medianDateGap: 5,
  })
  expect(weeks.matched.length).toBe(0)
  const middle = alignFactors(factors, {
    days: days('1926-07-15', '1926-08-16', '1926-09-15'),
    returnDays: 22,
    medianDateGap: 22,
  })
  expect([...middle.unmatched.keys()]).toEqual(['interval'])
})

test('every month of the file matches the month that begins at its predecessor’s end', () => {
  const factors = series({ file: frenchText })
  const ends = Int32Array.from({ length: 42 }, (_, i) => endOfMonth(1926, 6 + i))
  const aligned = alignFactors(factors, { days: ends, returnDays: 22, medianDateGap: 22 })
  expect(aligned.matched.length).toBe(42)
  expect([...aligned.returns[2]]).toEqual([...factors.returns[2]])
})
