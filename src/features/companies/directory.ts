import { LRUCache } from 'lru-cache'
import type { Sql } from '../../postgres/client.ts'
import { readSuccessions, type Succession } from './lineageQueries.ts'
import { type CompanyIdentity, findCompanies, findReadyNames, findWithReady } from './queries.ts'
import { type DatedSymbol, readDatedSymbols } from './symbolQueries.ts'

/**
 * Caches which company an ID names; without it every request costs a statement before the response cache is
 * tried. Call `forget` at each new data version, otherwise an old name is served with new figures. Unknown
 * IDs are not cached.
 */
export interface CompanyDirectory {
  /** By ID; unknown IDs are omitted. */
  findAll(ids: readonly string[]): Promise<ReadonlyMap<string, CompanyIdentity>>
  /** The days of symbols, by ID. */
  datedSymbols(ids: readonly string[]): Promise<ReadonlyMap<string, DatedSymbol>>
  /** Every succession of companies on record. */
  successions(): Promise<readonly Succession[]>
  forget(): void
}

export function companyDirectory(sql: Sql, capacity = 50_000): CompanyDirectory {
  const empty = () => new LRUCache<string, CompanyIdentity>({ max: capacity })
  let known = empty()
  const withoutSymbols = () => new LRUCache<string, DatedSymbol>({ max: capacity })
  let dated = withoutSymbols()
  let lineages: { successions?: readonly Succession[] } = {}
  return {
    async findAll(ids) {
      const found = new Map<string, CompanyIdentity>()
      // `forget` may be called while the query runs. The result is then outdated and is stored in a map that nobody
      // reads any more.
      const current = known
      for (const id of ids) {
        const company = current.get(id)
        if (company !== undefined) found.set(id, company)
      }
      if (found.size === ids.length) return found
      const unseen = ids.filter(id => !found.has(id))
      // A request for several companies reads their rows one after the other, which bounds its memory.
      const named = await (ids.length === 1 ? findWithReady(sql, unseen) : findReadyNames(sql, unseen))
      for (const [id, company] of named) {
        // Only the request that looked the company up gets the rows. They are not cached, because they would
        // be outdated after an import that this server has not yet heard of.
        const { ready: _, ...identity } = company
        found.set(id, company)
        current.set(id, identity)
      }
      const others = unseen.filter(id => !found.has(id))
      // A single ID was looked for everywhere.
      if (ids.length === 1 || others.length === 0) return found
      for (const [id, company] of await findCompanies(sql, others)) {
        found.set(id, company)
        current.set(id, company)
      }
      return found
    },
    async datedSymbols(ids) {
      const current = dated
      const found = new Map<string, DatedSymbol>()
      for (const id of ids) {
        const symbol = current.get(id)
        if (symbol !== undefined) found.set(id, symbol)
      }
      const unseen = ids.filter(id => !found.has(id))
      if (unseen.length === 0) return found
      for (const [id, symbol] of await readDatedSymbols(sql, unseen)) {
        found.set(id, symbol)
        current.set(id, symbol)
      }
      return found
    },
    async successions() {
      const current = lineages
      current.successions ??= await readSuccessions(sql)
      return current.successions
    },
    forget() {
      known = empty()
      lineages = {}
      dated = withoutSymbols()
    },
  }
}
