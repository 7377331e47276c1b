import { expect, test } from 'bun:test'
import { datasetBytes } from '../../../src/backtest/dataset/dataset.ts'
import { PanelCache } from '../../../src/features/panels/cache.ts'
import { datasetOf } from '../../backtest/rows.ts'

const data = datasetOf([{ day: 0, asset: 'A', market: 'M', score: 1, forwardReturn: 0 }])
const one = datasetBytes(data)

test('caches the panels used last, up to its bytes', async () => {
  const cache = new PanelCache(2 * one)
  let loads = 0
  const get = (id: string) =>
    cache.get(id, async () => {
      loads++
      return data
    })
  await get('a')
  await get('b')
  await get('a')
  expect(loads).toBe(2)
  await get('c')
  expect(cache.bytes).toBe(2 * one)
  await get('a')
  expect(loads).toBe(3)
  await get('b')
  expect(loads).toBe(4)
})

test('a panel requested while it is loaded is loaded once', async () => {
  const cache = new PanelCache(10 * one)
  let loads = 0
  const load = async () => {
    loads++
    await Bun.sleep(5)
    return data
  }
  const got = await Promise.all([cache.get('a', load), cache.get('a', load), cache.get('a', load)])
  expect([loads, new Set(got).size, cache.bytes]).toEqual([1, 1, one])
})

test('a load that fails is not cached, and counts no bytes', async () => {
  const cache = new PanelCache(10 * one)
  const failed = cache.get('a', () => Promise.reject(new Error('away')))
  await expect(failed).rejects.toThrow('away')
  expect(await cache.get('a', async () => data)).toBe(data)
  expect(cache.bytes).toBe(one)
})

test('a panel larger than the whole cache is served and not cached', async () => {
  const cache = new PanelCache(one - 1)
  expect(await cache.get('a', async () => data)).toBe(data)
  await Bun.sleep(0)
  expect(cache.bytes).toBe(0)
})

test('a panel forgotten while it is loaded is served and not cached', async () => {
  const cache = new PanelCache(10 * one)
  const loading = cache.get('a', async () => {
    await Bun.sleep(5)
    return data
  })
  cache.forget('a')
  expect(await loading).toBe(data)
  expect(cache.bytes).toBe(0)
})

test('drops what was not used for some intervals, the least recently used first, down to what it keeps at rest', async () => {
  const cache = new PanelCache(10 * one)
  let loads = 0
  const get = (id: string) =>
    cache.get(id, async () => {
      loads++
      return data
    })
  for (const id of ['a', 'b', 'c', 'd']) await get(id)
  expect(cache.dropUnused(2, one)).toBe(0)
  await get('a')
  expect(cache.dropUnused(2, one)).toBe(0)
  // b, c and d were not used during the last two intervals, and a was.
  expect([cache.dropUnused(2, one), cache.bytes]).toEqual([3 * one, one])
  await get('a')
  expect(loads).toBe(4)
  for (let interval = 0; interval < 5; interval++) expect(cache.dropUnused(2, one)).toBe(0)
  await get('a')
  expect(loads).toBe(4)
  await get('b')
  expect([loads, cache.bytes]).toEqual([5, 2 * one])
})

test('a panel that is being loaded is not dropped', async () => {
  const cache = new PanelCache(10 * one)
  const loaded = Promise.withResolvers<typeof data>()
  const loading = cache.get('a', () => loaded.promise)
  for (let interval = 0; interval < 5; interval++) cache.dropUnused(2, 0)
  loaded.resolve(data)
  expect(await loading).toBe(data)
  expect(cache.bytes).toBe(one)
})
