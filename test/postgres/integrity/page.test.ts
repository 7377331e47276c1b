import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect, type Sql } from '../../../src/postgres/client.ts'
import { isDamage } from '../../../src/postgres/errors.ts'
import { readDamageError } from '../../../src/postgres/integrity/damageErrors.ts'
import { Pace } from '../../../src/postgres/integrity/pace.ts'
import { isIntactPage, pageChecksum } from '../../../src/postgres/integrity/page.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

setDefaultTimeout(180_000)

let db: TestDatabase
let admin: Sql
beforeAll(async () => {
  db = await testDatabase()
  admin = connect({ url: db.adminUrl, connections: 1, statementTimeoutMs: 60_000 })
  await admin`create extension pageinspect`
  await admin`create table t as select n, md5(n::text) as text from generate_series(1, 20000) n`
  await admin`checkpoint`
})
afterAll(async () => {
  await admin.end()
  await db.close()
})

const wordsOf = (bytes: Uint8Array) => new Int32Array(new Uint8Array(bytes).buffer)

describe('the checksum of a page', () => {
  test('is the one that PostgreSQL computes and stores, for any block', async () => {
    const rows = await admin<{ block: number; page: Uint8Array; computed: number; stored: number }[]>`
      select n as block, page, page_checksum(page, n) & 65535 as computed, (page_header(page)).checksum & 65535 as stored
      from (select n, pg_read_binary_file(pg_relation_filepath('t'), n * 8192, 8192) as page
            from generate_series(0, (pg_relation_size('t') / 8192 - 1)::int) n) p
      -- The table was extended by more pages than its rows take.
      where page_checksum(page, n) is not null`
    expect(rows.count).toBeGreaterThan(100)
    for (const { block, page, computed, stored } of rows) {
      expect(pageChecksum(wordsOf(page), block)).toBe(computed)
      expect(computed).toBe(stored)
      expect(isIntactPage(wordsOf(page), block, true)).toBe(true)
      // The page of another block.
      expect(isIntactPage(wordsOf(page), block + 1, true)).toBe(false)
    }
    // Any bit of a page counts.
    const page = new Uint8Array(rows[7].page)
    for (let n = 0; n < 200; n++) {
      const bit = (n * 327_499) % (8_192 * 8)
      page[bit >> 3] ^= 1 << (bit & 7)
      expect([bit, isIntactPage(wordsOf(page), 7, true)]).toEqual([bit, false])
      page[bit >> 3] ^= 1 << (bit & 7)
    }
  })

  test('is not needed by a page that was never written, and only the header counts without checksums', () => {
    const page = new Int32Array(2_048)
    expect(isIntactPage(page, 3, true)).toBe(true)
    page[2_000] = 1
    expect(isIntactPage(page, 3, true)).toBe(false)
    const plausible = new Int32Array(2_048)
    const header = new Uint16Array(plausible.buffer)
    header.set([24, 8_192, 8_192], 6)
    expect(isIntactPage(plausible, 0, false)).toBe(true)
    expect(isIntactPage(plausible, 0, true)).toBe(false)
    header[6] = 8_193
    expect(isIntactPage(plausible, 0, false)).toBe(false)
  })
})

describe('an error that says that the database is damaged', () => {
  const error = (code: string, message: string) => Object.assign(new Error(message), { code })
  test('is known by its code, and names file and block in any language', () => {
    const cases = [
      ['XX001', 'invalid page in block 15 of relation "base/16385/16395"', 16395, 'main', 15, 15],
      ['XX001', '5 invalid pages among blocks 7..14 of relation "base/16385/16390_vm"', 16390, 'vm', 7, 14],
      [
        'XX001',
        'ungültige Seite in Block 3 von Relation »pg_tblspc/16400/PG_18_202506291/5/77.2«',
        77,
        'main',
        3,
        3,
      ],
      ['58030', 'could not read blocks 4..4 in file "base/5/1259": Input/output error', 1259, 'main', 4, 4],
      ['58P01', 'could not open file "base/5/2619": No such file or directory', 2619, 'main', null, null],
    ] as const
    for (const [code, message, filenode, fork, firstBlock, lastBlock] of cases) {
      expect([message, isDamage(error(code, message))]).toEqual([message, true])
      expect(readDamageError(error(code, message))).toMatchObject({
        filenode,
        fork,
        firstBlock,
        lastBlock,
        isShared: false,
      })
    }
    expect(
      readDamageError(error('XX001', 'invalid page in block 0 of relation "global/1260"')).isShared,
    ).toBe(true)
    const index = readDamageError(
      error('XX002', 'index "fact_market" contains unexpected zero page at block 9'),
    )
    expect(index).toMatchObject({ path: null, relationName: 'fact_market', firstBlock: 9 })
    const toast = readDamageError(
      error('XX001', 'missing chunk number 0 for toast value 17 in pg_toast_2619'),
    )
    expect(toast).toMatchObject({ path: null, relationName: 'pg_toast_2619' })
  })

  test('is none of those that are something else', () => {
    for (const [code, message] of [
      ['58P01', 'could not access file "$libdir/amcheck": No such file or directory'],
      ['53100', 'could not extend file "base/5/1": No space left on device'],
      ['XX000', 'cache lookup failed for relation 5'],
      ['57014', 'canceling statement due to statement timeout'],
    ])
      expect([message, isDamage(error(code, message))]).toEqual([message, false])
  })
})

describe('the pace of reading', () => {
  test('is kept over time, and time that was lost is not made up for in a burst', () => {
    let now = 10_000
    const pace = new Pace(1_000_000, () => now)
    let waited = 0
    for (let n = 0; n < 100; n++) {
      const delay = pace.delayMs(256_000)
      waited += delay
      now += delay
    }
    // 25.6 MB at 1 MB/s, of which the first second is free.
    expect(waited).toBeCloseTo(24_600, 0)
    now += 3_600_000
    let burst = 0
    while (pace.delayMs(256_000) === 0) burst++
    expect(burst).toBeLessThanOrEqual(4)
    expect(new Pace(null, () => now).delayMs(1e12)).toBe(0)
  })
})
