import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readUnits } from '../../../src/ingest/import/readFiles.ts'
import { newReadProgress } from '../../../src/ingest/reading/progress.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { zipped } from '../../zipped.ts'

const folder = mkdtempSync(join(tmpdir(), 'asfiled-read-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function read(name: string, content: string | Uint8Array) {
  const path = join(folder, name)
  writeFileSync(path, content)
  const progress = newReadProgress()
  const units = await Array.fromAsync(
    readUnits(usRegister, [{ path, bytes: statSync(path).size }], new Set(), progress),
  )
  return { units, skipped: progress.skipped.map(({ name, reason }) => [name.slice(folder.length), reason]) }
}

const facts = (entityName: string) => JSON.stringify({ cik: 320193, entityName, facts: {} })

test('a zip entry whose name the database cannot store is skipped and reported, and the rest of the zip is read', async () => {
  const long = 'x'.repeat(60_000)
  const { units, skipped } = await read(
    'names.zip',
    zipped([
      { name: 'CIK\u00000000000001.json', content: Buffer.from(facts('One')) },
      { name: `${long}.json`, content: Buffer.from(facts('Two')) },
      { name: 'CIK0000320193.json', content: Buffer.from(facts('Apple Inc.')) },
    ]),
  )
  expect(units.flatMap(unit => unit.parsed.map(({ profile }) => profile.name))).toEqual(['Apple Inc.'])
  const reason = "The entry's name has control characters or more than 500 characters."
  expect(skipped).toEqual([
    ['/names.zip!CIK?0000000001.json', reason],
    [`/names.zip!${long.slice(0, 100)}`, reason],
  ])
})

test('a name of ten megabytes and a ticker of nine thousand letters are refused with a message', async () => {
  expect(await read('name.json', facts('n'.repeat(10_000_000)))).toEqual({
    units: [],
    skipped: [
      [
        '/name.json',
        `The text that starts with "${'n'.repeat(40)}" has 10000000 characters; the limit for a name is 10000.`,
      ],
    ],
  })
  const tickers = JSON.stringify({ 0: { cik_str: 320193, ticker: 'T'.repeat(9_000), title: 'Apple Inc.' } })
  expect(await read('tickers.json', tickers)).toEqual({
    units: [],
    skipped: [
      ['/tickers.json', `"${'T'.repeat(40)}"... is not a ticker: it has 9000 characters; the limit is 30.`],
    ],
  })
})

test('nothing is read from a data set whose checksum does not match', async () => {
  const fixtures = new URL('../registers/us/fixtures/', import.meta.url)
  const content = async (name: string) => Buffer.from(await Bun.file(new URL(name, fixtures)).bytes())
  const whole = zipped([
    { name: 'sub.txt', content: await content('fsds-sub.txt') },
    { name: 'num.txt', content: await content('fsds-num.txt') },
  ])
  const statements = ({ units }: Awaited<ReturnType<typeof read>>) =>
    units.flatMap(unit => unit.parsed.flatMap(({ reportedFacts }) => reportedFacts))
  expect(statements(await read('2009q3.zip', whole)).length).toBeGreaterThan(0)
  // The checksum of num.txt in the zip directory, as if one digit of the file had changed.
  const at = whole.lastIndexOf('PK\x01\x02') + 16
  whole.writeUInt32LE((whole.readUInt32LE(at) ^ 1) >>> 0, at)
  const damaged = await read('2009q3-damaged.zip', whole)
  expect(statements(damaged)).toEqual([])
  expect(damaged.skipped).toEqual([
    [
      '/2009q3-damaged.zip',
      'The rest of the zip cannot be read: The unpacked data of num.txt does not match its checksum.',
    ],
  ])
})

test('an entry that is larger than its header claims is refused before it is in memory', async () => {
  const content = Buffer.from(facts('Apple Inc.'))
  const zip = zipped([{ name: 'CIK0000320193.json', content }])
  // The uncompressed sizes stay; both headers state a compressed size of 60 MB.
  const packed = Buffer.alloc(60_000_000)
  const [local, central] = [18, zip.lastIndexOf('PK\x01\x02') + 20]
  const packedNow = zip.readUInt32LE(local)
  zip.writeUInt32LE(packed.length, local)
  zip.writeUInt32LE(packed.length, central)
  const directory = zip.lastIndexOf('PK\x01\x02')
  const moved = packed.length - packedNow
  zip.writeUInt32LE(directory + moved, zip.length - 6)
  const headed = zip.subarray(0, directory - packedNow)
  const { skipped } = await read('lie.zip', Buffer.concat([headed, packed, zip.subarray(directory)]))
  expect(skipped).toEqual([
    ['/lie.zip!CIK0000320193.json', 'The document is 60 MB; the limit is 50 MB. Split it by company.'],
  ])
})

test('a negative zero of the register is stored as zero', async () => {
  const figure = { end: '2020-12-31', accn: '0000320193-21-000001', form: '10-K', filed: '2021-02-01' }
  const text = JSON.stringify({
    cik: 320193,
    facts: { 'us-gaap': { Assets: { units: { USD: [{ ...figure, val: 7 }] } } } },
  }).replace('"val":7', '"val":-0.0')
  const { units } = await read('zero.json', text)
  const [statement] = units[0].parsed[0].reportedFacts
  expect(Object.is(statement.value, 0)).toBe(true)
})

/** Reads a path that is not written by `read`. */
async function readPath(name: string, target: string) {
  const path = join(folder, name)
  symlinkSync(target, path)
  const progress = newReadProgress()
  const units = await Array.fromAsync(readUnits(usRegister, [{ path, bytes: 0 }], new Set(), progress))
  return { units, reasons: progress.skipped.map(({ reason }) => reason) }
}

test('a link to an endless device and a pipe that nothing writes to are refused and not read', async () => {
  const pipe = join(folder, 'pipe')
  expect(Bun.spawnSync(['mkfifo', pipe]).exitCode).toBe(0)
  const before = process.memoryUsage().rss
  for (const [name, target] of [
    ['endless.json', '/dev/zero'],
    ['endless.zip', '/dev/zero'],
    ['endless.json.gz', '/dev/urandom'],
    ['silent.json', pipe],
    ['silent.zip', pipe],
  ])
    expect([name, await readPath(name, target)]).toEqual([
      name,
      { units: [], reasons: [expect.stringContaining('It is a device or a pipe and not a file.')] },
    ])
  expect(process.memoryUsage().rss - before).toBeLessThan(50e6)
}, 10_000)

test('a file that grew after it was listed is limited as a listed one is', async () => {
  const path = join(folder, 'grown.json')
  writeFileSync(path, Buffer.alloc(60_000_000, ' '))
  const progress = newReadProgress()
  const units = await Array.fromAsync(readUnits(usRegister, [{ path, bytes: 10 }], new Set(), progress))
  expect(units).toEqual([])
  expect(progress.skipped.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('the limit is 50 MB'),
  ])
})
