import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { BodySpool } from '../../src/backtest/panelFile/bodySpool.ts'
import { BodyAccounts } from '../../src/http/bodies/bodyAccounts.ts'
import { IncomingBody } from '../../src/http/bodies/incomingBody.ts'
import { maxSpooledBytes, SpoolRoom } from '../../src/http/bodies/spoolRoom.ts'

const folder = mkdtempSync(join(tmpdir(), 'asfiled-spool-room-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Sweeps of half a second. */
const aMinute = 120

const gigabyte = 1_024 ** 3

test('a key has 4 GB in files, a server 16 GB, and what is released can be taken again', () => {
  const room = new SpoolRoom()
  for (const key of ['a', 'b', 'c', 'd']) room.take(key, 4 * gigabyte)
  expect(() => room.take('a', 1)).toThrow('The large uploads of this key may have 4,096 MB together')
  expect(() => room.take('e', 1)).toThrow('All large uploads to this server may have 16,384 MB together')
  room.release('a', 4 * gigabyte)
  room.take('e', 3 * gigabyte)
  room.take('a', gigabyte)
  expect(room.held).toBe(16 * gigabyte)
})

for (const [encoding, pack] of [
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
] as const) {
  test(`a body of zeros with ${encoding} takes the room that it has unpacked, however long that takes`, async () => {
    const unpacked = 20 * 1_024 * 1_024
    const packed = new Uint8Array(pack(new Uint8Array(unpacked)))
    expect(packed.length).toBeLessThan(100_000)
    const request = new Request('http://127.0.0.1/api/v1/panels', {
      method: 'POST',
      headers: { 'Content-Encoding': encoding },
      body: packed,
    })
    const body = new IncomingBody(request, { announced: null, limit: maxSpooledBytes, isOfTier: false }, true)
    const owner = { caller: 'key:1', address: '192.0.2.1', rank: 3, isUnpaid: false, maxBytes: null }
    const accounts = new BodyAccounts(maxSpooledBytes)
    const account = accounts.open(owner, null, maxSpooledBytes, () => {})
    const spool = new BodySpool(folder)
    let taken = 0
    await body.spool(account, spool, bytes => {
      taken += bytes
      // The disk is slow, which is no fault of the sender's.
      for (let sweep = 0; sweep < aMinute; sweep++) accounts.sweep()
    })
    const stored = await spool.finish()
    const onDisk = stored instanceof Uint8Array ? 0 : statSync(stored.path).size
    expect([taken, body.spooled, onDisk]).toEqual([unpacked, unpacked, unpacked])
    account.close()
    await spool.discard()
  })
}
