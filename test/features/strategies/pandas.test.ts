import { afterAll, beforeAll, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { buildEvents } from '../../../src/backtest/asOf/figureEvents.ts'
import { findPositions, none } from '../../../src/backtest/asOf/positions.ts'
import { buildStrategyEvents } from '../../../src/backtest/asOf/strategyEvents.ts'
import { buildVintages } from '../../../src/backtest/audit/vintages.ts'
import { dayNumber, isoDate } from '../../../src/dates.ts'
import { EventStore } from '../../../src/features/asOfJoins/eventStore.ts'
import { blockNames } from '../../../src/features/asOfJoins/figures.ts'
import { registers } from '../../../src/ingest/allRegisters.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { findPython } from '../../python.ts'
import { rounds } from '../../rounds.ts'
import { markets } from '../companies/fixtures.ts'
import { statedNames } from './statedNames.ts'

/* The reference reads the shipped figures of the registers by itself, finds what was known on a day, and computes every strategy
 * with pandas. */

const python = findPython('pandas')
let database: TestDatabase
beforeAll(async () => {
  database = await sampleDatabase()
}, 180_000)
afterAll(() => database.close(), 60_000)

interface Reference {
  readonly ticker: string
  readonly day: string
  readonly scores: Readonly<Record<string, number | null>>
}

/** Every 150 days for companies with a long record, and one day for a quarter of the others; in CI a third of that. */
async function pairs() {
  const tickers = await database.sql<{ ticker: string; id: number }[]>`
    select ticker, entity_id as id from entity where market = 'US' order by entity_id`
  const long = ['AAPL', 'GOOGL', 'SNOW']
  return tickers.flatMap(({ ticker, id }) => {
    const days = long.includes(ticker)
      ? Array.from({ length: rounds(13, 40) }, (_, i) =>
          isoDate(dayNumber('2009-09-01') + i * rounds(450, 150)),
        )
      : id % rounds(12, 4) === 0
        ? ['2010-03-31']
        : []
    return days.map(day => ({ ticker, id, day }))
  })
}

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))

test.skipIf(python === null)(
  'every strategy equals a computation with pandas on the filings of the registers, to 1e-12',
  async () => {
    const all = await pairs()
    const tags = Object.fromEntries(
      Object.entries(registers.get('US')?.concepts ?? {}).map(([metric, { tagGroups }]) => [
        metric,
        tagGroups.flat(),
      ]),
    )
    const run = Bun.spawnSync(
      [
        python ?? '',
        folder('reference.py'),
        folder('../../../sample/fundamentals.csv.gz'),
        JSON.stringify(tags),
      ],
      { stdin: Buffer.from(JSON.stringify(all)) },
    )
    if (run.exitCode !== 0) throw new Error(run.stderr.toString())
    const expected: Reference[] = run.stdout
      .toString()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(expected).toHaveLength(all.length)
    const store = new EventStore(
      {
        events: async vintages =>
          vintages.strategy === undefined
            ? buildEvents(vintages)
            : buildStrategyEvents({ ...vintages, strategy: vintages.strategy }),
        vintages: async filings => buildVintages(filings),
      },
      2 ** 30,
      markets,
    )
    const lease = store.lease()
    const version = await readDataVersion(database.sql)
    const ids = Int32Array.from(all, ({ id }) => id)
    const compared: Record<string, number> = {}
    const wrong: string[] = []
    for (const name of statedNames) {
      compared[name] = 0
      const blocks = await lease.open(database.sql, version, blockNames(ids, [name], { fp: 'FY' }))
      expect(blocks).toHaveLength(1)
      const [block] = blocks
      const rows = {
        count: all.length,
        day: Int32Array.from(all, ({ day }) => dayNumber(day)),
        name: Int32Array.from(all, (_, i) => i),
      }
      const slots = ids.map(id => id - block.firstEntity)
      const positions = new Int32Array(all.length)
      for (let i = 0; i < all.length; i++)
        findPositions(
          { count: 1, day: rows.day.subarray(i, i + 1), name: Int32Array.of(0) },
          slots.subarray(i, i + 1),
          block,
          { inclusive: true, maxAgeDays: null },
          positions.subarray(i, i + 1),
        )
      for (const [i, { ticker, day, scores }] of expected.entries()) {
        const own = positions[i] === none ? null : block.values[positions[i]]
        const theirs = scores[name]
        if (theirs !== null) compared[name]++
        const isEqual =
          own === null || theirs === null
            ? own === theirs
            : Math.abs(own - theirs) <= 1e-12 * Math.max(1, Math.abs(theirs))
        if (!isEqual) wrong.push(`${name} of ${ticker} on ${day}: ${own}, and with pandas ${theirs}`)
      }
    }
    lease.release()
    for (const [name, count] of Object.entries(compared))
      expect([name, count > rounds(6, 20)]).toEqual([name, true])
    expect(wrong).toEqual([])
  },
  180_000,
)
