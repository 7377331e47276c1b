import { decodeFigures, encodeFigures } from '../../wholeFilings/figureBlock.ts'
import { type FrameCode, framesOfFigures } from '../../wholeFilings/frames.ts'
import { decodePresentation, encodePresentation } from '../../wholeFilings/presentationBlock.ts'
import type { FilingPart } from '../../wholeFilings/statedFiling.ts'
import type { Terms } from '../../wholeFilings/terms.ts'
import type { WholeFiling } from '../../wholeFilings/wholeFiling.ts'

/** What is on record of a filing, or a part of it. */
export interface EncodedContent {
  readonly periodEnd: number | null
  /** See `framesOfFigures`. */
  readonly frames: readonly FrameCode[]
  readonly figures: number
  readonly lines: number
  readonly figureBlock: Uint8Array
  readonly statementBlock: Uint8Array
}

/**
 * Joins a part of a filing to what is on record. The part replaces what was known of it, and everything else stays.
 * Statements are in order of their parts, so the result is the same in whatever order the parts are read.
 */
export function joinPart(
  known: EncodedContent,
  read: EncodedContent,
  part: FilingPart,
  terms: Terms,
): EncodedContent {
  const [before, added] = [contentOf(known, terms), contentOf(read, terms)]
  const joined: Omit<WholeFiling, 'accession'> = {
    taxonomies: new Map([...before.taxonomies, ...added.taxonomies].sort(byName)),
    figures: [
      ...before.figures.filter(({ context }) => !isOfPart(context.dimensions, part)),
      ...added.figures,
    ],
    statements: [
      ...before.statements.filter(({ role }) => !role.startsWith(part.roleStart)),
      ...added.statements,
    ].sort((a, b) => (startOf(a.role) < startOf(b.role) ? -1 : startOf(a.role) > startOf(b.role) ? 1 : 0)),
    sums: [...before.sums.filter(({ role }) => !role.startsWith(part.roleStart)), ...added.sums],
    defaultMembers: new Map([...before.defaultMembers, ...added.defaultMembers].sort(byName)),
  }
  const { bytes, ownTexts } = encodeFigures(joined, terms)
  const ends = [known.periodEnd, read.periodEnd].filter(end => end !== null)
  return {
    periodEnd: ends.length === 0 ? null : Math.max(...ends),
    frames: framesOfFigures(joined.figures),
    figures: joined.figures.length,
    lines: joined.statements.reduce((sum, { lines }) => sum + lines.length, 0),
    figureBlock: bytes,
    statementBlock: encodePresentation(joined, terms, ownTexts),
  }
}

function contentOf({ figureBlock, statementBlock }: EncodedContent, terms: Terms) {
  const { ownTexts, ...figures } = decodeFigures(figureBlock, terms)
  return { ...figures, ...decodePresentation(statementBlock, terms, ownTexts) }
}

const isOfPart = (
  dimensions: WholeFiling['figures'][number]['context']['dimensions'],
  { axis, member }: FilingPart,
) => (dimensions.find(each => each.axis === axis)?.member ?? null) === member

const startOf = (role: string) => role.slice(0, role.indexOf('/') + 1)

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]) => (a < b ? -1 : 1)
