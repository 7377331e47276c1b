import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import type { EntityProfile } from '../../../src/facts/reportedFact.ts'
import { searchEntities } from '../../../src/features/search/search.ts'
import { importFacts } from '../../../src/ingest/import/importFacts.ts'
import { openZip, readEntry } from '../../../src/ingest/reading/archives.ts'
import { decodeText } from '../../../src/ingest/reading/text.ts'
import { parseCodeList } from '../../../src/ingest/registers/jp/codeList.ts'
import { LeftOut } from '../../../src/ingest/registers/registerInterface.ts'
import { usRegister } from '../../../src/ingest/registers/us/register.ts'
import { readDataVersion } from '../../../src/postgres/dataVersion.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sharedPath } from '../../shared.ts'

setDefaultTimeout(120_000)

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

const options = { source: 'test', rules: usRegister.rules }

function register(profiles: readonly EntityProfile[]) {
  const parsed = profiles.map(profile => ({ profile, reportedFacts: [], filings: [] }))
  return importFacts(db.sql, [{ parsed }], options)
}

const hits = (q: string) => searchEntities(db.sql, q)
const tickers = async (q: string) => (await hits(q)).map(hit => hit.ticker)

// Names as EdinetcodeDlInfo (2026-05-12) and corpCode.xml state them.
const toyota: EntityProfile = {
  market: 'JP',
  issuerId: 'E02144',
  name: 'トヨタ自動車株式会社',
  otherNames: ['TOYOTA MOTOR CORPORATION', 'トヨタジドウシャカブシキカイシャ'],
  tickers: ['E02144.JP'],
  registers: true,
}
const samsung: EntityProfile = {
  market: 'KR',
  issuerId: '00126380',
  name: '삼성전자',
  otherNames: ['SAMSUNG ELECTRONICS CO,.LTD'],
  tickers: ['005930.KS'],
  registers: true,
}
/** Made up: word by word, as French names are. */
const bakery: EntityProfile = {
  market: 'FR',
  issuerId: '999999998',
  name: 'SARL DUPONT ET FILS',
  otherNames: ['La Mie Dorée', 'Toyota Dépannage'],
  registers: true,
}

describe('other names', () => {
  test('find a company, which is shown by its own name and once', async () => {
    await register([toyota, samsung, bakery])
    const shown = { ticker: 'E02144.JP', name: 'トヨタ自動車株式会社', market: 'JP' }
    for (const q of [
      'toyota motor',
      'TOYOTA MOTOR CORPORATION',
      'motor corp',
      'トヨタ',
      'ジドウシャ',
      '自動車',
    ])
      expect(await hits(q)).toEqual([shown])
    expect(await hits('samsung electronics')).toEqual([
      { ticker: '005930.KS', name: '삼성전자', market: 'KR' },
    ])
    expect(await tickers('삼성')).toEqual(['005930.KS'])
  })

  test('are matched as the names of their market are, and the shortest that matches decides', async () => {
    expect(await tickers('doree')).toEqual(['999999998.FR'])
    expect(await tickers('oree')).toEqual([])
    expect(await tickers('toyota')).toEqual(['999999998.FR', 'E02144.JP'])
    expect(await tickers('depann toyot')).toEqual(['999999998.FR'])
  })

  test('change nothing when they come again, and a new one is a new data version', async () => {
    const version = await readDataVersion(db.sql)
    await register([toyota, samsung, bakery])
    expect(await readDataVersion(db.sql)).toBe(version)
    await register([{ ...toyota, otherNames: ['TOYOTA', ' TOYOTA ', toyota.name ?? ''] }])
    expect(await readDataVersion(db.sql)).toBe(version + 1)
    expect(await tickers('toyota')).toEqual(['E02144.JP', '999999998.FR'])
    expect(await tickers('toyota motor')).toEqual(['E02144.JP'])
  })

  test('are sixteen at most, and of a sane length', async () => {
    const otherNames = ['', '   ', 'q'.repeat(301), ...Array.from({ length: 40 }, (_, i) => `Xylo${i} Works`)]
    const many = { ...toyota, issuerId: 'E99999', name: '無名', tickers: ['E99999.JP'], otherNames }
    await register([many])
    await register([many])
    expect(await tickers('xylo15')).toEqual(['E99999.JP'])
    expect(await tickers('xylo16')).toEqual([])
    expect(await tickers('qqqqqqqqqqq')).toEqual([])
  })
})

describe('of a name that begins like a thousand others', () => {
  // Made up: 1,200 Japanese companies whose spoken names begin with the same word, as most do, and one that is it.
  beforeAll(async () => {
    const crowd = Array.from({ length: 1_200 }, (_, i) => ({
      market: 'JP',
      issuerId: `E7${String(i).padStart(4, '0')}`,
      name: `組合${i}`,
      otherNames: [`ユウゲンクミアイ${String(i).padStart(4, '0')}`],
      tickers: [`E7${String(i).padStart(4, '0')}.JP`],
      registers: true,
    }))
    const shortest = { market: 'JP', issuerId: 'E79999', name: '組', tickers: ['E79999.JP'], registers: true }
    await register([...crowd, { ...shortest, otherNames: ['ユウゲンクミアイ'] }])
  })

  test.each(['ユウ', 'ユウゲン', 'ウゲン', 'クミ'])('%p finds the shortest first', async q => {
    const found = await tickers(q)
    expect([found[0], found.length, new Set(found).size]).toEqual(['E79999.JP', 8, 8])
  })
})

const japanese = sharedPath('registers/jp/EdinetcodeDlInfo_20260512.csv.gz')
const korean = sharedPath('registers/kr/corpCode.zip')

/** The one text in a zip. */
async function unzip(path: string): Promise<string> {
  const zip = await openZip(path)
  for await (const entry of zip.eachEntry()) return new TextDecoder().decode(await readEntry(zip, entry))
  throw new Error(`${path} is empty.`)
}

/** Every company of the list with its name, its English name and its phonetic reading. */
const readJapanese = (bytes: Uint8Array): EntityProfile[] =>
  parseCodeList(decodeText(bytes, 'shift_jis'), new LeftOut())

const withoutEntities = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => {
    const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
    return characters[name]
  })

function readKorean(xml: string): EntityProfile[] {
  const pattern =
    /<corp_code>(\d{8})<\/corp_code>\s*<corp_name>([^<]*)<\/corp_name>\s*<corp_eng_name>([^<]*)<\/corp_eng_name>\s*<stock_code>([0-9A-Z]{6})</g
  return [...xml.matchAll(pattern)].map(([, code, name, english, stock]) => ({
    market: 'KR',
    issuerId: code,
    name: withoutEntities(name).trim(),
    otherNames: [withoutEntities(english)],
    tickers: [`${stock}.KS`],
    registers: true,
  }))
}

describe.skipIf(japanese === null || korean === null)('of the real lists', () => {
  beforeAll(async () => {
    const list = gunzipSync(await Bun.file(japanese ?? '').bytes())
    const profiles = [...readJapanese(list), ...readKorean(await unzip(korean ?? ''))]
    expect(profiles.length).toBeGreaterThan(15_000)
    await register(profiles)
  })

  test.each([
    ['sony group', 'E01777.JP', 'ソニーグループ株式会社'],
    ['ソニーグループ', 'E01777.JP', 'ソニーグループ株式会社'],
    ['samsung electronics', '005930.KS', '삼성전자'],
    ['삼성전자', '005930.KS', '삼성전자'],
    ['toyota motor', 'E02144.JP', 'トヨタ自動車株式会社'],
    ['TOYOTA-MOTOR', 'E02144.JP', 'トヨタ自動車株式会社'],
    ['nintendo co ltd', 'E02367.JP', '任天堂株式会社'],
    ['７９７４', 'E02367.JP', '任天堂株式会社'],
    ['7974', 'E02367.JP', '任天堂株式会社'],
    ['005930', '005930.KS', '삼성전자'],
  ])('%p finds %s first', async (q, ticker, name) => {
    expect((await hits(q))[0]).toMatchObject({ ticker, name })
  })
})
