import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { makeProbe, narrowingTerms, termOf } from '../../../src/features/search/nameQueries.ts'
import { searchEntities } from '../../../src/features/search/search.ts'
import { connect } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { type NamedEntity, searchByTheRules } from './byTheRules.ts'

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

test('without statistics every word is looked up, because any may be the only rare one', () => {
  const terms = ['pimmobili', 'psociete', 'pcivile', 'wabc']
  expect(narrowingTerms(terms, new Map())).toEqual(terms)
  const common = new Map([
    ['pimmobili', 0.2],
    ['psociete', 0.4],
    ['pcivile', 0.3],
  ])
  expect(narrowingTerms(terms, common)).toEqual(['wabc', 'pimmobili'])
  expect(narrowingTerms(terms.slice(0, 3), common)).toEqual(['pimmobili', 'pcivile', 'psociete'])
  expect(narrowingTerms(['psociete'], new Map([['psociete', 1]]))).toEqual(['psociete'])
})

test('statistics of names that have changed since change no answer', async () => {
  // Few names have the words that are common by the statistics, and the words of most names are in none of these.
  await db.sql`
    update entity set name = case when substr(issuer_id, 5)::int % 1000 = 0 then 'holding sarl ' || substr(issuer_id, 5) || ' abc'
        else 'omega civile immobiliere' || case substr(issuer_id, 5)::int % 400 when 1 then ' holding' when 2 then ' àbc sàrl' else '' end end
    where issuer_id like 'many%'`
  const all = await db.sql<NamedEntity[]>`select ticker, name, market from entity`
  const queries = [
    ...['holding', 'holding sarl', 'sarl holding 9000 abc', 'abc sarl 3000 holding', 'holding sarl nothing'],
    ...[
      'omega civile immobiliere',
      'omega civile immobiliere sarl',
      'immobil civil omega abc',
      'immo holding omega',
    ],
    ...['omega civile immobiliere holding sarl', 'ABC SÀRL omega', 'o', 'a omega', 'holdings', 'omegacivile'],
  ]
  // Of more names of one length than a statement reads, any may be shown.
  const namesOf = (hits: readonly { name: string | null }[]) => hits.map(({ name }) => name)
  const sql = connect({ url: db.url, connections: 1, statementTimeoutMs: 20_000, indexLookupsOnly: true })
  try {
    const found: number[] = []
    for (const q of queries) {
      const hits = await searchEntities(sql, q)
      expect([q, namesOf(hits)]).toEqual([q, namesOf(searchByTheRules(all, q))])
      found.push(hits.length)
    }
    expect(found.filter(count => count > 0).length).toBeGreaterThan(9)
  } finally {
    await sql.end({ timeout: 5 })
  }
}, 180_000)
