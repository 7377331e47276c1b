import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Failure } from '../../../../src/errors.ts'
import { readJapaneseReport } from '../../../../src/ingest/registers/jp/readDocument.ts'
import { nonEmpty } from '../../../nonEmpty.ts'

const fixture = (name: string) => Bun.file(join(import.meta.dir, 'fixtures', name)).bytes()
const instance = 'jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl'
const utf8 = (text: string) => new TextEncoder().encode(text)

describe('nothing is imported in part:', () => {
  test.each([
    [instance, 1_009],
    ['documents-2024-06-28.json', 211],
    ['EdinetcodeDlInfo.csv', 37],
  ])('%s, cut anywhere, is refused with what is wrong', async (name, step) => {
    const bytes = await fixture(name)
    expect(() => readJapaneseReport({ name, bytes })).not.toThrow()
    const end = bytes.findLastIndex(byte => byte > 0x20)
    for (let at = 0; at <= end; at += step) {
      let fault: unknown = null
      try {
        readJapaneseReport({ name, bytes: bytes.slice(0, at) })
      } catch (error) {
        fault = error
      }
      expect(fault).toBeInstanceOf(Failure)
      expect((fault as Failure).message).not.toBe('')
    }
  })

  test('an instance with entities, in another encoding, or of another kind', async () => {
    const text = await Bun.file(join(import.meta.dir, 'fixtures', instance)).text()
    const read = (bytes: Uint8Array) => () => readJapaneseReport({ name: instance, bytes })
    const bomb = '<!DOCTYPE x [<!ENTITY a "1"><!ENTITY b "&a;&a;&a;">]>'
    expect(read(utf8(text.replace('?>', `?>${bomb}`)))).toThrow(
      /line 1, column \d+: a DOCTYPE is not allowed/,
    )
    expect(read(new Uint8Array(Buffer.from(text, 'utf16le')))).toThrow()
    expect(read(Uint8Array.of(0x83, 0x65))).toThrow('not UTF-8')
    expect(read(utf8('<html/>'))).toThrow('not an XBRL instance')
  })

  test('malformed figures are counted, and the others are taken', async () => {
    const text = await Bun.file(join(import.meta.dir, 'fixtures', instance)).text()
    const broken = text.replaceAll('>1671865000000<', '>1.671.865,00<')
    const { parsed, malformed } = readJapaneseReport({ name: instance, bytes: utf8(broken) })
    // The statement's figure and that of the summary.
    expect(malformed).toBe(2)
    const last = parsed[0].reportedFacts.filter(({ end }) => end === Date.UTC(2024, 2, 31) / 86_400_000)
    expect(last.some(({ metric }) => metric === 'assets')).toBe(true)
    expect(nonEmpty(last).some(({ metric }) => metric === 'revenue')).toBe(false)
  })
})
