import type { Dataset } from './dataset.ts'

/** The memory that a dataset takes, its ranking included. */
export function datasetBytes(data: Dataset): number {
  const { ranking, assets, markets, ...columns } = data
  let bytes = 0
  for (const column of [columns, assets, markets, ranking ?? {}].flatMap(part => Object.values(part))) {
    if (ArrayBuffer.isView(column)) bytes += column.byteLength
  }
  return bytes
}
