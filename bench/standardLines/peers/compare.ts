import { parseArgs } from 'node:util'
import { standardLines } from '../../../src/standardLines/standardLines.ts'
import { type Cause, causeOf } from './causes.ts'
import { type JoinedCell, joinLines, outcomes, readPeerRows } from './join.ts'
import { type Pair, type Peer, pairs, peers } from './pairs.ts'
import { currentColumns, presentedColumns } from './presentedStatements.ts'

const help = `Compares our standard lines with those of a peer, in the columns of the period that each filing is about.

  bun bench/standardLines/peers/compare.ts PEER TABLE ZIP... [--read=TEXT] [--count=N] [--every=N]

PEER is ${peers.join(' or ')}, TABLE what its script printed, and ZIP the data set or the packages that the script read. Prints how
often each pair of lines agrees, and how many differences each cause explains.

  --read    prints statements instead, with what both sides took, of differences whose pair, cause or accession matches
            the regular expression
  --count   how many of them (default 10)
  --every   only every N-th of them (default 1)
`

const outcomeNames: Readonly<Record<(typeof outcomes)[number], string>> = {
  equal: 'equal',
  bothAbsent: 'both absent',
  oursOnly: 'ours only',
  theirsOnly: 'theirs only',
  different: 'different',
}

const row = (cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`)

function heading(cells: readonly string[]): void {
  row(cells)
  console.log(`|${'---|'.repeat(cells.length)}`)
}

/** Pairs whose lines we define; the others are named, so that a line that is dropped or renamed does not vanish. */
function definedPairs(peer: Peer): readonly Pair[] {
  const isDefined = ({ statement, ours }: Pair) =>
    standardLines.some(line => line.statement === statement && ours.includes(line.name))
  const left = pairs[peer].filter(pair => !isDefined(pair))
  if (left.length > 0)
    console.error(`Not standard lines: ${left.map(({ ours }) => ours.join(', else ')).join('; ')}`)
  return pairs[peer].filter(isDefined)
}

function showPairs(cells: readonly JoinedCell[], compared: readonly Pair[]): void {
  heading(['statement', 'theirs', 'ours', ...outcomes.map(outcome => outcomeNames[outcome])])
  const countOf = (found: readonly JoinedCell[]) =>
    outcomes.map(outcome => found.filter(cell => cell.outcome === outcome).length)
  for (const pair of compared) {
    const { statement, theirs, ours } = pair
    row([statement, theirs, ours.join(', else '), ...countOf(cells.filter(cell => cell.pair === pair))])
  }
  row(['all', '', '', ...countOf(cells)])
}

function showCauses(explained: readonly { readonly cell: JoinedCell; readonly cause: Cause }[]): void {
  heading(['', 'cause', 'whose', 'cells', 'filings'])
  const groups = Map.groupBy(
    explained,
    ({ cell, cause }) => `${outcomeNames[cell.outcome]} | ${cause.name} | ${cause.whose}`,
  )
  for (const [group, found] of [...groups].sort(([, a], [, b]) => b.length - a.length))
    row([group, found.length, new Set(found.map(({ cell }) => cell.column.accession)).size])
}

function showStatement({ pair, column, ours, theirs }: JoinedCell, cause: Cause): void {
  const { accession, statement, day, quarters, face } = column
  console.log(`\n${accession} ${statement} ${day}, ${quarters} quarters: ${cause.name} (${cause.whose})`)
  console.log(
    `ours   ${pair.ours.join(', else ')} = ${ours?.value ?? '-'} from ${ours?.tags.join(' + ') ?? '-'}`,
  )
  for (const { value, origin } of theirs) console.log(`theirs ${pair.theirs} = ${value} from ${origin}`)
  for (const { tag, label, negated, stated, lines } of face)
    console.log(
      `${negated ? 'N' : ' '} ${String(stated).padStart(16)}  ${label.slice(0, 70)} [${tag}] ${lines.join(', ')}`,
    )
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      read: { type: 'string' },
      count: { type: 'string', default: '10' },
      every: { type: 'string', default: '1' },
    },
  })
  const [name, table, ...paths] = positionals
  const peer = peers.find(each => each === name)
  if (values.help || peer === undefined || paths.length === 0) {
    console.log(help)
    process.exit(values.help ? 0 : 2)
  }
  const compared = definedPairs(peer)
  const columns = currentColumns(await presentedColumns(paths))
  const cells = joinLines(columns, readPeerRows(await Bun.file(table).text()), compared)
  if (cells.length === 0) throw new Error(`No column of ${table} is one of ${paths.join(', ')}.`)
  const explained = cells.flatMap(cell => {
    const cause = causeOf(peer, cell)
    return cause === null ? [] : [{ cell, cause }]
  })
  if (values.read !== undefined) {
    const pattern = new RegExp(values.read)
    const found = explained.filter(({ cell: { pair, column, ours }, cause }) =>
      pattern.test(
        `${cause.whose}: ${cause.name} ${pair.theirs} ${ours?.tags.join(' ') ?? ''} ${column.accession}`,
      ),
    )
    for (const { cell, cause } of found
      .filter((_, at) => at % Number(values.every) === 0)
      .slice(0, Number(values.count)))
      showStatement(cell, cause)
    return
  }
  const filings = new Set(cells.map(({ column }) => column.accession)).size
  console.log(`${filings} filings, ${new Set(cells.map(({ column }) => column)).size} columns\n`)
  showPairs(cells, compared)
  console.log()
  showCauses(explained)
}

if (import.meta.main) await main()
