import { Failure } from '../../errors.ts'
import { readPanelBody } from '../codec/body.ts'
import type { PanelRows } from '../codec/panelColumns.ts'
import { buildDataset } from '../dataset/build.ts'
import type { Dataset } from '../dataset/dataset.ts'
import { packDataset } from '../dataset/packed.ts'
import { rankDataset } from '../dataset/rank.ts'
import type { TaskInput, TaskOutput } from '../pool/tasks.ts'

/** The rows of a request as a dataset, not ranked. */
export function buildPanel({ columns, placeOf }: PanelRows): Dataset {
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
    `${first} and ${second} are both the cell of asset ${JSON.stringify(asset)} on the same date. Send one row a cell.`,
    { param: second },
  )
}

/** Reads rows that are to be stored. */
export function packPanel({ body, format }: TaskInput<'panel_pack'>): TaskOutput<'panel_pack'> {
  const data = buildPanel(readPanelBody(body, format))
  const packed = packDataset(data)
  return { packed, content: sha256(packed), ranking: rankDataset(data).ranking }
}

function sha256(bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(Bun.SHA256.byteLength)
  Bun.SHA256.hash(bytes, digest)
  return digest
}
