import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readUnits } from '../../../src/ingest/import/readFiles.ts'
import { parseJson, parseJsonLines } from '../../../src/ingest/reading/json.ts'
import { newReadProgress } from '../../../src/ingest/reading/progress.ts'
import { readCsv } from '../../../src/ingest/reading/text.ts'
import { readXml } from '../../../src/ingest/reading/xml.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { zipped } from '../../zipped.ts'

const folder = mkdtempSync(join(tmpdir(), 'asfiled-bombs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const facts = (entityName: string) => JSON.stringify({ cik: 320193, entityName, facts: {} })

test('an import names what would unpack to more than a document, and goes on with the rest', async () => {
  const zeros = new Uint8Array(200_000_000)
  const good = Buffer.from(facts('Apple Inc.'))
  const files = {
    'CIK0000000001.json.gz': gzipSync(zeros),
    'a.zip': zipped([
      { name: 'CIK0000000002.json', content: zeros },
      { name: 'CIK0000000003.json.gz', content: gzipSync(zeros) },
      { name: 'CIK0000320193.json', content: good },
    ]),
    // Its header states 100 bytes.
    'b.zip': understated(zipped([{ name: 'CIK0000000004.json', content: zeros }]), zeros.length, 100),
    'CIK0000320193.json': Buffer.from(facts('Apple Inc. again')),
  }
  const paths = Object.entries(files).map(([name, content]) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return { path, bytes: statSync(path).size }
  })
  const progress = newReadProgress()
  const units = await Array.fromAsync(readUnits(usRegister, paths, new Set(), progress))
  expect(units.flatMap(unit => unit.parsed.map(({ profile }) => profile.name))).toEqual([
    'Apple Inc.',
    'Apple Inc. again',
  ])
  const skipped = progress.skipped.map(({ name, reason }) => [name.slice(folder.length + 1), reason])
  expect(skipped).toEqual([
    ['CIK0000000001.json.gz', 'The document is larger than 50 MB when unpacked. Split it.'],
    ['a.zip!CIK0000000002.json', 'The document is 200 MB; the limit is 50 MB. Split it by company.'],
    ['a.zip!CIK0000000003.json.gz', 'The document is larger than 50 MB when unpacked. Split it.'],
    ['b.zip!CIK0000000004.json', expect.stringMatching(/^The packed data is damaged/)],
  ])
}, 30_000)

/** The zip with another unpacked size in both of its headers. */
function understated(zip: Buffer, size: number, stated: number): Buffer {
  const from = Buffer.from(Uint32Array.of(size).buffer)
  for (let at = zip.indexOf(from); at !== -1; at = zip.indexOf(from, at + 4)) zip.writeUInt32LE(stated, at)
  return zip
}

test('JSON that would become far more in memory than its bytes is refused before it is parsed', () => {
  const wide = Buffer.from(`[${'0,'.repeat(4_000_000)}0]`)
  expect(() => parseJson(wide)).toThrow(
    'The document has 4000000 commas in 8000003 bytes; the limit is 1600000.',
  )
  const lines = Buffer.from(`${'['.repeat(20_000)}${']'.repeat(20_000)}\n`.repeat(50))
  expect(() => parseJsonLines(lines)).toThrow('The document has 1000000 opening brackets')
  expect(() => parseJson(Buffer.from('['.repeat(90_000)))).toThrow('JSON')
})

test('a table with far more columns or lines than any register has is refused before it is parsed', () => {
  expect(() => readCsv(`a${','.repeat(20_000)}\n`, ',')).toThrow(
    'The table has 20001 columns; the limit is 10000.',
  )
  expect(() => readCsv('a\n'.repeat(200_000), ',')).toThrow(
    'The table has 200000 lines in 400000 characters; the limit is 100000.',
  )
  expect(readCsv('a,b\n1,2\n', ',')).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ])
})

test('XML with a million open elements or attributes is refused at the first ones too many', () => {
  let opened = 0
  const open = () => {
    opened++
    return null
  }
  const handler = { open, close: () => null, text: () => {} }
  expect(() => readXml('<a>'.repeat(1_000_000), handler)).toThrow(
    'elements are nested deeper than 512 levels',
  )
  expect(opened).toBe(512)
  const attributes = Array.from({ length: 100_000 }, (_, i) => `a${i}=""`).join(' ')
  expect(() => readXml(`<a ${attributes}/>`, handler)).toThrow('an element has more than 65536 attributes')
  const fewer = Array.from({ length: 2_000 }, (_, i) => `a${i}=""`).join(' ')
  const nested = `${'<a>'.repeat(500)}<b ${fewer}/><b ${fewer}/>${'</a>'.repeat(500)}`
  expect(() => readXml(nested, handler)).not.toThrow()
  expect(() =>
    readXml('<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;&x;">]><a>&y;</a>', handler),
  ).toThrow('a DOCTYPE is not allowed')
})
