import { Failure } from '../../src/errors.ts'
import { buildDataset } from '../../src/quant/buildDataset.ts'
import type { Dataset } from '../../src/quant/dataset.ts'
import type { PanelRows } from '../body/PanelRows.ts'

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
