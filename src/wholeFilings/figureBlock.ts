import { ByteReader, ByteWriter } from './bytes.ts'
import { compress, decompress } from './compression.ts'
import {
  columnsOf,
  type FigureColumns,
  Numbering,
  nilScale,
  plainOf,
  textScale,
  unzigzag,
  zigzag,
} from './figureColumns.ts'
import type { Terms } from './terms.ts'
import { type OwnTexts, TextReader, TextWriter } from './texts.ts'
import type { Dimension, FigureContext, ReportedFigure, WholeFiling } from './wholeFiling.ts'

const formatVersion = 1

export interface FigureBlock {
  readonly bytes: Uint8Array
  /** The texts of the block that are not terms. The filing's presentation refers to them. */
  readonly ownTexts: readonly string[]
}

/**
 * Encodes the figures of a filing as columns, sorted by concept and context: the references of concepts with the
 * number of figures of each, then contexts, units, accuracies, exponents and significant digits. The encoding is
 * lossless: `decodeFigures` returns the same figures in this order.
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
  const steps = new Uint32Array(count)
  let concept = -1
  let context = 0
  for (let position = 0; position < count; position++) {
    const at = order[position]
    if (conceptOf[at] !== concept) context = 0
    concept = conceptOf[at]
    steps[at] = contextOf[at] - context
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
  const { unitOf, accuracyOf, scales } = columns
  for (const column of [steps, unitOf, accuracyOf, scales]) block.numbersAt(column, order)
  const digits = longValues.length === 0 ? columns.digits : withReferences(columns, longValues)
  block.numbersAt(digits, scales.includes(nilScale) ? order.filter(at => scales[at] !== nilScale) : order)
  return { bytes: compress(block.view()), ownTexts: texts.own }
}

/** The digits of figures, with the references of those that are texts. */
const withReferences = ({ digits, scales }: FigureColumns, longValues: readonly number[]) =>
  digits.map((value, at) => (scales[at] === textScale ? longValues[value] : value))

export interface DecodedFigures extends Pick<WholeFiling, 'figures' | 'taxonomies' | 'defaultMembers'> {
  readonly ownTexts: readonly string[]
}

export function decodeFigures(bytes: Uint8Array, terms: Terms): DecodedFigures {
  const { taxonomies, defaultMembers, ownTexts, figuresOf } = openFigures(bytes, terms)
  return { figures: figuresOf(null), taxonomies, defaultMembers, ownTexts: ownTexts.all() }
}

export interface OpenFigures extends Pick<DecodedFigures, 'taxonomies' | 'defaultMembers'> {
  readonly ownTexts: OwnTexts
  /** The concepts that have figures. */
  readonly concepts: readonly string[]
  /** Decodes the figures of these concepts, in a fraction of the time of decoding all; null decodes all. */
  readonly figuresOf: (concepts: ReadonlySet<string> | null) => readonly ReportedFigure[]
}

/** Reads the head of a block of figures now, and its figures on demand. */
export function openFigures(bytes: Uint8Array, terms: Terms): OpenFigures {
  const from = new ByteReader(decompress(bytes))
  checkVersion(from)
  const texts = new TextReader(terms, from)
  const taxonomies = readPairs(from, texts)
  const defaultMembers = readPairs(from, texts)
  const beforeContexts = from.fork()
  let contexts: readonly FigureContext[] | null = null
  skipContexts(from)
  const concepts = readConcepts(from, texts)
  const units = Array.from({ length: from.number() }, () => texts.text(from.number()))
  const accuracies = Array.from({ length: from.number() }, () => decimalsOfCode(from.number()))
  const count = concepts.reduce((sum, { figures }) => sum + figures, 0)
  const [steps, unitOf, accuracyOf, scales] = [0, 1, 2, 3].map(() => from.numbers(count))
  const values = from.at
  const figuresOf = (wanted: ReadonlySet<string> | null) => {
    from.moveTo(values)
    contexts ??= readContexts(beforeContexts, texts)
    const figures: ReportedFigure[] = []
    let at = 0
    let unread = 0
    for (const { concept, figures: ofConcept } of concepts) {
      const end = at + ofConcept
      if (wanted?.has(concept) === false) {
        for (; at < end; at++) if (scales[at] !== nilScale) unread++
        continue
      }
      from.skipNumbers(unread)
      unread = 0
      for (let context = 0; at < end; at++) {
        context += steps[at]
        figures.push({
          concept,
          context: known(contexts[context]),
          unit: known(units[unitOf[at]]),
          decimals: known(accuracies[accuracyOf[at]]),
          value: readValue(scales[at], from, texts),
        })
      }
    }
    from.skipNumbers(unread)
    if (!from.isAtEnd) throw new Error('a block of figures is longer than its figures')
    return figures
  }
  return {
    taxonomies,
    defaultMembers,
    ownTexts: texts.own,
    concepts: concepts.map(({ concept }) => concept),
    figuresOf,
  }
}

/** A concept that is sought in many blocks. */
export class SoughtConcept {
  readonly name: string
  readonly #terms: Terms
  readonly #bytes: Uint8Array

  constructor(name: string, terms: Terms) {
    this.name = name
    this.#terms = terms
    this.#bytes = new TextEncoder().encode(name)
  }

  /** Skips the own texts of a block. Returns the reference of the concept in it, or null if it is not there. */
  skipOwnTexts(from: ByteReader): number | null {
    let reference: number | null = null
    const count = from.number()
    for (let at = 0; at < count; at++) if (from.skipText(this.#bytes)) reference = at * 2 + 1
    // A block that is older than the term has the concept among its own texts.
    if (reference !== null) return reference
    const number = this.#terms.numberOf(this.name)
    return number === undefined ? null : number * 2
  }
}

/**
 * Decodes only the figures of one concept for the whole company, without dimensions. They equal those of
 * `decodeFigures`, but take a fraction of the time.
 */
export function decodeFiguresOf(bytes: Uint8Array, sought: SoughtConcept, terms: Terms): ReportedFigure[] {
  const from = new ByteReader(decompress(bytes))
  checkVersion(from)
  const beforeTexts = from.fork()
  const wanted = sought.skipOwnTexts(from)
  if (wanted === null) return []
  for (let lists = 0; lists < 2; lists++) from.skipNumbers(from.number() * 2)
  const beforeContexts = from.fork()
  skipContexts(from)
  const { first, ofConcept, count } = findConcept(from, wanted)
  if (ofConcept === 0) return []

  const texts = new FewTexts(terms, beforeTexts)
  const contexts = readWholeContexts(beforeContexts)
  const units = Array.from({ length: from.number() }, () => from.number())
  const accuracies = Array.from({ length: from.number() }, () => decimalsOfCode(from.number()))
  const column = () => {
    from.skipNumbers(first)
    const values = Array.from({ length: ofConcept }, () => from.number())
    from.skipNumbers(count - first - ofConcept)
    return values
  }
  const [steps, unitOf, accuracyOf] = [column(), column(), column()]
  const valuesBefore = from.numbers(first).reduce((sum, scale) => (scale === nilScale ? sum : sum + 1), 0)
  const scales = Array.from({ length: ofConcept }, () => from.number())
  from.skipNumbers(count - first - ofConcept + valuesBefore)
  const figures: ReportedFigure[] = []
  let context = 0
  for (let at = 0; at < ofConcept; at++) {
    context += steps[at]
    // Contexts without dimensions come first, and so do the figures in them.
    if (context >= contexts.length) break
    figures.push({
      concept: sought.name,
      context: contexts[context],
      unit: texts.text(known(units[unitOf[at]])),
      decimals: accuracies[accuracyOf[at]],
      value: readValue(scales[at], from, texts),
    })
  }
  return figures
}

/** Reads single texts from a block, which is faster than reading all of them if few are needed. */
class FewTexts {
  readonly #terms: Terms
  readonly #beforeTexts: ByteReader

  constructor(terms: Terms, beforeTexts: ByteReader) {
    this.#terms = terms
    this.#beforeTexts = beforeTexts
  }

  text(reference: number): string {
    if (reference % 2 === 0) return this.#terms.text(reference / 2)
    const from = this.#beforeTexts.fork()
    const at = (reference - 1) / 2
    if (at >= from.number()) throw new Error(`a block of a filing refers to its unknown text ${reference}`)
    for (let skipped = 0; skipped < at; skipped++) from.skipBytes(from.number())
    return from.text()
  }
}

/** Reads all concepts. Returns the position and number of the figures of one, and the number of all figures. */
function findConcept(from: ByteReader, wanted: number): { first: number; ofConcept: number; count: number } {
  let reference = 0
  let first = 0
  let ofConcept = 0
  let count = 0
  const concepts = from.numbers(from.number() * 2)
  for (let at = 0; at < concepts.length; at += 2) {
    reference += concepts[at]
    const figures = concepts[at + 1]
    if (reference === wanted) {
      first = count
      ofConcept = figures
    }
    count += figures
  }
  return { first, ofConcept, count }
}

function checkVersion(from: ByteReader): void {
  const version = from.number()
  if (version !== formatVersion) throw new Error(`a block of figures has the unknown version ${version}`)
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a block of figures refers to something that it does not contain')
  return value
}

/** The position of each value among all values in ascending order. */
function ranks(values: readonly number[]): Uint32Array {
  // Sorting numbers without a comparison function is several times as fast.
  const keys = new Float64Array(values.length)
  for (let at = 0; at < values.length; at++) keys[at] = values[at] * values.length + at
  keys.sort()
  const rank = new Uint32Array(values.length)
  for (let position = 0; position < keys.length; position++) rank[keys[position] % values.length] = position
  return rank
}

/** A stable counting sort. Returns the positions of `keys` in ascending order; equal keys keep the order of `before`. */
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
  const ascending = Float64Array.from(references).sort()
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

function skipContexts(from: ByteReader): void {
  for (let lists = from.number(); lists > 0; lists--) from.skipNumbers(from.number() * 2)
  from.skipNumbers(from.number() * 3)
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
    return { ...readLength(from.number(), end), dimensions: known(lists[list]) }
  })
}

function readLength(code: number, end: number): Omit<FigureContext, 'dimensions'> {
  const isExact = code % 2 === 0
  const start = isExact && code > 0 ? end - (code - 2) / 2 : null
  return { start, end, quarters: isExact ? null : (code - 1) / 2 }
}

/** The contexts without dimensions, which come before all others. */
function readWholeContexts(from: ByteReader): FigureContext[] {
  for (let lists = from.number(); lists > 0; lists--) from.skipNumbers(from.number() * 2)
  const contexts: FigureContext[] = []
  let end = 0
  for (let left = from.number(); left > 0; left--) {
    if (from.number() > 0) break
    end += from.signed()
    contexts.push({ ...readLength(from.number(), end), dimensions: [] })
  }
  return contexts
}

/** 0 for unstated, 1 for exact. */
const codeOfDecimals = (decimals: number | null) =>
  decimals === null ? 0 : decimals === Number.POSITIVE_INFINITY ? 1 : 2 + zigzag(decimals)

const decimalsOfCode = (code: number) =>
  code === 0 ? null : code === 1 ? Number.POSITIVE_INFINITY : unzigzag(code - 2)

function readValue(scale: number, from: ByteReader, texts: Pick<TextReader, 'text'>): string | null {
  if (scale === nilScale) return null
  return scale === textScale ? texts.text(from.number()) : plainOf(scale, from.number())
}
