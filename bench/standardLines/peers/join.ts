import type { Pair } from './pairs.ts'
import type { OurValue, PresentedColumn } from './presentedStatements.ts'

/** A row of a peer's table. */
export interface PeerRow {
  readonly accession: string
  readonly statement: string
  readonly line: string
  readonly day: string
  readonly quarters: number
  readonly value: number
  /** The rules that secfsdstools applied, or the tag that edgartools named; empty if the table does not say. */
  readonly origin: string
}

export const outcomes = ['equal', 'bothAbsent', 'oursOnly', 'theirsOnly', 'different'] as const
export type Outcome = (typeof outcomes)[number]

/** One pair of lines in one column of a statement. */
export interface JoinedCell {
  readonly pair: Pair
  readonly column: PresentedColumn
  readonly ours: OurValue | null
  /** Several if the peer gives one name to several lines. */
  readonly theirs: readonly PeerValue[]
  /** All lines of the peer in the column. */
  readonly peerRows: readonly PeerRow[]
  readonly outcome: Outcome
}

export type PeerValue = Pick<PeerRow, 'value' | 'origin'>

export function readPeerRows(text: string): readonly PeerRow[] {
  const [header, ...rows] = text
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.split('\t'))
  const at = (name: string) => header.indexOf(name)
  return rows.map(fields => ({
    accession: fields[at('accession')],
    statement: fields[at('statement')],
    line: fields[at('line')],
    day: fields[at('day')],
    quarters: Number(fields[at('quarters')]),
    value: Number(fields[at('value')]),
    origin: fields[at('rules')] ?? fields[at('tag')] ?? '',
  }))
}

const columnKey = ({
  accession,
  statement,
  day,
  quarters,
}: Pick<PeerRow, 'accession' | 'statement' | 'day' | 'quarters'>) =>
  `${accession} ${statement} ${day} ${quarters}`

/**
 * Joins the columns that both sides have. A column that the peer leaves out altogether, such as last year's, says nothing
 * about its lines.
 */
export function joinLines(
  columns: readonly PresentedColumn[],
  rows: readonly PeerRow[],
  pairs: readonly Pair[],
): readonly JoinedCell[] {
  const byColumn = Map.groupBy(rows, columnKey)
  return columns.flatMap(column => {
    const peerRows = byColumn.get(columnKey(column))
    if (peerRows === undefined) return []
    return pairs
      .filter(({ statement }) => statement === column.statement)
      .map((pair): JoinedCell => {
        const ours = pair.ours.map(name => column.ours.get(name)).find(value => value !== undefined) ?? null
        const theirs = peerRows.filter(({ line }) => line === pair.theirs)
        return { pair, column, ours, theirs, peerRows, outcome: outcomeOf(pair, ours, theirs) }
      })
  })
}

function outcomeOf(pair: Pair, ours: OurValue | null, theirs: readonly PeerValue[]): Outcome {
  if (ours === null) return theirs.length === 0 ? 'bothAbsent' : 'theirsOnly'
  if (theirs.length === 0) return 'oursOnly'
  const expected = pair.reversed ? -ours.value : ours.value
  return theirs.every(({ value }) => isSame(value, expected)) ? 'equal' : 'different'
}

/** Peers compute with doubles. */
export const isSame = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.abs(a)
