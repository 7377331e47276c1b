import { FileTooLarge } from '../parquet/faults.ts'

/** Views refer to their buffers in any order, so all buffers of a column in a batch are in memory together. */
const maxHeldBytes = 256 * 1_024 * 1_024
/** The same for all batches and columns of a stream, one after the other. */
const maxBytes = 2 * 1_024 * 1_024 * 1_024

/** Bounds the texts that views refer to. The number of rows cannot bound them: a slice of a table is sent with the texts
 * of all its rows, once for each batch. */
export class ViewBudget {
  #taken = 0

  /** Counts a buffer before it is decompressed as a whole.
   *
   * @param held bytes of the column's buffers in the batch, with this one
   * @param bytes of this buffer */
  take(name: string, held: number, bytes: number): void {
    this.#taken += bytes
    if (held > maxHeldBytes)
      throw new FileTooLarge(
        `the column ${name} has more than ${maxHeldBytes / 1_024 / 1_024} MB of texts in a batch, as views; write it in smaller batches, or as plain strings`,
      )
    if (this.#taken > maxBytes)
      throw new FileTooLarge(
        `its columns of views have more than ${maxBytes / 1_024 / 1_024 / 1_024} GB of texts, which slices of a table repeat in each batch; write plain strings`,
      )
  }
}
