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
  requireFewScores(byRows, sharesRows)
  const groups = byRows.map(group => ({
    entries: group.map(placed => entryOf(placed, dataVersion, trialsAlreadyTried)),
    open: () => openRows(deps, keyId, group[0].item, panel, dataVersion),
  }))
  if (!sharesRows) return { size: items.length, groups }
  const [first, ...others] = groups
  const rows = await first.open()
  return { size: items.length, groups: [{ ...first, open: async () => rows }, ...others] }
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
function requireFewScores(groups: readonly PlacedItem[][], sharesRows: boolean): void {
  const scored = new Map<string, PlacedItem>()
  for (const [placed] of groups) {
    const { rows, score } = placed.item
    // The archive is ranked before it gets returns from prices, and a panel after it.
    const key = score === undefined ? keyOfRows(rows) : rowsKey(placed.item)
    const isScored = score !== undefined || (rows.kind === 'archive' && rows.source.score !== undefined)
    if (isScored && !scored.has(key)) scored.set(key, placed)
  }
  if (scored.size <= maxScoredDatasets) return
  const { index, item } = [...scored.values()][maxScoredDatasets]
  const param = item.score === undefined ? 'source.score' : 'score'
  throw new Failure(
    'backtest_impossible',
    `The ${sharesRows ? 'configurations' : 'items'} rank rows by figures in ${scored.size} different ways: by other metrics or settings of them, in other panels, or with returns of another length from prices; the limit of a batch is ${maxScoredDatasets}. Send the others in another batch.`,
    { param: sharesRows ? param : `items[${index}].${param}` },
  )
}

/** Items with the same rows, prices and score share one dataset. */
const rowsKey = ({ rows, prices, score, config }: BatchItem): string =>
  JSON.stringify([
    keyOfRows(rows),
    score ?? null,
    prices === undefined ? null : [prices, prices.horizon ?? config.returnDays ?? null, datesOf(rows)],
  ])

/** The dates whose rows get returns from prices. */
const datesOf = (rows: BatchItem['rows']): unknown[] =>
  rows.kind === 'archive' ? [rows.source.from ?? null, rows.source.to ?? null] : []

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
