import { afterAll, expect, test } from 'bun:test'
import { operator } from '../../../src/backtest/pool/caller.ts'
import { benchPool, openBench, signals } from './backtestBench.ts'

const pool = benchPool()
afterAll(() => pool.close(), 60_000)

test('loads a horizon once for everyone, and again only when the data version has moved', async () => {
  let version = 1
  const loads: string[] = []
  const bench = openBench({
    pool,
    dataVersion: () => version,
    loadArchive: async function* (horizon) {
      loads.push(`${horizon} at ${version}`)
      await Bun.sleep(20)
      yield signals(30)
    },
  })
  const bodies = [
    {},
    {},
    { source: { market: 'US' } },
    { source: { market: 'US' } },
    { source: { market: 'TW' } },
  ]
  const first = await Promise.all(bodies.map(bench.run))
  expect(loads).toEqual(['1d at 1'])
  expect(first.map(result => result.data_version)).toEqual([1, 1, 1, 1, 1])
  expect(first[3]).toEqual(first[2])
  await bench.run({ source: { horizon: '3d' } })
  expect(loads).toEqual(['1d at 1', '3d at 1'])
  version = 2
  expect((await bench.run({})).data_version).toBe(2)
  await bench.run({ source: { market: 'US' } })
  expect(loads).toEqual(['1d at 1', '3d at 1', '1d at 2'])
})

test('a load that fails is not remembered', async () => {
  let broken = true
  const bench = openBench({
    pool,
    loadArchive: async function* () {
      if (broken) throw new Error('the database is away')
      yield signals(10)
    },
  })
  const { run } = bench
  await expect(run({})).rejects.toThrow('the database is away')
  await Bun.sleep(0)
  broken = false
  expect((await run({})).n_dates).toBe(10)
})

test('rows that an admitted request needs are loaded, however full the queue is by then', async () => {
  const bench = openBench({ pool })
  const { archive } = bench.deps
  const admitted = Array.from({ length: 52 }, () => pool.admit(operator))
  expect(() => pool.admit(operator)).toThrow('are busy')
  expect((await archive.get('1d', 'US')).market).toBe('US')
  for (const ticket of admitted) pool.leave(ticket)
})

test('a ticker that two markets share is two names', async () => {
  const row = { day: 19_000, predicted: 0.01, actual: 0.01 }
  const bench = openBench({
    pool,
    loadArchive: async function* () {
      yield [
        { ...row, ticker: 'A', market: 'US' },
        { ...row, ticker: 'A', market: 'TW', predicted: 0.02 },
        { ...row, ticker: 'B', market: 'US', predicted: 0.03 },
      ]
    },
  })
  const result = await bench.run({ config: { quantile: 0.34 }, include: ['positions'] })
  expect(result.positions).toEqual([
    { asset: 'B', market: 'US', weight: 0.5 },
    { asset: 'A:US', market: 'US', weight: -0.5 },
  ])
})

test('an empty archive is an impossible backtest, and the message says what to do', async () => {
  const bench = openBench({ pool, loadArchive: async function* () {}, listHorizons: async () => [] })
  await expect(bench.run({})).rejects.toMatchObject({
    code: 'backtest_impossible',
    details: { param: 'source' },
    message:
      'The archive has no resolved forecasts yet. Send your own rows as panel, or import forecasts with `./asfiled signals import`.',
  })
})

test('a horizon that the archive lacks is blamed itself, not the market next to it', async () => {
  const bench = openBench({
    pool,
    loadArchive: async function* (horizon) {
      if (horizon !== '7d') yield signals(30)
    },
    listHorizons: async () => ['1d', '3d'],
  })
  for (const source of [
    { horizon: '7d' },
    { horizon: '7d', market: 'US' },
    { horizon: '7d', market: 'XX' },
  ]) {
    await expect(bench.run({ source })).rejects.toMatchObject({
      code: 'backtest_impossible',
      details: { param: 'source.horizon' },
      message: 'The archive has no rows with a horizon of 7d. Send source.horizon as 1d or 3d.',
    })
  }
  await expect(bench.run({ source: { horizon: '3d', market: 'XX' } })).rejects.toMatchObject({
    details: { param: 'source.market' },
  })
})

test('a market is found in either case', async () => {
  const bench = openBench({ pool })
  const upper = await bench.run({ source: { market: 'US' } })
  for (const market of ['us', 'Us']) expect(await bench.run({ source: { market } })).toEqual(upper)
})

test('recent archives are those requested last, as far as they are loaded and of the current version', async () => {
  let version = 1
  const bench = openBench({ pool, dataVersion: () => version })
  const { archive } = bench.deps
  expect(await archive.recent()).toEqual([])
  const named = async () =>
    (await archive.recent()).map(({ horizon, market, dataVersion }) => `${horizon} ${market} ${dataVersion}`)
  await archive.get('1d', null)
  await archive.get('1d', 'US')
  await archive.get('3d', null)
  await archive.get('1d', null)
  expect(await named()).toEqual(['1d null 1', '3d null 1', '1d US 1'])
  await archive.get('7d', null)
  await archive.get('3d', 'TW')
  expect(await named()).toEqual(['3d TW 1', '7d null 1', '1d null 1', '3d null 1'])
  const late = archive.get('7d', 'US')
  version = 2
  await late
  expect(await named()).toEqual([])
  expect((await bench.run({})).data_version).toBe(2)
  expect(await named()).toEqual(['1d null 2'])
})
