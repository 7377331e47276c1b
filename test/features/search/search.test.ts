import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { searchEntities } from '../../../src/features/search/search.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { searchByTheRules } from './byTheRules.ts'

let db: TestDatabase
type Row = [market: string, issuer: string, ticker: string, name: string | null, ...aliases: string[]]

const rows: Row[] = [
  ['US', '0000320193', 'AAPL', 'Apple Inc.'],
  ['US', '0001652044', 'GOOGL', 'Alphabet Inc.', 'GOOG'],
  ['US', '0001418121', 'APLE', 'Apple Hospitality REIT, Inc.'],
  ['US', '0000000006', 'PINE', 'Pineapple Energy'],
  ['US', '0000000007', 'PCT', '100% Pure'],
  ['US', '0000000008', 'THOU', '1000 Pure'],
  ['US', '0000000009', 'UND', 'Snake_Case'],
  ['US', '0000000010', 'UNDX', 'SnakeXCase'],
  ['US', '0000000011', 'BRK-B', 'BERKSHIRE HATHAWAY INC', 'BRK-A'],
  ['FR', '552032534', '552032534.FR', 'Danone'],
  ['FR', '403170701', '403170701.FR', 'TOTAL DIRECT'],
  ['FR', '111111111', '111111111.FR', 'Société Générale de Surveillance'],
  ['FR', '111111112', '111111112.FR', 'La Générale Société'],
  ['FR', '111111113', '111111113.FR', 'Tot Ou Tard'],
  ['FR', '111111114', '111111114.FR', "L'Oréal"],
  ['BE', '0403170701', '0403170701.BE', 'Anheuser-Busch InBev'],
  ['BE', '0417497106', '0417497106.BE', 'Müller & Zoon'],
  ['BE', '0999999999', '0999999999.BE', null],
  ['DK', '24256790', '24256790.DK', 'Novo Nordisk A/S'],
  ['DK', '36213728', '36213728.DK', 'Ørsted A/S'],
  ['JP', 'E01777', 'E01777.JP', 'ソニーグループ株式会社'],
  ['JP', 'E02144', 'E02144.JP', 'トヨタ自動車株式会社'],
  ['KR', '00126380', '005930.KS', '삼성전자'],
  ['TW', '2330', '2330.TW', '台積電'],
  ['NZ', 'CC10001', 'CC10001.NZ', 'Te Aute Koiri Foundation Incorporated'],
  ['NZ', 'CC10002', 'CC10002.NZ', 'Ngāti Porou Trust'],
  ['NZ', 'CC10003', 'CC10003.NZ', 'Großmarkt ＡＢＣ'],
]

async function insert(all: readonly Row[]): Promise<void> {
  for (const [market, issuer, ticker, name, ...aliases] of all) {
    const [{ entity_id }] = await db.sql`
      insert into entity (market, issuer_id, ticker, name) values (${market}, ${issuer}, ${ticker}, ${name})
      returning entity_id`
    for (const id of [ticker, ...aliases])
      await db.sql`insert into entity_ticker values (${id}, ${entity_id})`
  }
}

beforeAll(async () => {
  db = await testDatabase()
  await insert(rows)
}, 180_000)
afterAll(() => db.close(), 60_000)

const tickers = async (q: string) => (await searchEntities(db.sql, q)).map(hit => hit.ticker)

describe('the levels of the specification (4.4)', () => {
  test('an exact ID comes before IDs and names that begin with it', async () => {
    await insert([
      ['US', 'x1', 'SN', 'Zzz'],
      ['US', 'x2', 'SNA', 'Aaa'],
      ['US', 'x3', 'XX1', 'Sn Corp'],
      ['US', 'x4', 'XX2', 'A Sn'],
    ])
    expect((await tickers('sn')).slice(0, 4)).toEqual(['SN', 'SNA', 'XX1', 'UND'])
    expect(await tickers('sn')).toContain('XX2')
  })

  test('a name that begins with the text comes before one that holds it, the shorter first', async () => {
    expect(await tickers('apple')).toEqual(['AAPL', 'APLE', 'PINE'])
  })

  test('a hit is ticker, name and market, nothing else, and comes once', async () => {
    expect(await searchEntities(db.sql, 'AAPL')).toEqual([
      { ticker: 'AAPL', name: 'Apple Inc.', market: 'US' },
    ])
  })

  test('GOOG and GOOGL are one entity, found under the ID that was typed', async () => {
    expect(await tickers('goog')).toEqual(['GOOG'])
    expect(await tickers('GOOGL')).toEqual(['GOOGL'])
    expect(await tickers('goo')).toEqual(['GOOGL'])
    expect(await tickers('alphabet')).toEqual(['GOOGL'])
    expect(await tickers('brk-a')).toEqual(['BRK-A'])
  })

  test('named comes before unnamed within a level', async () => {
    await insert([['BE', '0999999990', '0999999990.BE', 'A very long name indeed']])
    expect(await tickers('09999')).toEqual(['0999999990.BE', '0999999999.BE'])
  })

  test('at most eight', async () => {
    await insert(Array.from({ length: 20 }, (_, i): Row => ['US', `m${i}`, `MANY${i}`, `Many Hits ${i}`]))
    expect((await tickers('many')).length).toBe(8)
    expect((await tickers('hits')).length).toBe(8)
  })
})

describe('registration numbers', () => {
  test.each([
    ['552032534', ['552032534.FR']],
    ['552032534.FR', ['552032534.FR']],
    ['552032534.fr', ['552032534.FR']],
    ['552 032 534', ['552032534.FR']],
    ['24256790', ['24256790.DK']],
    ['24256790.DK', ['24256790.DK']],
    ['0417497106', ['0417497106.BE']],
    ['417497106', ['0417497106.BE']],
    ['417497106.BE', ['0417497106.BE']],
    ['0417.497.106', ['0417497106.BE']],
    ['0403170701', ['0403170701.BE']],
    ['403170701', ['403170701.FR', '0403170701.BE']],
    ['403170701.BE', ['0403170701.BE']],
    ['24256790.FR', []],
    ['0000320193', ['AAPL']],
    ['00126380', ['005930.KS']],
    ['320193', ['AAPL']],
    ['CIK320193', ['AAPL']],
    ['BE0417497106', ['0417497106.BE']],
    ['BE 0417.497.106', ['0417497106.BE']],
    ['DK24256790', ['24256790.DK']],
    ['DK0417497106', []],
  ])('%p finds %p', async (q, expected) => {
    expect(await tickers(q)).toEqual(expected)
  })
})

describe('French, Belgian and Danish names, word by word', () => {
  test.each([
    ['societe generale', ['111111112.FR', '111111111.FR'].toReversed()],
    ['generale societe', ['111111112.FR', '111111111.FR']],
    ['gener socié', ['111111112.FR', '111111111.FR']],
    ['surveillance generale', ['111111111.FR']],
    ['oreal', ['111111114.FR']],
    ["l'oreal", ['111111114.FR']],
    ['tot', ['111111113.FR']],
    ['tota', ['403170701.FR']],
    ['total di', []],
    ['totaldi', ['403170701.FR']],
    ['total direct', ['403170701.FR']],
    ['anone', []],
    ['nordisk novo', ['24256790.DK']],
    ['nordisk apple', []],
  ])('%p finds %p', async (q, expected) => {
    expect(await tickers(q)).toEqual(expected)
  })
})

describe('text is the same after NFKC, case folding and removal of diacritics', () => {
  test.each([
    ['MULLER', '0417497106.BE'],
    ['müller', '0417497106.BE'],
    ['mu\u0308ller', '0417497106.BE'],
    ['orsted', '36213728.DK'],
    ['ØRSTED', '36213728.DK'],
    ['ngati', 'CC10002.NZ'],
    ['NGĀTI porou', 'CC10002.NZ'],
    ['grossmarkt abc', 'CC10003.NZ'],
    ['GROSSMARKT', 'CC10003.NZ'],
    ['ａｐｐｌｅ　ｉｎｃ', 'AAPL'],
    ['ＡＡＰＬ', 'AAPL'],
    ['ｿﾆｰ', 'E01777.JP'],
    ['삼성', '005930.KS'],
    ['삼성'.normalize('NFD'), '005930.KS'],
  ])('%p finds %p', async (q, expected) => {
    expect((await tickers(q))[0]).toBe(expected)
  })

  test('two characters in the middle of a Chinese or Japanese name are enough', async () => {
    expect(await tickers('積電')).toEqual(['2330.TW'])
    expect(await tickers('自動')).toEqual(['E02144.JP'])
    expect(await tickers('電')).toEqual(['2330.TW'])
  })

  test('a voicing mark is no diacritic: タ is not ダ', async () => {
    expect(await tickers('トヨダ')).toEqual([])
  })
})

describe('marks and spaces never decide', () => {
  beforeAll(() =>
    insert([
      ['US', 'm01', 'KO', 'COCA COLA CO'],
      ['US', 'm02', 'WMT', 'Walmart Inc.'],
      ['US', 'm03', 'JPM', 'JPMORGAN CHASE & CO'],
      ['US', 'm04', 'T', 'AT&T INC.'],
      ['US', 'm05', 'MMM', '3M CO'],
      ['US', 'm06', 'JNJ', 'JOHNSON & JOHNSON'],
      ['US', 'm07', 'BBBY', 'BED BATH AND BEYOND INC'],
      ['NZ', 'm08', 'CC1.NZ', "St. John's Trust"],
      ['FR', 'm09', '222222221.FR', 'S.N.C.F. RESEAU'],
      ['FR', 'm10', '222222222.FR', 'JEAN-CLAUDE DECAUX'],
      ['FR', 'm11', '222222223.FR', "GROUPE L'AMBASSADE"],
      ['DK', 'm12', '22222224.DK', 'Wal Mart Danmark ApS'],
      ['FR', 'm13', '222222225.FR', 'DUPONT & FILS'],
    ]),
  )

  test.each([
    ['Coca-Cola', 'KO'],
    ['cocacola co', 'KO'],
    ['Wal-Mart', 'WMT'],
    ['JP Morgan', 'JPM'],
    ['J.P. Morgan', 'JPM'],
    ['jpmorganchase', 'JPM'],
    ['AT&T', 'T'],
    ['at & t inc', 'T'],
    ['3M Co.', 'MMM'],
    ['3-M', 'MMM'],
    ['ＣＯＣＡ－ＣＯＬＡ', 'KO'],
    ['johnson and johnson', 'JNJ'],
    ['Johnson Johnson', 'JNJ'],
    ['Bed, Bath & Beyond', 'BBBY'],
    ['st johns', 'CC1.NZ'],
    ['st john’s', 'CC1.NZ'],
    ['SNCF', '222222221.FR'],
    ['s n c f', '222222221.FR'],
    ['jean claude decaux', '222222222.FR'],
    ['jeanclaude', '222222222.FR'],
    ['lambassade', '222222223.FR'],
    ["l'ambassade", '222222223.FR'],
    ['ambassade', '222222223.FR'],
    ['walmart danmark', '22222224.DK'],
    ['dupont et fils', '222222225.FR'],
    ["L'Oreal", '111111114.FR'],
    ['LOreal', '111111114.FR'],
    ['BRK.B', 'BRK-B'],
    ['BRK/B', 'BRK-B'],
    ['brk b', 'BRK-B'],
    ['BRKB', 'BRK-B'],
    ['2330', '2330.TW'],
  ])('%p finds %p', async (q, expected) => {
    expect((await tickers(q))[0]).toBe(expected)
  })
})

test('wildcards of the database are marks like all others, and marks alone find nothing', async () => {
  expect(await tickers('100%')).toEqual(['PCT', 'THOU'])
  expect(await tickers('100% pure')).toEqual(['PCT'])
  expect(await tickers('snake_case')).toEqual(['UND'])
  expect(await tickers('snake%case')).toEqual(['UND'])
  expect(await tickers('%')).toEqual([])
  expect(await tickers('_')).toEqual([])
  for (const q of [
    '\\',
    "'",
    '"',
    "'; drop table entity; --",
    '$1',
    ')|(',
    '\u0001',
    '\u{1F600}',
    '\u0301',
  ]) {
    expect(await tickers(q)).toEqual(q === "'" ? [] : await tickers(q))
  }
})

test.each(['', '   ', '\u3000', 'a\0b', '\ud800', 'apple\udc00'])('%j is refused by name', async q => {
  await expect(searchEntities(db.sql, q)).rejects.toMatchObject({
    code: 'parameter_invalid',
    details: { param: 'q' },
  })
})

test('only the first hundred characters are read', async () => {
  const name = `Long ${'x'.repeat(95)}`
  await insert([['US', 'long', 'LONG', name]])
  expect(await tickers(`${name}yyyy`)).toEqual(['LONG'])
  expect(await tickers(`${'\u{1F600}'.repeat(100)}apple`)).toEqual([])
  expect(await tickers('z'.repeat(100_000))).toEqual([])
})

test('the shortest of thousands of names with a common word come first', async () => {
  const own = await testDatabase()
  const all = Array.from({ length: 12_000 }, (_, n) => ({
    market: ['US', 'FR', 'BE', 'NZ'][n % 4],
    ticker: `${100_000 + n}`,
    name: [`${'x'.repeat(n % 37)} Trust`, `Trust ${'y'.repeat(n % 41)}`, `Sarl ${'z'.repeat(n % 29)} Trust`][
      n % 3
    ],
  }))
  await own.sql`
    insert into entity (market, issuer_id, ticker, name)
    select market, ticker, ticker, name
    from unnest(${all.map(row => row.market)}::text[], ${all.map(row => row.ticker)}::text[],
                ${all.map(row => row.name)}::text[]) as r(market, ticker, name)`
  await own.sql`insert into entity_ticker select ticker, entity_id from entity`
  for (const q of ['trust', 'tru', 'trus', 'sarl', 'sarl trust', 'trust sarl', 't', 'zzzz', 'trust y']) {
    expect(await searchEntities(own.sql, q)).toEqual(searchByTheRules(all, q))
  }
  await own.close()
}, 180_000)

test('of a long beginning that more names have than are read, the few short ones come first', async () => {
  const own = await testDatabase()
  // The long names come first in the table, so a scan that is cut short meets none of the others.
  const long = Array.from({ length: 1_200 }, (_, n) => ({
    ticker: `L${n}`,
    name: `Commonly ${'w'.repeat(40)}${n}`,
  }))
  const short = ['Commonly', 'Commonly A', 'Commonly BB', 'Commonly CCC', 'Commonly DDDD'].map((name, n) => ({
    ticker: `S${n}`,
    name,
  }))
  const all = [...long, ...short]
  await own.sql`
    insert into entity (market, issuer_id, ticker, name)
    select 'US', ticker, ticker, name
    from unnest(${all.map(row => row.ticker)}::text[], ${all.map(row => row.name)}::text[]) as r(ticker, name)`
  await own.sql`insert into entity_ticker select ticker, entity_id from entity`
  for (const q of ['common', 'commonly']) {
    const found = (await searchEntities(own.sql, q)).map(hit => hit.ticker)
    expect(found.slice(0, 5)).toEqual(['S0', 'S1', 'S2', 'S3', 'S4'])
    expect([found.length, new Set(found).size]).toEqual([8, 8])
  }
  await own.close()
}, 180_000)

test('a search reads the rules plainly, whatever the names', async () => {
  const own = await testDatabase()
  const word = fc.stringMatching(/^[ab]{1,5}$/)
  const name = fc.array(fc.oneof(word, fc.constantFrom('é', 'A-B', 'ab%', 'Ba.')), {
    minLength: 1,
    maxLength: 4,
  })
  const entity = fc.record({
    market: fc.constantFrom('US', 'JP', 'FR', 'BE', 'DK'),
    ticker: fc.stringMatching(/^[AB]{1,4}[0-9]{0,2}$/),
    name: fc.option(
      name.map(words => words.join(' ')),
      { freq: 8 },
    ),
    otherNames: fc.uniqueArray(
      name.map(words => words.join(' ')),
      { maxLength: 3 },
    ),
  })
  const world = fc.uniqueArray(entity, { selector: row => row.ticker, minLength: 1, maxLength: 60 })
  const queries = fc.array(
    fc.oneof(
      word,
      name.map(words => words.join(' ')),
    ),
    { minLength: 10, maxLength: 10 },
  )
  await fc.assert(
    fc.asyncProperty(world, queries, async (all, typed) => {
      await own.sql`truncate entity, entity_ticker, entity_other_name, entity_former_id, price_asset restart identity cascade`
      await own.sql`
        insert into entity (market, issuer_id, ticker, name)
        select market, ticker, ticker, name
        from unnest(${all.map(row => row.market)}::text[], ${all.map(row => row.ticker)}::text[],
                    ${all.map(row => row.name)}::text[]) as r(market, ticker, name)`
      await own.sql`insert into entity_ticker select ticker, entity_id from entity`
      const others = all.flatMap(({ ticker, otherNames }) => otherNames.map(other => ({ ticker, other })))
      await own.sql`
        insert into entity_other_name (entity_id, market, name)
        select e.entity_id, e.market, o.name
        from unnest(${others.map(({ ticker }) => ticker)}::text[], ${others.map(({ other }) => other)}::text[])
          as o (ticker, name)
        join entity e on e.ticker = o.ticker`
      for (const q of nonEmpty(typed))
        expect(await searchEntities(own.sql, q)).toEqual(searchByTheRules(all, q))
    }),
    { numRuns: 40 },
  )
  await own.close()
}, 180_000)
