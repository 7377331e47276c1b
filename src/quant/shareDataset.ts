import type { Dataset } from './dataset.ts'

/** The same dataset with every column in shared memory, where all threads can read it: columns that are there already
 * stay where they are. */
export function shareDataset(data: Dataset): Dataset {
  return {
    ...data,
    days: shared(data.days, buffer => new Int32Array(buffer)),
    offsets: shared(data.offsets, buffer => new Int32Array(buffer)),
    asset: shared(data.asset, buffer => new Int32Array(buffer)),
    market: shared(data.market, buffer => new Uint16Array(buffer)),
    score: shared(data.score, buffer => new Float64Array(buffer)),
    forwardReturn: shared(data.forwardReturn, buffer => new Float64Array(buffer)),
  }
}

function shared<C extends Int32Array | Uint16Array | Float64Array>(
  column: C,
  make: (buffer: SharedArrayBuffer) => C,
): C {
  if (column.buffer instanceof SharedArrayBuffer) return column
  const copy = make(new SharedArrayBuffer(column.byteLength))
  copy.set(column)
  return copy
}
