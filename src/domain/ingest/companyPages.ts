import type { IsoDate } from '../../model/date.ts'
import type { Sql } from '../../store/database.ts'
import { dropDoneCompanies, readWaitingCompanies } from '../../store/sync/waitingCompanies.ts'
import type { SyncOptions } from './syncOptions.ts'

/** So many companies are in memory at a time, of the millions that a register may have. */
const companiesPerPage = 1_000

/** Gives the companies to ask for, page by page, without those that are done for the day: the ones that were named, else all
 * that are known. An empty page is the last one. */
export function companyPages(
  sql: Sql,
  { source, companies }: Pick<SyncOptions, 'source' | 'companies'>,
  today: IsoDate,
): () => Promise<readonly string[]> {
  const { market } = source
  let after = ''
  let place = 0
  return async () => {
    if (companies.length === 0) {
      const page = await readWaitingCompanies(sql, market, { after, today, limit: companiesPerPage })
      after = page.at(-1) ?? after
      return page
    }
    while (place < companies.length) {
      const named = companies.slice(place, place + companiesPerPage)
      place += named.length
      const page = await dropDoneCompanies(sql, market, named, today)
      if (page.length > 0) return page
    }
    return []
  }
}
