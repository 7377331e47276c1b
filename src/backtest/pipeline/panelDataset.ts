import { Failure } from '../../errors.ts'
import { readPanelBody } from '../codec/body.ts'
import type { ParsedPanel } from '../codec/panelBuilder.ts'
import { buildDataset } from '../dataset/build.ts'
import type { Dataset, Ranking } from '../dataset/dataset.ts'
import { packDataset } from '../dataset/packed.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { BodyFormat } from '../request.ts'

/** The rows of a request as a dataset, not ranked. Two rows of one asset on one date are refused, both by their place
 * in the body. */
export function buildPanelDataset({ columns, placeOf }: ParsedPanel): Dataset {
  if (columns.count === 0) {
    throw new Failure(
      'backtest_impossible',
      'panel has no rows. Send at least one row {date, asset, score, forward_return}.',
      { param: 'panel' },
    )
  }
  const { dataset, duplicate } = buildDataset(columns)
  if (dataset) return dataset
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
  readonly body: Uint8Array
  readonly format: BodyFormat
}

export interface PackedPanel {
  readonly packed: Uint8Array
  /** SHA-256 of `packed`: the same rows in any format and order have the same one. */
  readonly content: Uint8Array
  readonly ranking: Ranking
}

/** Reads a body of rows that are to be stored, and packs them. */
export function packPanel({ body, format }: PanelBody): PackedPanel {
  const data = buildPanelDataset(readPanelBody(body, format))
  const packed = packDataset(data)
  return { packed, content: sha256(packed), ranking: rankDataset(data).ranking }
}

function sha256(bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(Bun.SHA256.byteLength)
  Bun.SHA256.hash(bytes, digest)
  return digest
}
