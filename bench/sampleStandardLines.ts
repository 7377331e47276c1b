import { parseArgs } from 'node:util'
import { lineValue } from '../src/standardLines/lineValues.ts'
import type { PlacedLine, PlacedStatement } from '../src/standardLines/placeLines.ts'
import { standardFiling } from '../src/standardLines/standardFiling.ts'
import { randomOf } from './data/makeEntity.ts'
import { filersOf } from './standardLines.ts'

const help = `Samples lines of a data set that were placed on standard lines, to be read against the statements.

  bun bench/sampleStandardLines.ts ZIP SEED > lines.tsv

Prints 400 lines as tab-separated values, 100 of them of banks and insurers: the accession, the kind of company, the
statement, the place of the line and how many lines the statement has, the tag (a star precedes the company's own), the
label, the total that contains the line, the standard line (a plus follows if several lines are added), the stated value
(N precedes if it is shown reversed) and the value of the standard line.
`

interface Placed {
  readonly accession: string
  readonly kind: string
  readonly statement: PlacedStatement
  readonly line: PlacedLine
  readonly row: number
}

function pick<Item>(items: readonly Item[], count: number, random: () => number): Item[] {
  const left = [...items]
  for (let at = 0; at < Math.min(count, left.length); at++) {
    const other = at + Math.floor(random() * (left.length - at))
    ;[left[at], left[other]] = [left[other], left[at]]
  }
  return left.slice(0, count)
}

function columnsOf({ accession, kind, statement, line, row }: Placed): readonly string[] {
  const { rows, structure } = statement
  const { name, isOwn, words, negated, figures } = rows[row]
  const column = figures.findIndex(figure => figure !== null)
  const total = structure.parents[row]
  return [
    accession,
    kind,
    statement.statement,
    `${row + 1}/${rows.length}`,
    `${isOwn ? '*' : ''}${name}`,
    words,
    total === null ? '-' : rows[total].words,
    `${line.line.name}${line.rows.length > 1 ? '+' : ''}`,
    `${negated ? 'N ' : ''}${figures[column]?.value ?? ''}`,
    lineValue(statement, line, column)?.value ?? '',
  ]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' } },
})
if (values.help || positionals.length !== 2) {
  console.log(help)
  process.exit(values.help ? 0 : 2)
}
const [path, seed] = positionals
const random = randomOf(seed)
const all = (await filersOf(path)).flatMap(({ filing, industry }) => {
  const { kind, statements } = standardFiling(filing, industry)
  return [...statements.values()].flatMap(statement =>
    statement.placed.flatMap(line =>
      line.rows.map((row): Placed => ({ accession: filing.accession, kind, statement, line, row })),
    ),
  )
})
const isFinancial = ({ kind }: Placed) => kind === 'bank' || kind === 'insurer'
const sample = [
  ...pick(all.filter(isFinancial), 100, random),
  ...pick(
    all.filter(each => !isFinancial(each)),
    300,
    random,
  ),
]
for (const each of sample) console.log(columnsOf(each).join('\t'))
