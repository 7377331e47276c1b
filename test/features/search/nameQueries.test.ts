import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeProbe, termOf } from '../../../src/features/search/nameQueries.ts'
import { searchEntities } from '../../../src/features/search/search.ts'
import { connect } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
}, 180_000)
afterAll(() => db.close(), 60_000)

// NFKC and case folding as in the Unicode Character Database (UnicodeData.txt, CaseFolding.txt: ß folds to ss,
// final ς to σ). ø, ł, đ, ı and æ are not decomposed by Unicode; they fold as in CLDR's Latin-ASCII.
test.each([
  ['Crédit  Agricole ', 'credit agricole'],
  ['MÜLLER Straße', 'muller strasse'],
  ['Ørsted A/S', 'orsted a/s'],
  ['Łódź', 'lodz'],
  ['ＡＰＰＬＥ　１', 'apple 1'],
  ['ｶﾞﾝﾀﾞﾑ', 'ガンダム'],
  ['한국'.normalize('NFD'), '한국'],
  ['İstanbul ISIK ı', 'istanbul isik i'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
  ['ﬁnance ㈱', 'finance (株)'],
  ['Æon Œuvre', 'aeon oeuvre'],
  ['Ngāti Ti\u1ebfng Vi\u1ec7t', 'ngati tieng viet'],
])('%p is read as %p', async (text, folded) => {
  expect((await makeProbe(db.sql, text)).folded).toBe(folded)
})

test('a stored name is folded as a query is', async () => {
  const name = 'Société “Générale” de Ｓｕｒｖｅｉｌｌａｎｃｅ Øresund'
  const [row] = await db.sql`
    insert into entity (market, issuer_id, ticker, name) values ('FR', '1', '1.FR', ${name}) returning search_name`
  expect(row.search_name).toBe((await makeProbe(db.sql, name)).folded)
})

describe('every term that a query looks for is among those of a name it matches', () => {
  test.each([
    ['FR', 'Société Générale de Surveillance SA', 'sa surveil generale'],
    ['DK', 'Novo Nordisk A/S', 'a/s nord'],
    ['US', 'Berkshire Hathaway Inc', 'shire hath'],
    ['US', 'Berkshire Hathaway Inc', 'i'],
    ['JP', 'ソニーグループ株式会社', '株式'],
  ])('%s %p for %p', async (market, name, q) => {
    const probe = await makeProbe(db.sql, q)
    const [{ terms, size }] = await db.sql<{ terms: string[]; size: string }[]>`
      select name_terms(${market}, ${name}, search_text(${name})) as terms, name_size(char_length(${name})) as size`
    const isByWord = ['FR', 'BE', 'DK'].includes(market)
    const wanted = isByWord ? probe.words.map(word => termOf(word) + size) : probe.grams
    expect(wanted.length).toBeGreaterThan(0)
    for (const term of wanted) expect(terms).toContain(term)
  })
})

test('a word of any length is found by its beginning, and by no more letters than it has', async () => {
  const word = 'abcdefghijkl'
  for (let size = 1; size <= word.length; size++) {
    const name = `${word.slice(0, size)} sa`
    const [{ terms, letter }] = await db.sql<{ terms: string[]; letter: string }[]>`
      select name_terms('FR', ${name}, ${name}) as terms, name_size(char_length(${name})) as letter`
    const { words } = await makeProbe(db.sql, word.slice(0, size))
    expect(terms).toContain(`${termOf(words[0])}${letter}`)
    const longer = await makeProbe(db.sql, `${word.slice(0, size)}z`)
    expect(terms).not.toContain(`${termOf(longer.words[0])}${letter}`)
    if (size === 8) break
  }
})

test('names of one length have the letter of that length', async () => {
  const rows = await db.sql<{ size: string; longest: number }[]>`
    select name_size(length) as size, max(length)::int as longest from generate_series(1, 60) length group by 1 order by 1`
  expect(rows.map(({ size, longest }) => `${size}${longest}`)).toEqual(
    'a4 b6 c8 d10 e12 f14 g16 h18 i20 j24 k28 l32 m40 n60'.split(' '),
  )
})

test('a word that statistics call common finds what it finds without statistics', async () => {
  await db.sql`
    insert into entity (market, issuer_id, ticker, name)
    select 'FR', 'many' || n, 'many' || n, repeat('x', 1 + n % 37) || n || ' holding' || case n % 3 when 0 then ' sarl' else '' end
    from generate_series(1, 9000) n`
  const fresh = () =>
    connect({ url: db.url, connections: 1, statementTimeoutMs: 20_000, indexLookupsOnly: true })
  const answers = async () => {
    const sql = fresh()
    try {
      return await Promise.all(
        ['holding', 'sarl', 'holding sarl', 'xx', 'x1 holding'].map(q => searchEntities(sql, q)),
      )
    } finally {
      await sql.end({ timeout: 5 })
    }
  }
  const before = await answers()
  await db.sql`analyze entity`
  expect(await answers()).toEqual(before)
  expect(before[0].map(({ name }) => name?.length)).toEqual([11, 11, 11, 12, 12, 12, 12, 12])
}, 180_000)
