import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { connect } from '../../../src/postgres/client.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'

/* The functions of 0058 are quicker spellings of those that earlier migrations define: stored names and indexes were made by these. */

const migrations = join(import.meta.dir, '../../../sql/migrations')
const earlier = {
  search_text: '0016_plain_names.sql',
  search_name_words: '0039_search_marks.sql',
  name_size: '0030_search_terms.sql',
  search_by_word: '0004_search.sql',
} as const

async function definitionOf(name: string, file: string) {
  const text = await Bun.file(join(migrations, file)).text()
  return new RegExp(`create (?:or replace )?function (${name}\\([^;]*;)`).exec(text)?.[1]
}

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  for (const [name, file] of Object.entries(earlier)) {
    await db.sql.unsafe(`create function earlier_${await definitionOf(name, file)}`)
  }
}, 180_000)
afterAll(() => db.close(), 60_000)

const marks = [...` \t\n\u00a0\u2003\u3000.,-'’&/()"_%\\+*#@!?:;[]{}~^\`|<>=„“«»·・々〆ー–—…™®°ºª`]
const letters = [
  ...'abcxyzABCXYZ0189äÖßéÉøŒæþÞđıİÇñﬁ㈱Ａ１ｶﾞΣςα한국株式会社台積電शक्तिไทยй\u0301\u0308\u00ad\u200b😀',
]
const names = fc
  .array(fc.oneof(fc.constantFrom(...letters), fc.constantFrom(...letters), fc.constantFrom(...marks)), {
    maxLength: 30,
  })
  .map(characters => characters.join(''))

test('every text is folded, split into words and measured as before', async () => {
  const any = fc.string({ unit: 'binary' }).map(text => text.toWellFormed().replaceAll('\0', ''))
  const plain = fc.stringMatching(/^[a-z0-9]{1,5}( {1,2}[a-zA-Z0-9]{0,5}){0,5} ?$/)
  const texts = fc.sample(fc.oneof(names, plain, any), 20_000)
  const [counted] = await db.sql`
    select count(*) filter (where search_text(t) is distinct from earlier_search_text(t))::int as folded,
           count(*) filter (where search_name_words(t) is distinct from earlier_search_name_words(t))::int as raw,
           count(*) filter (where search_name_words(search_text(t)) is distinct from earlier_search_name_words(search_text(t)))::int as words,
           count(*) filter (where name_size(char_length(t)) is distinct from earlier_name_size(char_length(t)))::int as sizes,
           count(*)::int as texts
    from unnest(${texts}::text[]) t`
  expect(counted).toEqual({ folded: 0, raw: 0, words: 0, sizes: 0, texts: texts.length })
  const markets = [null, 'FR', 'BE', 'DK', 'US', 'TW', '']
  const [{ differ }] = await db.sql`
    select count(*) filter (where search_by_word(m) is distinct from earlier_search_by_word(m)
                            or name_size(null) is distinct from earlier_name_size(null)
                            or search_text(null) is not null or search_name_words(null) is not null)::int as differ
    from unnest(${markets}::text[]) m`
  expect(differ).toBe(0)
})

test('connections that were open before the migration go on finding names by the indexes', async () => {
  for (const name of ['name_size', 'search_by_word'] as const)
    await db.sql.unsafe(`create or replace function ${await definitionOf(name, earlier[name])}`)
  const session = connect({ url: db.url, connections: 1, statementTimeoutMs: 60_000 })
  const planOf = async (table: string) => {
    const lines = await session.unsafe<{ 'QUERY PLAN': string }[]>(
      `explain select from ${table} where name_terms(market, name, search_name) @> array['nappl']`,
    )
    return lines.map(line => line['QUERY PLAN']).join('\n')
  }
  try {
    await session`set enable_seqscan = off`
    expect(await planOf('entity')).toContain('Index Scan on entity_names')
    expect(await planOf('entity_other_name')).toContain('Index Scan on entity_other_names')
    const migration = await Bun.file(join(migrations, '0058_fast_search_functions.sql')).text()
    await db.sql.begin(transaction => transaction.unsafe(migration).simple())
    expect(await planOf('entity')).toContain('Index Scan on entity_names')
    expect(await planOf('entity_other_name')).toContain('Index Scan on entity_other_names')
  } finally {
    await session.end({ timeout: 5 })
  }
}, 60_000)
