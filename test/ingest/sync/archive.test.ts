import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openArchive } from '../../../src/ingest/sync/archive.ts'
import { filesBelow } from './filesBelow.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'asfiled-archive-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the archive', () => {
  test('refuses names that lead out of it', async () => {
    const archive = openArchive(folder)
    for (const name of ['../x.json', '/etc/x', 'a/../../x', '.hidden', 'a\u0000b', 'a/'])
      await expect(archive.save('US', '2026-11-21', name, new Uint8Array(1))).rejects.toThrow(
        'is not a valid file name',
      )
  })

  test('stores both of two different responses of one day', async () => {
    const archive = openArchive(folder)
    const bytes = (text: string) => new TextEncoder().encode(text)
    expect(await archive.save('US', '2026-11-21', 'a.json', bytes('1'))).toBe('us/2026-11-21/a.json')
    expect(await archive.save('US', '2026-11-21', 'a.json', bytes('2'))).toBe('us/2026-11-21/a-2.json')
    expect(await archive.save('US', '2026-11-21', 'a.json', bytes('1'))).toBe('us/2026-11-21/a.json')
    writeFileSync(join(folder, 'us/2026-11-21/b.json.part'), 'half')
    await archive.save('US', '2026-11-21', 'b.json', bytes('whole'))
    expect(filesBelow(folder)).toEqual([
      'us/2026-11-21/a-2.json',
      'us/2026-11-21/a.json',
      'us/2026-11-21/b.json',
    ])
  })
})
