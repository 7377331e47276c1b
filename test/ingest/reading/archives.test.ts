import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openZip, readEntry } from '../../../src/ingest/reading/archives.ts'
import { zipped } from '../../zipped.ts'

const folder = mkdtempSync(join(tmpdir(), 'asfiled-archives-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function contentsOf(bytes: Uint8Array): Promise<string[]> {
  const path = join(folder, 'a.zip')
  writeFileSync(path, bytes)
  const zip = await openZip(path)
  const contents: string[] = []
  for await (const entry of zip.eachEntry()) {
    contents.push(`${entry.fileName}: ${new TextDecoder().decode(await readEntry(zip, entry))}`)
  }
  zip.close()
  return contents
}

const entries = ['one', 'two'].map(name => ({ name, content: Buffer.from(name.repeat(1_000)) }))
const zip = zipped(entries)
const expected = entries.map(({ name, content }) => `${name}: ${content}`)

/** Apple's package of 2025-05-02 ends with 42 zeros. */
test('a zip that is padded with zeros is read like one without', async () => {
  expect(await contentsOf(zip)).toEqual(expected)
  for (const padding of [1, 42, 1_024]) {
    expect(await contentsOf(Buffer.concat([zip, Buffer.alloc(padding)]))).toEqual(expected)
  }
})

test('a zip with other bytes after its end is refused, and so is one without an end', async () => {
  await expect(contentsOf(Buffer.concat([zip, Buffer.from('\0\0x')]))).rejects.toThrow(
    /The zip cannot be read/,
  )
  await expect(contentsOf(zip.subarray(0, -4))).rejects.toThrow(/The zip cannot be read/)
  await expect(contentsOf(new Uint8Array())).rejects.toThrow(/The zip cannot be read/)
})
