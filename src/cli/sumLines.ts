import { type SumReport, sumNames } from '../domain/ingest/checkSums.ts'

/** Figures are served as filed, whether or not they add up. */
export function* sumLines({ counts, examples }: SumReport): Generator<string> {
  for (const sum of sumNames) {
    const { checked, broken, open } = counts[sum]
    if (checked === 0) continue
    const left = open > 0 ? `, ${count(open)} open (a part without a metric may stand between)` : ''
    yield `sums           ${sum}: ${count(checked)} checked, ${count(broken)} broken${left}`
    for (const example of examples) {
      if (example.sum !== sum) continue
      const { market, issuerId, start, end, accession, difference, unit } = example
      const days = start === null ? end : `${start}..${end}`
      yield `  broken       ${market} ${issuerId} ${days} ${accession}: off by ${count(difference)} ${unit}`
    }
  }
}

const count = (value: number) => value.toLocaleString('en-US')
