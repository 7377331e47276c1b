import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { searchEntities } from '../../../src/features/search/search.ts'
import { readCsv } from '../../../src/ingest/reading/text.ts'
import { type TestDatabase, testDatabase } from '../../database.ts'
import { sharedPath } from '../../shared.ts'

setDefaultTimeout(3_000_000)

/** Real names of five markets are found however their marks, spaces and letters are written. LONG=1 asks for each of them, else for
 * one in forty. */
const lists = [
  { market: 'US', file: 'us_sec_cik_mapper_stocks.csv', separator: ',', columns: [0, 2] },
  { market: 'BE', file: 'be_firms_1356.csv', separator: ',', columns: [0, 1] },
  { market: 'TW', file: 'tw_stock_names.csv', separator: ',', columns: [0, 1] },
  { market: 'NZ', file: 'nz_charities.tsv.gz', separator: '\t', columns: [1, 2] },
  { market: 'FR', file: 'fr_annuaire_names.tsv', separator: '\t', columns: [0, 1] },
  { market: 'FR', file: 'fr_rne_names.tsv', separator: '\t', columns: [0, 1] },
] as const
const step = process.env.LONG ? 1 : 40
const paths = lists.map(({ file }) => sharedPath(`names/${file}`))

interface Named {
  readonly market: string
  readonly id: string
  readonly name: string
}

const names: Named[] = []
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  for (const [index, { market, separator, columns }] of lists.entries()) {
    const path = paths[index]
    if (path === null) continue
    const bytes = await Bun.file(path).bytes()
    const text = new TextDecoder().decode(path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    const [idColumn, nameColumn] = columns
    const rows =
      separator === ',' ? readCsv(text, separator) : text.split('\n').map(line => line.split(separator))
    for (const row of rows) {
      const [id, name] = [row[idColumn]?.trim() ?? '', row[nameColumn]?.trim() ?? '']
      if (/\d/.test(id) && name !== '') names.push({ market, id: `${market} ${id}`, name })
    }
  }
  await db.sql`
    insert into entity (market, issuer_id, ticker, name)
    select distinct on (id) market, id, id, name
    from unnest(${names.map(row => row.market)}::text[], ${names.map(row => row.id)}::text[],
                ${names.map(row => row.name)}::text[]) as r(market, id, name)`
  await db.sql`insert into entity_other_name (entity_id, market, name)
    select e.entity_id, e.market, r.name
    from unnest(${names.map(row => row.id)}::text[], ${names.map(row => row.name)}::text[]) as r(id, name)
    join entity e on e.ticker = r.id and e.name <> r.name
    on conflict do nothing`
  await db.sql`vacuum analyze entity`
})
afterAll(() => db.close())

const changes: Readonly<Record<string, (name: string) => string>> = {
  'a space for each hyphen': name => name.replaceAll('-', ' '),
  'no hyphens': name => name.replaceAll('-', ''),
  'no spaces': name => name.replaceAll(' ', ''),
  'hyphens for spaces': name => name.replaceAll(' ', '-'),
  'no dots': name => name.replaceAll('.', ''),
  'a space for each dot': name => name.replaceAll('.', ' '),
  'no ampersands': name => name.replaceAll('&', ''),
  'and for ampersands': name => name.replaceAll('&', ' and '),
  'no apostrophes': name => name.replaceAll(/['’]/g, ''),
  'a space for each apostrophe': name => name.replaceAll(/['’]/g, ' '),
  'typographic apostrophes': name => name.replaceAll("'", '’'),
  'capital letters': name => name.toUpperCase(),
  'small letters': name => name.toLowerCase(),
  'no accents': name => name.normalize('NFD').replaceAll(/\p{Mn}/gu, ''),
  'full-width letters': name =>
    name.replaceAll(/[!-~]/g, letter => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
}

/** Letters and digits only: a search cannot tell apart names that are equal in these. */
const squeezed = (name: string) =>
  name
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()

test.skipIf(paths.includes(null)).each(Object.entries(changes))(
  'of real names with %s, 99 in 100 are among the first eight hits',
  async (_, change) => {
    const same = Map.groupBy(names, ({ name }) => squeezed(name))
    const asked = names.filter(
      ({ name }, index) =>
        (change(name) !== name || index % step === 0) &&
        index % Math.max(1, step / 8) === 0 &&
        Array.from(change(name)).length <= 100 &&
        (same.get(squeezed(name))?.length ?? 0) <= 8,
    )
    const sample = step === 1 ? asked : asked.slice(0, 60)
    const missed: string[] = []
    for (const { id, name } of sample) {
      const hits = await searchEntities(db.sql, change(name))
      if (!hits.some(({ ticker }) => ticker === id)) missed.push(`${id} ${name}`)
    }
    expect(sample.length).toBeGreaterThan(20)
    expect(missed.length / sample.length, missed.slice(0, 20).join('\n')).toBeLessThanOrEqual(0.01)
  },
)
