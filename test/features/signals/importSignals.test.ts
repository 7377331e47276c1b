import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Failure } from '../../../src/errors.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sharedPath } from '../../shared.ts'
import { header, list, quant, record, take, takeBytes } from './fixtures.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
}, 180_000)
afterAll(() => db.close(), 60_000)
beforeEach(async () => {
  await db.sql`delete from signal_correction`
  await db.sql`delete from signal`
}, 180_000)

describe('the life of a forecast', () => {
  const before = () => new Date('2026-01-05T20:00:00Z')

  test('is open and unserved until its outcome arrives, then live and won', async () => {
    const opened = await take(db.sql, ['2026-01-05,AAPL,US,1d,0.01,'], { now: before })
    expect(opened).toMatchObject({ lines: 1, added: 1, resolved: 0, refused: 0 })
    expect((await list(db.sql, quant)).data).toEqual([])
    const resolved = await take(db.sql, ['2026-01-05,AAPL,US,1d,0.01,0.02'])
    expect(resolved).toMatchObject({ added: 0, resolved: 1, refused: 0 })
    expect((await list(db.sql, quant)).data).toEqual([
      {
        date: '2026-01-05',
        ticker: 'AAPL',
        market: 'US',
        horizon: '1d',
        predicted_pct: 0.01,
        actual_pct: 0.02,
        status: 'won',
        source: 'live',
      },
    ])
  })

  test('is backfill when it is imported after its date, though a file says live and the outcome comes later', async () => {
    const claim = { head: `${header},source` }
    const report = await take(db.sql, ['2026-01-05,A,US,1d,0.01,,live', '2026-01-05,B,US,1d,0.01,,'], claim)
    expect(report).toMatchObject({ added: 2, late: 1 })
    await take(db.sql, ['2026-01-05,A,US,1d,0.01,0.02,live', '2026-01-05,B,US,1d,0.01,0.02,live'], claim)
    expect(await take(db.sql, ['2026-01-05,C,US,1d,0.01,0.02,live'], claim)).toMatchObject({ late: 1 })
    const sources = (await list(db.sql, quant)).data.map(row => row.source)
    expect(sources).toEqual(['backfill', 'backfill', 'backfill'])
  })

  // A day ends at midnight in the market: 05:00 UTC in New York, 16:00 UTC in Taipei and Hong Kong, which has no manifest.
  test.each([
    ['US', '2026-01-06T04:59:59Z', 'live'],
    ['US', '2026-01-06T05:00:00Z', 'backfill'],
    ['TW', '2026-01-05T15:59:59Z', 'live'],
    ['TW', '2026-01-05T16:00:00Z', 'backfill'],
    ['HK', '2026-01-05T15:59:59Z', 'live'],
    ['HK', '2026-01-05T16:00:00Z', 'backfill'],
    ['XX', '2026-01-05T09:59:59Z', 'live'],
    ['XX', '2026-01-05T10:00:00Z', 'backfill'],
  ])('in %s recorded at %s is %s', async (market, time, source) => {
    await take(db.sql, [`2026-01-05,A,${market},1d,0.01,`], { now: () => new Date(time) })
    expect(await record(db.sql)).toMatchObject([{ source }])
  })

  test('that is revised after its date has ended is backfill', async () => {
    await take(db.sql, ['2026-01-05,A,US,1d,0.01,', '2026-01-05,B,US,1d,0.01,'], { now: before })
    await take(db.sql, ['2026-01-05,A,US,1d,0.02,'], { now: before })
    await take(db.sql, ['2026-01-05,B,US,1d,0.02,'])
    expect(await record(db.sql)).toMatchObject([{ source: 'live' }, { source: 'backfill' }])
  })

  // Monday 5 January 2026: 1d ends on the 6th, 3d on the 8th, 7d on Wednesday the 14th, each at midnight in New York.
  test.each([
    ['1d', '2026-01-07T04:59:59Z', '2026-01-07T05:00:00Z', '2026-01-06'],
    ['3d', '2026-01-09T04:59:59Z', '2026-01-09T05:00:00Z', '2026-01-08'],
    ['7d', '2026-01-15T04:59:59Z', '2026-01-15T05:00:00Z', '2026-01-14'],
  ])('of %s has no outcome at %s, and may have one at %s', async (horizon, early, late, end) => {
    const line = `2026-01-05,A,US,${horizon},0.01,0.02`
    const refused = await take(db.sql, [line], { now: () => new Date(early) })
    expect(refused).toMatchObject({ added: 0, refused: 1 })
    expect(refused.faults[0].reason).toBe(
      `the outcome of a ${horizon} forecast of 2026-01-05 is not known before ${end} has ended in its market; leave actual_pct empty until then`,
    )
    expect(await take(db.sql, [line], { now: () => new Date(late) })).toMatchObject({ added: 1, refused: 0 })
  })

  // decisions.md, section 6: won, lost or flat (either side exactly 0).
  test.each([
    ['0.01', '0.02', 'won'],
    ['-0.01', '-3e-9', 'won'],
    ['0.01', '-0.02', 'lost'],
    ['-5e-324', '5e-324', 'lost'],
    ['0', '0.02', 'flat'],
    ['0.01', '0.000000', 'flat'],
    ['-0.0', '-0.02', 'flat'],
  ])('forecast %p and outcome %p are %p', async (predicted, actual, status) => {
    await take(db.sql, [`2026-01-05,AAPL,US,7d,${predicted},${actual}`])
    expect((await list(db.sql, quant)).data[0].status).toBe(status as 'won')
  })

  test('may be revised while it is open', async () => {
    await take(db.sql, ['2026-01-05,AAPL,US,1d,0.01,'], { now: before })
    expect(await take(db.sql, ['2026-01-05,AAPL,US,1d,0.03,'], { now: before })).toMatchObject({ revised: 1 })
    expect(await record(db.sql)).toMatchObject([{ predicted: 0.03, actual: null, source: 'live' }])
  })

  test('cannot change in the line that brings its outcome', async () => {
    await take(db.sql, ['2026-01-05,AAPL,US,1d,0.01,'])
    const report = await take(db.sql, ['2026-01-05,AAPL,US,1d,0.5,0.5'])
    expect(report).toMatchObject({ resolved: 0, refused: 1, dataVersion: null })
    expect(report.faults[0].reason).toContain('a forecast cannot change in the line that adds its outcome')
    expect(await record(db.sql)).toMatchObject([{ predicted: 0.01, actual: null }])
  })
})

describe('what is resolved', () => {
  const resolved = '2026-01-05,AAPL,US,1d,0.01,0.02'

  test.each([
    '2026-01-05,AAPL,US,1d,0.01,0.03',
    '2026-01-05,AAPL,US,1d,0.02,0.02',
    '2026-01-05,AAPL,US,1d,0.02,',
  ])('is not changed by %p without --correct', async line => {
    await take(db.sql, [resolved])
    const before = await record(db.sql)
    const report = await take(db.sql, [line, '2026-01-06,AAPL,US,1d,0.01,0.02'])
    expect(report).toMatchObject({ added: 1, refused: 1, corrected: 0 })
    expect(report.faults[0].line).toBe(2)
    expect(report.faults[0].reason).toContain(
      '2026-01-05 AAPL US 1d is on record with forecast 0.01, outcome 0.02',
    )
    expect((await record(db.sql)).slice(0, 1)).toEqual(before)
  })

  test('is changed by --correct, and both versions stay on record', async () => {
    await take(db.sql, [resolved])
    const report = await take(db.sql, ['2026-01-05,AAPL,US,1d,0.01,-0.03'], { correct: true })
    expect(report).toMatchObject({ corrected: 1, refused: 0 })
    await take(db.sql, ['2026-01-05,AAPL,US,1d,0.02,-0.03'], { correct: true })
    expect(await record(db.sql)).toMatchObject([{ predicted: 0.02, actual: -0.03, status: 'lost' }])
    const log = await db.sql`
      select old_predicted, new_predicted, old_actual, new_actual from signal_correction order by correction_id`
    expect(log.map(row => ({ ...row }))).toEqual([
      { old_predicted: 0.01, new_predicted: 0.01, old_actual: 0.02, new_actual: -0.03 },
      { old_predicted: 0.01, new_predicted: 0.02, old_actual: -0.03, new_actual: -0.03 },
    ])
  })

  test('stays when an old file with the open forecast comes again', async () => {
    await take(db.sql, [resolved])
    expect(await take(db.sql, ['2026-01-05,AAPL,US,1d,0.01,'])).toMatchObject({ unchanged: 1, refused: 0 })
  })

  test('is live no longer when its forecast is corrected', async () => {
    await take(db.sql, ['2026-01-05,AAPL,US,1d,0.01,'], { now: () => new Date('2026-01-05T20:00:00Z') })
    await take(db.sql, [resolved])
    expect(await record(db.sql)).toMatchObject([{ source: 'live' }])
    await take(db.sql, ['2026-01-05,AAPL,US,1d,0.02,0.02'], { correct: true })
    expect(await record(db.sql)).toMatchObject([{ source: 'backfill' }])
  })
})

describe('a file', () => {
  test('changes nothing the second time, and the data version stays', async () => {
    const lines = [
      '2026-01-05,AAPL,US,1d,0.01,0.02',
      '2026-01-05,MSFT,US,3d,0.01,',
      '2026-01-05,0700.HK,HK,7d,-0.01,0.5',
    ]
    await take(db.sql, lines)
    const before = [await readDataVersion(db.sql), await db.sql`select * from signal order by ticker`]
    const again = await take(db.sql, lines)
    expect(again).toMatchObject({ unchanged: 3, added: 0, revised: 0, resolved: 0, dataVersion: null })
    expect([await readDataVersion(db.sql), await db.sql`select * from signal order by ticker`]).toEqual(
      before,
    )
  })

  test('counts equal lines once and refuses contradicting ones by their numbers', async () => {
    const report = await take(db.sql, [
      '2026-01-05,AAPL,US,1d,0.01,0.02',
      '2026-01-05,MSFT,US,1d,0.01,0.02',
      '2026-01-05,AAPL,US,1d,0.010,2e-2',
      '2026-01-05,MSFT,US,1d,0.01,',
      '2026-01-05,MSFT,US,3d,0.01,0.02',
    ])
    expect(report).toMatchObject({ lines: 5, added: 2, repeated: 1, refused: 2 })
    expect(report.faults).toEqual([
      {
        line: 3,
        reason:
          'lines 3 and 5 differ about 2026-01-05 MSFT US 1d: none of them was imported; keep only the correct one',
      },
    ])
  })

  test('finds contradictions across its batches', async () => {
    const lines = [
      '2026-01-05,AAPL,US,1d,1,2',
      '2026-01-05,B,US,1d,1,2',
      '2026-01-05,C,US,1d,1,2',
      '2026-01-05,AAPL,US,1d,1,3',
    ]
    expect(await take(db.sql, lines, { linesPerBatch: 2 })).toMatchObject({ added: 2, refused: 2 })
  })

  test.each([
    ['2024-02-30,AAPL,US,1d,0.01,0.02', 'date is "2024-02-30", but must be a valid date'],
    ['2026-03-03,AAPL,US,1d,0.01,', 'to 2026-03-02'],
    ['0000-01-01,AAPL,US,1d,0.01,', 'from 1900-01-01'],
    ['2026-01-05,aapl,US,1d,0.01,0.02', 'ticker is "aapl"'],
    ['2026-01-05,=CMD(),US,1d,0.01,0.02', 'ticker is "=CMD()"'],
    ['2026-01-05,-A,US,1d,0.01,0.02', 'ticker is "-A"'],
    ['2026-01-05,@A,US,1d,0.01,0.02', 'ticker is "@A"'],
    ['2026-01-05,+A,US,1d,0.01,0.02', 'ticker is "+A"'],
    ['2026-01-05,"A"",B",US,1d,0.01,0.02', 'ticker is "A\\",B"'],
    [`2026-01-05,${'A'.repeat(33)},US,1d,0.01,0.02`, 'ticker'],
    ['2026-01-05,AAPL,USA,1d,0.01,0.02', 'market is "USA"'],
    ['2026-01-05,AAPL,US,2d,0.01,0.02', 'horizon is "2d", but must be one of 1d, 3d, 7d'],
    ['2026-01-05,AAPL,US,1d,NaN,0.02', 'predicted_pct is "NaN"'],
    ['2026-01-05,AAPL,US,1d,1e999,0.02', 'predicted_pct is "1e999"'],
    ['2026-01-05,AAPL,US,1d,,0.02', 'predicted_pct is ""'],
    ['2026-01-05,AAPL,US,1d,0x10,0.02', 'predicted_pct is "0x10"'],
    ['2026-01-05,AAPL,US,1d,0.01,Infinity', 'actual_pct is "Infinity"'],
    ['2026-01-05,AAPL,US,1d,0.01,-1.5', 'actual_pct is "-1.5", but no return is below -1'],
    ['2026-01-05,AAPL,US,1d,0.01', 'the line has 5 cells, but the header has 6 columns'],
    ['2026-01-05,AAPL,US,1d,0.01,0.02,live', 'the line has 7 cells, but the header has 6 columns'],
    ['2026-01-05,"AAPL,US,1d,0.01,0.02', 'a quoted cell is not closed'],
    ['2026-01-05,AAPL\u0000,US,1d,0.01,0.02', 'ticker'],
  ])('refuses %p with its line, and takes the rest', async (line, reason) => {
    const report = await take(db.sql, [
      '2026-01-02,AAPL,US,1d,0.01,0.02',
      line,
      '2026-01-06,AAPL,US,1d,0.01,0.02',
    ])
    expect(report).toMatchObject({ lines: 3, added: 2, refused: 1 })
    expect(report.faults[0].line).toBe(3)
    expect(report.faults[0].reason).toContain(reason)
  })

  test('refuses a line of five thousand characters, and takes the rest', async () => {
    const long = `2026-01-05,AAPL,US,1d,0.01,0.${'0'.repeat(5_000)}1`
    const report = await take(db.sql, [long, '2026-01-06,AAPL,US,1d,0.01,0.02'])
    expect(report).toMatchObject({ added: 1, refused: 1 })
    expect(report.faults).toEqual([{ line: 2, reason: 'the line is longer than 4,096 characters' }])
  })

  test('may have a byte order mark, CRLF, quotes, blank lines and no last line end', async () => {
    const text = `\uFEFF${header}\r\n"2026-01-05","AAPL","US","1d","0.01","0.02"\r\n\r\n2026-01-06,AAPL,US,1d,0.01,0.02`
    expect(await takeBytes(db.sql, Buffer.from(text))).toMatchObject({ lines: 2, added: 2, refused: 0 })
  })

  test.each(['', 'date,ticker\n', 'a'.repeat(1_000_000)])(
    'without the header is refused whole',
    async text => {
      const fault = await takeBytes(db.sql, Buffer.from(text)).catch(error => error)
      expect(fault).toBeInstanceOf(Failure)
      expect(fault.code).toBe('body_invalid')
    },
  )

  test('that is gzip and cut short is refused whole, with its place', async () => {
    const lines = Array.from(
      { length: 50_000 },
      (_, i) => `2026-01-05,T${i},US,1d,${Math.sin(i)},${Math.cos(i)}`,
    )
    const whole = Bun.gzipSync(Buffer.from([header, ...lines].join('\n')))
    const fault = await takeBytes(db.sql, whole.subarray(0, whole.length / 2)).catch(error => error)
    expect(fault).toBeInstanceOf(Failure)
    expect(fault.message).toMatch(/gzip data is truncated or damaged after line \d+/)
    expect(await record(db.sql)).toEqual([])
    expect(await takeBytes(db.sql, whole)).toMatchObject({ added: 50_000, refused: 0 })
  })
})

test('order and splits of the file never change the result', async () => {
  const row = fc.record({
    day: fc.integer({ min: 1, max: 9 }),
    ticker: fc.constantFrom('A', 'B', 'BRK-A', '0700.HK'),
    horizon: fc.constantFrom('1d', '3d', '7d'),
    predicted: fc.double({ noNaN: true, noDefaultInfinity: true }),
    actual: fc.option(fc.double({ min: -1, noNaN: true, noDefaultInfinity: true })),
  })
  const rows = fc.uniqueArray(row, {
    selector: r => `${r.day} ${r.ticker} ${r.horizon}`,
    minLength: 1,
    maxLength: 30,
  })
  const cuts = fc.array(fc.nat(30), { maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(rows, fc.infiniteStream(fc.nat()), cuts, async (some, keys, places) => {
      const lines = some.map(
        r => `2026-01-0${r.day},${r.ticker},US,${r.horizon},${r.predicted},${r.actual ?? ''}`,
      )
      await db.sql`delete from signal`
      await take(db.sql, lines)
      const whole = await record(db.sql)
      await db.sql`delete from signal`
      const shuffled = lines.map(line => ({ line, key: keys.next().value })).sort((a, b) => a.key - b.key)
      const bounds = [0, ...places.map(at => at % (lines.length + 1)), lines.length].sort((a, b) => a - b)
      for (let i = 1; i < bounds.length; i++) {
        const part = shuffled.slice(bounds[i - 1], bounds[i]).map(entry => entry.line)
        await take(db.sql, part, { linesPerBatch: 7 })
      }
      expect(await record(db.sql)).toEqual(whole)
    }),
    { numRuns: 15 },
  )
}, 180_000)

const panel = sharedPath('panels/signals_us_2012_2017.csv.gz')

test.skipIf(panel === null)(
  'the real panel goes in whole: 314,266 rows (registers/README.md), nothing the second time',
  async () => {
    const bytes = await Bun.file(panel ?? '').bytes()
    expect(await takeBytes(db.sql, bytes)).toMatchObject({
      lines: 314_266,
      added: 314_266,
      refused: 0,
      repeated: 0,
    })
    expect(await takeBytes(db.sql, bytes)).toMatchObject({ unchanged: 314_266, added: 0, dataVersion: null })
  },
  60_000,
)
