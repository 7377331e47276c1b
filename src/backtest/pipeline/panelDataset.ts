import { Failure } from '../../errors.ts'
import { type SentBody, withBody } from '../codec/bodyBytes.ts'
import { closeAndReturn } from '../codec/jsonRows.ts'
import type { ParsedPanel } from '../codec/panelBuilder.ts'
import { type BuildOptions, buildDataset } from '../dataset/build.ts'
import type { Dataset, Ranking } from '../dataset/dataset.ts'
import { packedColumns } from '../dataset/packed.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { BodyFormat } from '../request.ts'
import { readStoredRows } from './requestBody.ts'

/** The rows of a request as an unranked dataset. Two rows for one asset on one date are rejected, and the
 * message gives the position of both in the body.
 *
 * @param options passed to `buildDataset` */
export function buildPanelDataset({ columns, placeOf }: ParsedPanel, options?: BuildOptions): Dataset {
  if (columns.count === 0) {
    throw new Failure(
      'backtest_impossible',
      'panel has no rows. Send at least one row {date, asset, score, forward_return}.',
      { param: 'panel' },
    )
  }
  const { dataset, duplicate } = buildDataset(columns, options)
  if (dataset) {
    if (dataset.close !== undefined && dataset.forwardReturn.some(r => !Number.isNaN(r)))
      throw closeAndReturn('panel')
    return dataset
  }
  const first = placeOf(duplicate.firstRow)
  const second = placeOf(duplicate.secondRow)
  const asset = columns.assetNames[columns.asset[duplicate.firstRow]]
  throw new Failure(
    'body_invalid',
    `${first} and ${second} are both rows of asset ${JSON.stringify(asset)} on the same date. Send one row per asset and date.`,
    { param: second },
  )
}

export interface PanelBody {
  readonly body: SentBody
  readonly format: BodyFormat
  /** The columns of the caller's own. */
  readonly columns?: readonly string[]
}

export interface PackedPanel {
  readonly data: Dataset & { readonly ranking: Ranking }
  /** SHA-256 of the packed rows: the same rows have the same hash in any format and order. */
  readonly content: Uint8Array
}

/** Reads a body of rows to be stored. */
export function packPanel({ body, format, columns = [] }: PanelBody): Promise<PackedPanel> {
  return withBody(body, async source => {
    const panel = await readStoredRows(source, format, columns)
    const data = buildPanelDataset(panel, { ownsColumns: true })
    return { data: rankDataset(data), content: sha256(packedColumns(data)) }
  })
}

function sha256(parts: readonly Uint8Array[]): Uint8Array {
  const hash = new Bun.CryptoHasher('sha256')
  for (const part of parts) hash.update(part)
  return new Uint8Array(hash.digest())
}
