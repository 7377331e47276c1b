import { expect, test } from 'bun:test'
import { type BodySource, bodyKeys, ResponseCache } from '../../src/http/responseCache.ts'

/** Long enough for compression to be worth it. */
const bodyOf = (version: number) => `version ${version} ${'x'.repeat(3_000)}`

const making = (version: number, before: Promise<void> = Promise.resolve()): BodySource => ({
  make: async () => {
    await before
    return { content: bodyOf(version) }
  },
  headers: () => new Headers({ ETag: `W/"${version}"` }),
})

test('an answer that is under way while an import arrives is not cached for the new version', async () => {
  const names = bodyKeys('cross-section')
  const decoded = async (blob: Blob) =>
    Buffer.from(Bun.gunzipSync(new Uint8Array(await blob.arrayBuffer()))).toString()
  const cache = new ResponseCache()
  const gate = Promise.withResolvers<void>()
  const early = cache.get(1, names, 'gzip', making(1, gate.promise))
  // Meanwhile data version 2 arrives, and another answer is requested.
  await cache.get(2, bodyKeys('another'), 'identity', making(2))
  gate.resolve()
  // An earlier request may be answered with the data of its time ...
  expect(await decoded((await early).blob)).toBe(bodyOf(1))
  // ... and a later one is not, in any encoding.
  expect(cache.find(2, names, 'gzip')).toBeNull()
  expect(cache.find(2, names, 'identity')).toBeNull()
  const late = await cache.get(2, names, 'gzip', making(2))
  expect(await decoded(late.blob)).toBe(bodyOf(2))
  expect(late.headers.get('ETag')).toBe('W/"2"')
})
