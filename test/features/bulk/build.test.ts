import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { buildFolder, releaseFolder, releasesIn, unfinishedIn } from '../../../src/features/bulk/release.ts'
import { Bytes, writeHybrid } from '../../../src/formats/parquet/runLength.ts'
import { sampleDatabase, type TestDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { findPython, runPython } from '../../python.ts'
import { manifests, sorted, truth } from '../changes/mirror.ts'
import { insertVintages } from '../companies/fixtures.ts'
import { build, makeBulkFolder, readRelease } from './releases.ts'

setDefaultTimeout(180_000)

const { folder, remove } = makeBulkFolder()
let database: TestDatabase
beforeAll(async () => {
  database = await sampleDatabase()
})
afterAll(async () => {
  await database.close()
  remove()
})

const today = '2026-07-01'

describe('a release', () => {
  test('has every row of the database, and each as it is there', async () => {
    const { manifest, isNew } = await build(database.sql, folder)
    expect(isNew).toBe(true)
    const expected = await truth(database.sql, today)
    expect(expected.length).toBeGreaterThan(10_000)
    expect(await readRelease(folder, manifest)).toEqual(expected)
    expect(manifest.rows).toBe(expected.length)
    for (const { path, bytes, sha256, market, year } of nonEmpty(manifest.files)) {
      const content = readFileSync(join(releaseFolder(folder, manifest.data_version), path))
      expect([path, content.length]).toEqual([`${market}-${year}.parquet`, bytes])
      expect(new Bun.CryptoHasher('sha256').update(content).digest('hex')).toBe(sha256)
    }
    // The same data version again is the release that is there.
    expect((await build(database.sql, folder)).isNew).toBe(false)
  })

  test('has nothing that is filed after its day, and no end after it', async () => {
    const day = '2016-06-30'
    const { folder: own, remove: removeOwn } = makeBulkFolder()
    const { manifest } = await build(database.sql, own, { today: day })
    const rows = await readRelease(own, manifest)
    expect(rows).toEqual(await truth(database.sql, day))
    expect(
      rows.every(({ filed, until }) => String(filed) <= day && (until === null || String(until) <= day)),
    ).toBe(true)
    expect(rows.length).toBeLessThan((await truth(database.sql, today)).length)
    removeOwn()
  })

  test('leaves out markets whose terms are not read', async () => {
    const { folder: own, remove: removeOwn } = makeBulkFolder()
    const verified = manifests.filter(({ licence }) => licence.verified)
    const { manifest } = await build(database.sql, own, { manifests: verified })
    expect(new Set(manifest.files.map(({ market }) => market))).toEqual(
      new Set(verified.map(({ code }) => code)),
    )
    removeOwn()
  })

  for (const [reader, script] of Object.entries({
    duckdb: `
import duckdb, json, sys
rows = duckdb.sql(f"select * from read_parquet('{sys.argv[1]}/*.parquet')")
names = rows.columns
for row in rows.fetchall():
    print(json.dumps({n: v.isoformat() if hasattr(v, 'isoformat') else v for n, v in zip(names, row)}))`,
    pyarrow: `
import glob, json, sys
import pyarrow.parquet as pq
for path in glob.glob(sys.argv[1] + '/*.parquet'):
    for row in pq.read_table(path).to_pylist():
        print(json.dumps({n: v.isoformat() if hasattr(v, 'isoformat') else v for n, v in row.items()}))`,
  })) {
    const python = findPython(reader)
    test.skipIf(python === null)(`is read by ${reader}, row by row as it is in the database`, async () => {
      const { manifest } = await build(database.sql, folder)
      const file = join(folder, `${reader}_read.py`)
      writeFileSync(file, script)
      const out = runPython(python ?? '', folder, [file, releaseFolder(folder, manifest.data_version)])
      const rows = out
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(sorted(rows)).toEqual(await truth(database.sql, today))
    })
  }
})

describe('an interrupted build', () => {
  test('is continued: whole markets stay, a damaged file is made again', async () => {
    const { folder: own, remove: removeOwn } = makeBulkFolder()
    const stop = new AbortController()
    const interrupted = build(database.sql, own, {
      signal: stop.signal,
      manifests: manifests.map(manifest => {
        // Of the last one the first rows are read then.
        if (manifest.code !== 'US') return manifest
        return {
          ...manifest,
          get attribution(): string {
            stop.abort()
            return manifest.attribution
          },
        }
      }),
    })
    expect(await interrupted.catch(() => 'stopped')).toBe('stopped')
    expect(releasesIn(own)).toEqual([])
    const [version] = unfinishedIn(own)
    const place = buildFolder(own, version)
    const whole = readdirSync(place).filter(name => /^(FR|JP|TW)-/.test(name))
    expect(whole.length).toBeGreaterThan(1)
    truncateSync(join(place, whole[0]), 100)
    const lines: string[] = []
    const { manifest } = await build(database.sql, own, { report: line => lines.push(line) })
    expect(lines.join()).toContain('Continuing the interrupted build')
    expect(await readRelease(own, manifest)).toEqual(await truth(database.sql, today))
    expect(unfinishedIn(own)).toEqual([])
    expect(
      nonEmpty(readdirSync(releaseFolder(own, version))).filter(
        name => !/\.parquet$|^manifest.json$|^reported$/.test(name),
      ),
    ).toEqual([])
    removeOwn()
  })

  test('of another data version is given up, with a line that says so; N releases stay', async () => {
    const { folder: own, remove: removeOwn } = makeBulkFolder()
    const lines: string[] = []
    const { sql } = database
    const versions: number[] = []
    const [{ id }] = await sql<{ id: number }[]>`select entity_id as id from entity where ticker = 'AAPL'`
    for (let round = 0; round < 3; round++) {
      await sql.begin(async transaction => {
        await transaction`select next_data_version()`
        await transaction`update data_version set version = version + 1`
      })
      await insertVintages(sql, id, [])
      versions.unshift(
        (await build(sql, own, { keep: 2, report: line => lines.push(line) })).manifest.data_version,
      )
    }
    expect(releasesIn(own)).toEqual(versions.slice(0, 2))
    expect(existsSync(releaseFolder(own, versions[2]))).toBe(false)
    removeOwn()
  })
})

test('packed and repeated values are read as they were written', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 18 }),
      fc.array(fc.record({ value: fc.nat({ max: 262_143 }), times: fc.integer({ min: 1, max: 20 }) }), {
        maxLength: 40,
      }),
      (bits, runs) => {
        const values = runs.flatMap(({ value, times }) =>
          Array.from({ length: times }, () => value & ((1 << bits) - 1)),
        )
        const out = new Bytes()
        writeHybrid(out, Int32Array.from(values), values.length, bits)
        expect(readHybrid(out.written(), values.length, bits)).toEqual(values)
      },
    ),
  )
})

/** As the standard describes it (parquet-format, Encodings.md, RLE = 3). */
function readHybrid(bytes: Uint8Array, count: number, bits: number): number[] {
  const values: number[] = []
  let at = 0
  while (values.length < count) {
    let head = 0
    for (let shift = 0; ; shift += 7) {
      head |= (bytes[at] & 127) << shift
      if (bytes[at++] < 128) break
    }
    if (head & 1) {
      const packed = bytes.subarray(at, at + (head >> 1) * bits)
      for (let index = 0; index < (head >> 1) * 8; index++) {
        let value = 0
        for (let bit = 0; bit < bits; bit++) {
          const place = index * bits + bit
          value |= ((packed[place >> 3] >> (place & 7)) & 1) << bit
        }
        values.push(value)
      }
      at += packed.length
    } else {
      let value = 0
      for (let byte = 0; byte < Math.ceil(bits / 8); byte++) value |= bytes[at++] << (byte * 8)
      for (let time = 0; time < head >> 1; time++) values.push(value)
    }
  }
  return values.slice(0, count)
}
