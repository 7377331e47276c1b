import type { BatchItem } from '../../../backtest/codec/batchBody.ts'
import type { Dataset } from '../../../backtest/dataset/dataset.ts'
import type { BatchEntry, BatchRowsOpened } from '../../../backtest/pipeline/batch.ts'
import { ownBuffer } from '../../../backtest/pool/computePool.ts'
import type { BatchGroup } from '../../../backtest/pool/runBatch.ts'
import type { Ticket } from '../../../backtest/pool/tickets.ts'
import { Failure } from '../../../errors.ts'
import { requirePanels } from '../../panels/panels.ts'
import { type BacktestDeps, openRowsOfPanel, openSource, openStored } from '../run.ts'
import { maxScoredDatasets } from '../scoreCache.ts'

/** A batch that is checked and can run. */
export interface CheckedBatch {
  readonly size: number
  readonly groups: readonly BatchGroup[]
}

/**
 * Reads and checks the body of a batch on a thread. Fails with the first fault that the body or the list of
 * the key's panels shows, and if the batch's only panel or source cannot be opened. Nothing has run at that
 * point.
 */
export async function checkBatch(
  deps: BacktestDeps,
  body: Uint8Array,
  keyId: number,
  options: { readonly signal: AbortSignal; readonly ticket: Ticket },
): Promise<CheckedBatch> {
  const sent = ownBuffer(body)
  const opened = await deps.pool.tasks.openBatch({ body: sent }, { ...options, transfer: [sent.buffer] })
  const { items, panel, sharesRows, dataVersion, trialsAlreadyTried } = opened
  await requireStored(deps, keyId, items)
  const byRows = groupByRows(items)
  requireFewScores(byRows)
  const groups = byRows.map(group => ({
    entries: group.map(placed => entryOf(placed, dataVersion, trialsAlreadyTried)),
    open: () => openRows(deps, keyId, horizonOf(group), panel, dataVersion),
  }))
  if (!sharesRows) return { size: items.length, groups }
  const rows = await groups[0].open()
  return { size: items.length, groups: [{ ...groups[0], open: async () => rows }] }
}

interface PlacedItem {
  readonly index: number
  readonly item: BatchItem
}

async function requireStored(
  { panels }: BacktestDeps,
  keyId: number,
  items: readonly BatchItem[],
): Promise<void> {
  const named = new Map<string, string>()
  for (const { rows, panelPath } of items)
    if (rows.kind === 'stored' && !named.has(rows.panelId)) named.set(rows.panelId, panelPath)
  if (panels !== undefined) await requirePanels(panels, keyId, named)
}

/** Groups items with the same rows, in order of first appearance, so that each panel is opened once. */
function groupByRows(items: readonly BatchItem[]): PlacedItem[][] {
  const placed = items.map((item, index) => ({ item, index }))
  return [...Map.groupBy(placed, ({ item }) => rowsKey(item)).values()]
}

/**
 * Each score is loaded from the database. More scores of the archive than the cache holds would evict everyone else's for as
 * long as the batch runs, at the price of one request, and each scored panel is a join.
 */
function requireFewScores(groups: readonly PlacedItem[][]): void {
  const scored = groups.filter(
    ([{ item }]) =>
      item.score !== undefined || (item.rows.kind === 'archive' && item.rows.source.score !== undefined),
  )
  if (scored.length <= maxScoredDatasets) return
  const [{ index, item }] = scored[maxScoredDatasets]
  const param = item.score === undefined ? 'source.score' : 'score'
  throw new Failure(
    'backtest_impossible',
    `The items rank rows by figures in ${scored.length} different ways: by other metrics or settings of them, or in other panels; the limit of a batch is ${maxScoredDatasets}. Send the others in another batch.`,
    { param: `items[${index}].${param}` },
  )
}

/** Items with the same rows, prices and score share one dataset. */
const rowsKey = ({ rows, prices, score }: BatchItem): string =>
  [keyOfRows(rows), JSON.stringify(prices), JSON.stringify(score)].join(' ')

function keyOfRows(rows: BatchItem['rows']): string {
  switch (rows.kind) {
    case 'sent':
      return 'sent'
    case 'stored':
      return rows.panelId
    case 'archive': {
      const { horizon, market, score, maxAgeDays, checks, prices } = rows.source
      return JSON.stringify([horizon ?? '1d', market, score, maxAgeDays, checks, prices])
    }
    default:
      return rows satisfies never
  }
}

function entryOf(
  { index, item }: PlacedItem,
  dataVersion: number | undefined,
  trialsAlreadyTried: number | undefined,
): BatchEntry {
  const { config, include, benchmark, factors, score, rows } = item
  const panelId = rows.kind === 'stored' ? rows.panelId : undefined
  return {
    index,
    config,
    include,
    benchmark,
    factors,
    score,
    source: rows.kind === 'archive' ? rows.source : null,
    panelId,
    dataVersion,
    trialsAlreadyTried,
  }
}

/** The first item of a group; where its prices name no horizon, the first returnDays of the group is theirs. */
function horizonOf(group: readonly PlacedItem[]): BatchItem {
  const [{ item }] = group
  const returnDays = group.find(({ item: { config } }) => config.returnDays !== undefined)?.item.config
    .returnDays
  return returnDays === undefined ? item : { ...item, config: { ...item.config, returnDays } }
}

async function openRows(
  deps: BacktestDeps,
  keyId: number,
  item: BatchItem,
  panel: Dataset | null,
  dataVersion: number | undefined,
): Promise<BatchRowsOpened> {
  const { rows, prices, config, include, score } = item
  if (rows.kind === 'archive')
    return openSource(deps, keyId, rows.source, dataVersion, undefined, { prices, config })
  const data = rows.kind === 'stored' ? await openStored(deps, keyId, rows.panelId) : panel
  if (data === null) throw new Failure('internal', 'The rows of the batch are missing.')
  const opened = await openRowsOfPanel(deps, keyId, data, { config, include, prices, score, dataVersion })
  const { dataVersion: scoredAt = null, score: described } = opened.scored ?? {}
  return { data: opened.data, dataVersion: scoredAt, score: described, prices: opened.prices }
}
