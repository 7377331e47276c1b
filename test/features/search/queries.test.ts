import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeProbe } from '../../../src/features/search/queries.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
}, 60_000)
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
    const [{ terms }] = await db.sql<{ terms: string[] }[]>`
      select search_terms(${market}, ${name}, search_text(${name})) as terms`
    const wanted = ['FR', 'BE', 'DK'].includes(market) ? (probe.words ?? []) : probe.grams
    for (const term of wanted) expect(terms).toContain(term)
  })
})
