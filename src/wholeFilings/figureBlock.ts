import { ByteReader, ByteWriter } from './bytes.ts'
import { compress, decompress } from './compression.ts'
import { columnsOf, Numbering, nilScale, plainOf, textScale, unzigzag, zigzag } from './figureColumns.ts'
import type { Terms } from './terms.ts'
import { TextReader, TextWriter } from './texts.ts'
import type { Dimension, FigureContext, ReportedFigure, WholeFiling } from './wholeFiling.ts'

const formatVersion = 1

export interface FigureBlock {
  readonly bytes: Uint8Array
  /** The texts of the block that are not terms. The filing's presentation refers to them. */
  readonly ownTexts: readonly string[]
}

/**
 * Encodes the figures of a filing as columns, sorted by concept and context: the references of concepts with
 * the number of figures of each, then contexts, units, accuracies, exponents and significant digits. Exact:
 * `decodeFigures` returns the same figures, in this order.
 */
export function encodeFigures(
  filing: Pick<WholeFiling, 'figures' | 'taxonomies' | 'defaultMembers'>,
  terms: Terms,
): FigureBlock {
  const texts = new TextWriter(terms)
  const head = new ByteWriter()
  writePairs(head, texts, filing.taxonomies)
  writePairs(head, texts, filing.defaultMembers)
  const columns = columnsOf(filing)
  const { concepts, units, accuracies, count } = columns
  const longValues = columns.longValues.map(text => texts.reference(text))
  const conceptOf = new Uint32Array(count)
  const contextOf = new Uint32Array(count)
  const contextRank = writeContexts(columns.contexts.values, head, texts)
  for (let at = 0; at < count; at++) contextOf[at] = contextRank[columns.contextOf[at]]
  const references = concepts.values.map(concept => texts.reference(concept))
  const conceptRank = ranks(references)
  for (let at = 0; at < count; at++) conceptOf[at] = conceptRank[columns.conceptOf[at]]
  const order = sortedBy(conceptOf, sortedBy(contextOf, null, contextRank.length), references.length)

  writeConcepts(head, references, conceptOf)
  const steps = new ByteWriter(count + 1_024)
  let concept = -1
  let context = 0
  for (let position = 0; position < count; position++) {
    const at = order[position]
    if (conceptOf[at] !== concept) context = 0
    concept = conceptOf[at]
    steps.number(contextOf[at] - context)
    context = contextOf[at]
  }
  head.number(units.values.length)
  for (const unit of units.values) head.number(texts.reference(unit))
  head.number(accuracies.values.length)
  for (const decimals of accuracies.values) head.number(codeOfDecimals(decimals))

  const block = new ByteWriter(count * 8 + 1_024)
  block.number(formatVersion)
  texts.writeOwn(block)
  block.bytes(head.view())
  block.bytes(steps.view())
  const { unitOf, accuracyOf, scales, digits } = columns
  for (const column of [unitOf, accuracyOf, scales])
    for (let position = 0; position < count; position++) block.number(column[order[position]])
  for (let position = 0; position < count; position++) {
    const at = order[position]
    if (scales[at] === textScale) block.number(longValues[digits[at]])
    else if (scales[at] !== nilScale) block.number(digits[at])
  }
  return { bytes: compress(block.view()), ownTexts: texts.own }
}

export interface DecodedFigures extends Pick<WholeFiling, 'figures' | 'taxonomies' | 'defaultMembers'> {
  readonly ownTexts: readonly string[]
}

export function decodeFigures(bytes: Uint8Array, terms: Terms): DecodedFigures {
  const from = new ByteReader(decompress(bytes))
  const version = from.number()
  if (version !== formatVersion) throw new Error(`a block of figures has the unknown version ${version}`)
  const texts = new TextReader(terms, from)
  const taxonomies = readPairs(from, texts)
  const defaultMembers = readPairs(from, texts)
  const contexts = readContexts(from, texts)
  const concepts = readConcepts(from, texts)
  const units = Array.from({ length: from.number() }, () => texts.text(from.number()))
  const accuracies = Array.from({ length: from.number() }, () => decimalsOfCode(from.number()))
  const count = concepts.reduce((sum, { figures }) => sum + figures, 0)
  const column = () => Array.from({ length: count }, () => from.number())
  const [steps, unitOf, accuracyOf, scales] = [column(), column(), column(), column()]
  const figures: ReportedFigure[] = []
  for (const { concept, figures: ofConcept } of concepts) {
    let context = 0
    for (const end = figures.length + ofConcept; figures.length < end; ) {
      const at = figures.length
      context += steps[at]
      figures.push({
        concept,
        context: known(contexts[context]),
        unit: known(units[unitOf[at]]),
        decimals: accuracies[accuracyOf[at]],
        value: readValue(scales[at], from, texts),
      })
    }
  }
  if (!from.isAtEnd) throw new Error('a block of figures is longer than its figures')
  return { figures, taxonomies, defaultMembers, ownTexts: texts.own }
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a block of figures refers to something that it does not contain')
  return value
}

/** The position of each value among all values in ascending order. */
function ranks(values: readonly number[]): Uint32Array {
  const sorted = values.map((_, at) => at).sort((a, b) => values[a] - values[b])
  const rank = new Uint32Array(values.length)
  sorted.forEach((at, position) => {
    rank[at] = position
  })
  return rank
}

/** A stable counting sort: the positions of `keys` in ascending order, among equal ones as in `before`. */
function sortedBy(keys: Uint32Array, before: Uint32Array | null, keyCount: number): Uint32Array {
  const next = new Uint32Array(keyCount + 1)
  for (let at = 0; at < keys.length; at++) next[keys[at] + 1]++
  for (let key = 0; key < keyCount; key++) next[key + 1] += next[key]
  const sorted = new Uint32Array(keys.length)
  for (let position = 0; position < keys.length; position++) {
    const at = before === null ? position : before[position]
    sorted[next[keys[at]]++] = at
  }
  return sorted
}

function writePairs(to: ByteWriter, texts: TextWriter, pairs: ReadonlyMap<string, string>): void {
  to.number(pairs.size)
  for (const [name, value] of pairs) {
    to.number(texts.reference(name))
    to.number(texts.reference(value))
  }
}

const readPairs = (from: ByteReader, texts: TextReader): Map<string, string> =>
  new Map(
    Array.from({ length: from.number() }, (): [string, string] => [
      texts.text(from.number()),
      texts.text(from.number()),
    ]),
  )

function writeConcepts(to: ByteWriter, references: readonly number[], conceptOf: Uint32Array): void {
  const counts = new Uint32Array(references.length)
  for (const concept of conceptOf) counts[concept]++
  const ascending = [...references].sort((a, b) => a - b)
  to.number(references.length)
  let last = 0
  ascending.forEach((reference, rank) => {
    to.number(reference - last)
    last = reference
    to.number(counts[rank])
  })
}

function readConcepts(from: ByteReader, texts: TextReader): { concept: string; figures: number }[] {
  let reference = 0
  return Array.from({ length: from.number() }, () => {
    reference += from.number()
    return { concept: texts.text(reference), figures: from.number() }
  })
}

/**
 * Writes the contexts sorted by dimensions and period, so that those of one concept follow one another. Returns the rank
 * of each number.
 */
function writeContexts(contexts: readonly FigureContext[], to: ByteWriter, texts: TextWriter): Uint32Array {
  const lists = new Numbering<string>()
  lists.number('')
  const listOf = contexts.map(({ dimensions }) =>
    lists.number(
      dimensions.map(each => `${texts.reference(each.axis)} ${texts.reference(each.member)}`).join(' '),
    ),
  )
  to.number(lists.values.length - 1)
  for (const list of lists.values.slice(1)) {
    const references = list.split(' ').map(Number)
    to.number(references.length / 2)
    for (const reference of references) to.number(reference)
  }
  const sorted = contexts.map((_, at) => at)
  sorted.sort((a, b) => listOf[a] - listOf[b] || comparePeriods(contexts[a], contexts[b]))
  const rank = new Uint32Array(sorted.length)
  to.number(sorted.length)
  let list = 0
  let end = 0
  sorted.forEach((at, position) => {
    rank[at] = position
    const context = contexts[at]
    to.number(listOf[at] - list)
    to.signed(context.end - end)
    to.number(codeOfLength(context))
    list = listOf[at]
    end = context.end
  })
  return rank
}

const comparePeriods = (a: FigureContext, b: FigureContext) =>
  codeOfLength(a) - codeOfLength(b) || b.end - a.end

/** 0 for an exact instant, odd numbers for quarters, even ones for days. */
function codeOfLength({ start, end, quarters }: FigureContext): number {
  if (start !== null) return 2 + 2 * (end - start)
  return quarters === null ? 0 : 1 + 2 * quarters
}

function readContexts(from: ByteReader, texts: TextReader): FigureContext[] {
  const lists: (readonly Dimension[])[] = [[]]
  for (let rest = from.number(); rest > 0; rest--) {
    lists.push(
      Array.from({ length: from.number() }, () => ({
        axis: texts.text(from.number()),
        member: texts.text(from.number()),
      })),
    )
  }
  let list = 0
  let end = 0
  return Array.from({ length: from.number() }, () => {
    list += from.number()
    end += from.signed()
    const code = from.number()
    const isExact = code % 2 === 0
    const start = isExact && code > 0 ? end - (code - 2) / 2 : null
    return { start, end, quarters: isExact ? null : (code - 1) / 2, dimensions: known(lists[list]) }
  })
}

/** 0 for unstated, 1 for exact. */
const codeOfDecimals = (decimals: number | null) =>
  decimals === null ? 0 : decimals === Number.POSITIVE_INFINITY ? 1 : 2 + zigzag(decimals)

const decimalsOfCode = (code: number) =>
  code === 0 ? null : code === 1 ? Number.POSITIVE_INFINITY : unzigzag(code - 2)

function readValue(scale: number, from: ByteReader, texts: TextReader): string | null {
  if (scale === nilScale) return null
  return scale === textScale ? texts.text(from.number()) : plainOf(scale, from.number())
}
