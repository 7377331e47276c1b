import type { SentBody } from '../../backtest/codec/bodyBytes.ts'
import { type Dataset, nameCount } from '../../backtest/dataset/dataset.ts'
import { openDataset, packedBytesOf, packedParts } from '../../backtest/dataset/packed.ts'
import { paidKey } from '../../backtest/pool/caller.ts'
import { type ComputePool, ownBuffer } from '../../backtest/pool/computePool.ts'
import type { BodyFormat } from '../../backtest/request.ts'
import { Failure } from '../../errors.ts'
import type { Sql } from '../../postgres/client.ts'
import type { Semaphore } from '../../semaphore.ts'
import type { PanelCache } from './cache.ts'
import {
  deletePanel as deleteRow,
  findPanel,
  type InsertedPanel,
  insertPanel,
  listPanels as listRows,
  type PanelRow,
  partBytes,
  readParts,
  touchPanel,
} from './queries.ts'
import { maxPanels, type Panel, type PanelList, panelRetentionDays } from './schema.ts'

export interface PanelDeps {
  readonly sql: Sql
  readonly pool: ComputePool
  readonly cache: PanelCache
  /** Bounds reads and writes of whole panels: each uses a database connection that other requests need. */
  readonly reads: Semaphore
}

/** The owner of panels, and the number of bytes that they may store. */
export interface PanelOwner {
  readonly keyId: number
  readonly maxStoredBytes: number
}

/**
 * Stores the rows of a body for a key. Once this returns, they survive a crash of the database. The same rows
 * in any format and order return the panel that the key already has.
 *
 * @param columns the columns of the caller's own
 */
export async function storePanel(
  { sql, pool, cache, reads }: PanelDeps,
  { keyId, maxStoredBytes }: PanelOwner,
  sent: SentBody,
  format: BodyFormat,
  signal?: AbortSignal,
  columns: readonly string[] = [],
): Promise<{ panel: Panel; created: boolean }> {
  const body = sent instanceof Uint8Array ? ownBuffer(sent) : sent
  const { data, content } = await pool.tasks.packPanel(
    { body, format, columns },
    { signal, caller: paidKey(keyId), transfer: body instanceof Uint8Array ? [body.buffer] : [] },
  )
  const rows = data.asset.length
  const dates = data.days.length
  const assets = nameCount(data.assets)
  const packedBytes = packedBytesOf(data)
  const inserted = await reads.run(() => {
    signal?.throwIfAborted()
    const parts = () => packedParts(data, partBytes)
    const panel = { keyId, content, rows, dates, assets, packedBytes, parts, maxStoredBytes }
    return insertPanel(sql, panel)
  })
  if (inserted.kind === 'full') throw noRoomForPanel(inserted, packedBytes, maxStoredBytes)
  const { kind, row } = inserted
  cache.get(row.id, async () => data)
  return { panel: describePanel(row), created: kind === 'created' }
}

function noRoomForPanel(
  { panels, bytes, oldest }: Extract<InsertedPanel, { kind: 'full' }>,
  newBytes: number,
  maxBytes: number,
): Failure {
  const shown = (size: number) =>
    `${(size / 1_024 / 1_024).toLocaleString('en', { maximumFractionDigits: 0 })} MB`
  const fault =
    panels >= maxPanels
      ? `This key has ${maxPanels} stored panels, which is the limit.`
      : `The stored panels of this key have ${shown(bytes)}, and with this one of ${shown(newBytes)} they would exceed the limit of ${shown(maxBytes)}.`
  const mend =
    oldest === null
      ? 'Send fewer rows.'
      : `Delete one with DELETE /api/v1/panels/{id}; ${oldest.id} is the least recently used.`
  return new Failure('conflict', `${fault} ${mend}`, { param: 'panel' })
}

/**
 * The dataset of a key's stored panel, for a backtest; extends its retention. The database is queried each
 * time, because another server may have deleted the panel. The rows never change, so they are read only once.
 */
export async function openPanel(
  { sql, pool, cache, reads }: PanelDeps,
  keyId: number,
  panelId: string,
): Promise<Dataset> {
  const row = await touchPanel(sql, keyId, panelId)
  if (row === null) throw panelUnknown(panelId, 'panel')
  const background = { caller: paidKey(keyId), priority: 'background' } as const
  return cache.get(panelId, async () => {
    const packed = await reads.run(() => readParts(sql, panelId, row.packedBytes))
    if (packed === null) throw panelUnknown(panelId, 'panel')
    const data = openDataset(packed)
    if (data === null) throw new Failure('internal', `The stored panel ${panelId} cannot be read.`)
    return { ...data, ranking: await pool.tasks.rankDataset({ data }, background) }
  })
}

/**
 * Fails if any of the panels does not belong to the key. None of them is opened: a batch may name more than
 * fit in memory.
 *
 * @param named IDs, each with its parameter in the request
 */
export async function requirePanels(
  { sql }: Pick<PanelDeps, 'sql'>,
  keyId: number,
  named: ReadonlyMap<string, string>,
): Promise<void> {
  if (named.size === 0) return
  const known = new Set((await listRows(sql, keyId)).map(({ id }) => id))
  for (const [panelId, param] of named) if (!known.has(panelId)) throw panelUnknown(panelId, param)
}

/** Describes a panel. Unlike `openPanel`, this does not extend its retention. */
export async function readPanel(sql: Sql, keyId: number, panelId: string): Promise<Panel> {
  const row = await findPanel(sql, keyId, panelId)
  if (row === null) throw panelUnknown(panelId, 'id')
  return describePanel(row)
}

export async function listPanels(sql: Sql, keyId: number): Promise<PanelList> {
  const rows = await listRows(sql, keyId)
  return { object: 'panel_list', count: rows.length, data: rows.map(describePanel) }
}

/** Deletes a panel for all servers. Backtests that already have its rows finish. */
export async function deletePanel(
  { sql, cache }: Pick<PanelDeps, 'sql' | 'cache'>,
  keyId: number,
  panelId: string,
): Promise<void> {
  if (!(await deleteRow(sql, keyId, panelId))) throw panelUnknown(panelId, 'id')
  cache.forget(panelId)
}

function describePanel(row: PanelRow): Panel {
  return {
    object: 'panel',
    id: row.id,
    n_rows: row.rows,
    n_dates: row.dates,
    n_assets: row.assets,
    bytes: row.packedBytes,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  }
}

/**
 * The same failure whether the panel belongs to another key or never existed, so that nothing about it is
 * revealed.
 */
function panelUnknown(panelId: string, param: string): Failure {
  return new Failure(
    'entity_unknown',
    `This key has no panel ${panelId}. GET /api/v1/panels lists its panels; a panel that is not used for ${panelRetentionDays} days is deleted.`,
    { param },
  )
}
