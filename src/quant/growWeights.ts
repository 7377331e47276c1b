import type { Book } from './book.ts'
import type { Dataset } from './dataset.ts'

/** With drift, prepares the next period's trade: every held weight grows with the date's return. */
export function growWeights(book: Book, data: Dataset, date: number): void {
  const { weight, grown, names, place } = book
  for (let j = 0; j < book.listed; j++) grown[names[j]] = weight[names[j]]
  for (let row = data.offsets[date]; row < data.offsets[date + 1]; row++) {
    const name = data.asset[row]
    const r = data.forwardReturn[row]
    if (!Number.isNaN(r) && place[name] !== 0) grown[name] = weight[name] * (1 + r)
  }
}
