import { expect, test } from 'bun:test'
import { buildDataset } from '../../../src/backtest/dataset/build.ts'
import { nameAt } from '../../../src/backtest/dataset/dataset.ts'
import { filterMarket, viewDates } from '../../../src/backtest/dataset/subset.ts'
import { columnsOf, datasetOf, row } from '../rows.ts'

test('reports both rows of a repeated cell by their order of arrival', () => {
  const rows = [row(1, 'B', 1, 0), row(0, 'A', 1, 0), row(1, 'A', 1, 0), row(0, 'A', 2, 0)]
  expect(buildDataset(columnsOf(rows)).duplicate).toEqual({ firstRow: 1, secondRow: 3 })
})

test('assets are ordered by id, not by arrival', () => {
  const data = datasetOf([row(0, 'b', 1, 0), row(0, 'B', 1, 0), row(0, 'é', 1, 0), row(0, 'A1', 1, 0)])
  expect([0, 1, 2, 3].map(i => nameAt(data.assets, i))).toEqual(['A1', 'B', 'b', 'é'])
})

test('filters one market, null if no row has it', () => {
  const data = datasetOf([
    row(0, 'A', 1, 0.1, 'TW'),
    row(0, 'B', 2, 0.2),
    row(1, 'B', 3, 0.3),
    row(1, 'C', 4, 0),
  ])
  const columns = filterMarket(data, 'US')
  if (!columns) throw new Error('US is a market of the panel')
  expect(buildDataset(columns).dataset).toEqual(
    datasetOf([row(0, 'B', 2, 0.2), row(1, 'B', 3, 0.3), row(1, 'C', 4, 0)]),
  )
  expect(filterMarket(data, 'JP')).toBeNull()
})

test('a view keeps the most recent whole dates that fit', () => {
  const data = datasetOf([10, 11, 12, 13].flatMap(d => ['A', 'B', 'C'].map(asset => row(d, asset, 1, 0))))
  expect(viewDates(data, 0, 99, 12)).toEqual({ firstDate: 0, endDate: 4, rowsOverLimit: 0 })
  expect(viewDates(data, 11, 12, 100)).toEqual({ firstDate: 1, endDate: 3, rowsOverLimit: 0 })
  expect(viewDates(data, 0, 99, 7)).toEqual({ firstDate: 2, endDate: 4, rowsOverLimit: 6 })
  expect(viewDates(data, 0, 99, 2)).toEqual({ firstDate: 4, endDate: 4, rowsOverLimit: 12 })
  expect(viewDates(data, 50, 99, 2)).toEqual({ firstDate: 4, endDate: 4, rowsOverLimit: 0 })
})
