import type { Sql, SqlClient } from '../postgres/client.ts'
import { Terms } from './terms.ts'

/** The terms that are stored so far. */
export async function loadTerms(sql: SqlClient): Promise<Terms> {
  const terms = new Terms()
  await loadMoreTerms(sql, terms)
  return terms
}

/**
 * Appends the terms that were stored since `terms` was loaded. Several requests may do so at once: each appends what
 * the others have not appended while it waited, because the number of a term is its position.
 */
export async function loadMoreTerms(sql: SqlClient, terms: Terms): Promise<void> {
  const from = terms.count
  const rows = await sql<{ text: string }[]>`select text from term where term_id >= ${from} order by term_id`
  terms.append(rows.slice(terms.count - from).map(({ text }) => text))
}

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
    const missing = proposed.filter(text => terms.numberOf(text) === undefined)
    await transaction`
      insert into term (term_id, text)
      select ${terms.count}::int + position::int - 1, text
      from unnest(${missing}::text[]) with ordinality as added (text, position)`
    return missing
  })
  terms.append(added)
}
