import type { Sql, SqlClient } from '../postgres/client.ts'
import { Terms } from './terms.ts'

/** The terms that are stored so far. */
export async function loadTerms(sql: SqlClient): Promise<Terms> {
  const terms = new Terms()
  await loadMoreTerms(sql, terms)
  return terms
}

/**
 * Appends the terms that were stored since `terms` was loaded. Several requests may do so at once. The number of a term
 * is its position, so each request skips the terms that another one appended while it waited.
 */
export async function loadMoreTerms(sql: SqlClient, terms: Terms): Promise<void> {
  const from = terms.count
  const rows = await sql<{ text: string }[]>`
    select text from term where term_id >= ${from} order by term_id`
  appendFrom(
    terms,
    from,
    rows.map(({ text }) => text),
  )
}

/** Appends terms whose numbers begin with `from`, unless another reader of the same terms was faster. */
const appendFrom = (terms: Terms, from: number, texts: readonly string[]) =>
  terms.append(texts.slice(Math.max(0, terms.count - from)))

/** 'term' in ASCII; other locks of this service have other numbers. */
const termLock = 0x7465726d

/**
 * Stores texts as terms and appends them, with those that others stored meanwhile. Committed at once: a batch that
 * fails leaves at most unused terms.
 */
export async function storeTerms(sql: Sql, terms: Terms, proposed: readonly string[]): Promise<void> {
  if (proposed.length === 0) return
  const added = await sql.begin(async transaction => {
    await transaction`select pg_advisory_xact_lock(${termLock})`
    await loadMoreTerms(transaction, terms)
    const from = terms.count
    const missing = proposed.filter(text => terms.numberOf(text) === undefined)
    await transaction`
      insert into term (term_id, text)
      select ${from}::int + position::int - 1, text
      from unnest(${missing}::text[]) with ordinality as added (text, position)`
    return { from, missing }
  })
  appendFrom(terms, added.from, added.missing)
}
