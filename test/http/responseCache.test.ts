import { expect, test } from 'bun:test'
import { compressions } from '../../src/http/compression.ts'
import { type BodySource, bodyKeys, ResponseCache } from '../../src/http/responseCache.ts'
import { bytesOfStored, type StoredBody, sizeOfStored } from '../../src/http/sentBody.ts'

/** Long enough for compression to be worth it. */
const bodyOf = (version: number) => `version ${version} ${'x'.repeat(3_000)}`

const making = (version: number, before: Promise<void> = Promise.resolve()): BodySource => ({
  compression: compressions.results,
  make: async () => {
    await before
    return { content: bodyOf(version) }
  },
  headers: () => new Headers({ ETag: `W/"${version}"` }),
})

test('an answer that is under way while an import arrives is not cached for the new version', async () => {
  const names = bodyKeys('cross-section')
  const decoded = async (body: StoredBody) =>
    Buffer.from(Bun.gunzipSync(await bytesOfStored(body))).toString()
  const cache = new ResponseCache()
  const gate = Promise.withResolvers<void>()
  const early = cache.get(1, names, 'gzip', making(1, gate.promise))
  // Meanwhile data version 2 arrives, and another answer is requested.
  await cache.get(2, bodyKeys('another'), 'identity', making(2))
  gate.resolve()
  // An earlier request may be answered with the data of its time ...
  expect(await decoded((await early).body)).toBe(bodyOf(1))
  // ... and a later one is not, in any encoding.
  expect(cache.find(2, names, 'gzip')).toBeNull()
  expect(cache.find(2, names, 'identity')).toBeNull()
  const late = await cache.get(2, names, 'gzip', making(2))
  expect(await decoded(late.body)).toBe(bodyOf(2))
  expect(late.headers.get('ETag')).toBe('W/"2"')
})

/** A source that counts how often it is made. */
function countedSource(size: number): BodySource & { readonly makes: () => number } {
  let makes = 0
  return {
    make: async () => {
      makes++
      await Bun.sleep(1)
      return { content: 'x'.repeat(size) }
    },
    compression: compressions.results,
    headers: () => new Headers(),
    makes: () => makes,
  }
}

test('requests for one body, in any encoding, wait for one that is being rendered', async () => {
  const cache = new ResponseCache()
  const source = countedSource(3_000)
  const encodings = ['identity', 'gzip', 'zstd', 'gzip', 'identity'] as const
  const bodies = await Promise.all(encodings.map(encoding => cache.get(1, bodyKeys('one'), encoding, source)))
  expect(bodies.map(({ encoding }) => encoding)).toEqual([...encodings])
  expect(source.makes()).toBe(1)
})

test('a body that cannot be rendered is not cached: the next request tries again', async () => {
  const cache = new ResponseCache()
  const broken: BodySource = { ...making(1), make: () => Promise.reject(new Error('the database is away')) }
  const waiting = ['identity', 'gzip'] as const
  const failed = await Promise.allSettled(
    waiting.map(encoding => cache.get(1, bodyKeys('one'), encoding, broken)),
  )
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const { body } = await cache.get(1, bodyKeys('one'), 'identity', making(1))
  expect(sizeOfStored(body)).toBe(bodyOf(1).length)
})

test('the cache holds at most 64 MB: the bodies used longest ago are rendered again', async () => {
  const cache = new ResponseCache()
  const source = countedSource(7 * 1_024 * 1_024)
  const get = (key: string) => cache.get(1, bodyKeys(key), 'identity', source)
  for (let body = 0; body < 9; body++) await get(`${body}`)
  // Nine times 7 MB fit. The first one is used again, so the tenth takes the place of the second.
  expect(cache.find(1, bodyKeys('0'), 'identity')).not.toBeNull()
  await get('9')
  const cached = Array.from(
    { length: 10 },
    (_, body) => cache.find(1, bodyKeys(`${body}`), 'identity') !== null,
  )
  expect(cached).toEqual([true, false, true, true, true, true, true, true, true, true])
})

test('a body over 8 MB is answered and not cached, so that one answer never displaces many', async () => {
  const cache = new ResponseCache()
  const size = 8 * 1_024 * 1_024
  const { body } = await cache.get(1, bodyKeys('large'), 'identity', countedSource(size))
  expect(sizeOfStored(body)).toBe(size)
  expect(cache.find(1, bodyKeys('large'), 'identity')).toBeNull()
})
