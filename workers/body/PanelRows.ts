import type { Columns } from '../../src/quant/columns.ts'

/** The rows of a body, and how to name one of them to whoever sent it. */
export interface PanelRows {
  readonly columns: Columns
  readonly placeOf: (row: number) => string
}
