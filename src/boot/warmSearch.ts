import { totalmem } from 'node:os'
import type { Logger } from 'pino'
import { warmSearch } from '../features/search/warmQueries.ts'
import type { Sql } from '../postgres/client.ts'

/** The rest of the memory is reserved for figures. */
const shareOfMemory = 1 / 8

/** Starts reading the names of companies into memory while requests are served. Without it nothing fails, but
 * searches are slow until they have read the names themselves. */
export function startWarming(sql: Sql, log: Logger): void {
  warmSearch(sql, totalmem() * shareOfMemory).then(
    bytes => log.debug({ bytes }, 'The names of companies are in memory.'),
    error => log.warn({ err: error }, 'The names of companies could not be read into memory.'),
  )
}
