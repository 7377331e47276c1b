import { presentedColumns } from './presentedStatements.ts'

const help = `Prints the lines of a data set's presented statements, for edgartoolsLines.py.

  bun bench/standardLines/peers/presentedLines.ts ZIP > presented.tsv

The columns are accession, SIC code, statement, last day, quarters, the place of the line, its tag (a star precedes the
company's own), its label and the stated value.
`

const paths = process.argv.slice(2)
if (paths.length !== 1 || paths[0] === '--help') {
  console.log(help)
  process.exit(paths[0] === '--help' ? 0 : 2)
}
console.log('accession\tindustry\tstatement\tday\tquarters\tplace\ttag\tlabel\tvalue')
for (const { accession, industry, statement, day, quarters, face } of await presentedColumns(paths))
  for (const [place, { tag, label, stated }] of face.entries())
    console.log(
      [
        accession,
        industry ?? '',
        statement,
        day,
        quarters,
        place,
        tag,
        label.replace(/\s+/g, ' '),
        stated,
      ].join('\t'),
    )
