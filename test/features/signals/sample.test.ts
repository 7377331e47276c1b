import { afterAll, beforeAll, expect, test } from 'bun:test'
import { isoDate } from '../../../src/dates.ts'
import { loadSignalsSample, makeSignalsSample } from '../../../src/features/signals/import/sample.ts'
import { streamResolvedSignals } from '../../../src/features/signals/queries.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sharedPath } from '../../shared.ts'
import { list, quant } from './fixtures.ts'
import { type ResolvedSignal, readDays } from './signalDays.ts'

const sample = new URL('../../../sample/signals.csv.gz', import.meta.url)
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
}, 180_000)
afterAll(() => db.close(), 60_000)

test('the sample loads whole into an empty database, as backfill', async () => {
  const report = await loadSignalsSample(db.sql)
  // 104,998 rows of 1d and 104,452 of 7d: counted in the panel itself with cut and uniq.
  expect(report).toMatchObject({ lines: 209_450, added: 209_450, refused: 0, repeated: 0 })
  const sources = await db.sql`select source, count(*)::int from signal group by source`
  expect(sources.map(row => ({ ...row }))).toEqual([{ source: 'backfill', count: 209_450 }])
}, 30_000)

test('the archive comes by day, then ticker, and holds every resolved row of its horizon', async () => {
  const all: ResolvedSignal[] = []
  for await (const some of streamResolvedSignals(db.sql, '1d')) all.push(...readDays(some))
  expect(all.length).toBe(104_998)
  // The first line of the panel: 2012-11-01,AAPL,US,1d,0.000729,-0.033091.
  expect(all[0]).toEqual({
    day: 15_645,
    ticker: 'AAPL',
    market: 'US',
    predicted: 0.000729,
    actual: -0.033091,
  })
  expect(isoDate(all[0].day)).toBe('2012-11-01')
  for (let i = 1; i < all.length; i++) {
    const isAfter =
      all[i - 1].day < all[i].day || (all[i - 1].day === all[i].day && all[i - 1].ticker < all[i].ticker)
    if (!isAfter) throw new Error(`row ${i} is out of order`)
  }
  expect(await Array.fromAsync(streamResolvedSignals(db.sql, '3d'))).toEqual([])
})

test('an archive that is left early gives its connection back', async () => {
  for (let round = 0; round < 8; round++) {
    for await (const some of streamResolvedSignals(db.sql, '7d')) {
      expect(some.length).toBeGreaterThan(0)
      break
    }
  }
  expect((await list(db.sql, quant, { limit: 1 })).count).toBe(1)
})

const panel = sharedPath('panels/signals_us_2012_2017.csv.gz')

test.skipIf(panel === null)('the shipped sample is what the command makes of the real panel', async () => {
  const file = { name: 'panel', bytes: Bun.file(panel ?? '').stream() }
  const made = await makeSignalsSample(file, new Date('2026-03-01T12:00:00Z'))
  const text = (bytes: Uint8Array) => Buffer.from(Bun.gunzipSync(new Uint8Array(bytes))).toString()
  expect(text(made.bytes) === text(await Bun.file(sample).bytes())).toBe(true)
  expect(Bun.file(sample).size).toBeLessThan(2_000_000)
})
