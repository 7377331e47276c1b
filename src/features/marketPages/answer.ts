import type { ErrorCode } from '../../errors.ts'
import type { Column, OutputFormat } from '../../formats/columns.ts'
import { type NotedList, renderList } from '../../formats/rows.ts'
import { cacheable, contentTypes, respondFromCache } from '../../http/answers.ts'
import { compressions } from '../../http/compression.ts'
import type { Answer, RequestContext } from '../../http/context.ts'
import { asFile } from '../../http/fileName.ts'
import type { Pinnable } from '../../http/pinned.ts'
import type { ResponseCache } from '../../http/responseCache.ts'
import type { DataVersionWatch } from '../../postgres/dataVersion.ts'
import type { ReadLimiter } from '../../postgres/readLimiter.ts'
import { countPage } from '../../rights/entityCap.ts'
import type { Rights } from '../../rights/rights.ts'
import type { CompanyDeps, PinnedStore } from '../companies/deps.ts'
import { termsOf } from '../companies/licenceTerms.ts'
import type { MarketQuery } from './query.ts'

/** Dependencies of routes that page through a market. */
export interface MarketPageDeps
  extends Pick<CompanyDeps, 'sql' | 'markets' | 'today' | 'cursors'>,
    Pinnable<PinnedStore> {
  readonly responses: ResponseCache
  readonly readLimiter: ReadLimiter
  readonly dataVersion: DataVersionWatch['current']
}

interface PageRequest<Name extends string> {
  readonly output: OutputFormat
  readonly market: string
  readonly cacheKey: string
  readonly columns: readonly Column<Name>[]
  /** The parts of the file name: the kind of rows, the market or company, and the day. */
  readonly fileName: readonly (string | readonly string[])[]
  readonly read: () => Promise<NotedList<Name> & { readonly next: string | null }>
}

/** Returns a page from the response cache, or reads it when the caller's turn comes. */
export function answerMarketPage<Name extends string>(
  deps: MarketPageDeps,
  context: RequestContext,
  { output, market, cacheKey, columns, fileName, read }: PageRequest<Name>,
): Answer | Promise<Answer> {
  const { subject } = context.authenticatedCaller
  const response = cacheable(
    `${output.key} ${cacheKey}`,
    contentTypes[output.format],
    async () => {
      const list = await deps.readLimiter.run(subject, read)
      const body = await renderList(output, columns, list, termsOf(deps.markets, [market]))
      const headers = { ...body.headers, ...asFile(output.format, ...fileName) }
      return { ...body, headers, next: list.next }
    },
    compressions.marketRows,
  )
  return respondFromCache(deps.responses, context, deps.dataVersion(), response)
}

/**
 * Counts the companies on a page against an evaluation's cap, each once; those seen before are already
 * counted.
 */
export async function countRows(
  { sql }: Pick<CompanyDeps, 'sql'>,
  rights: Rights,
  { limit, seen }: Pick<MarketQuery, 'limit' | 'seen'>,
  rows: readonly { readonly entityId: number }[],
): Promise<void> {
  if (rights.entityCap === null || seen !== null) return
  await countPage(sql, rights, [...new Set(rows.map(row => row.entityId))], limit)
}

/** Errors that any page of a market may return. */
export const marketPageErrors: readonly ErrorCode[] = [
  'licence_required',
  'entity_cap_reached',
  'compute_busy',
  'statement_timeout',
]
