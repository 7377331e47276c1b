import { ByteReader, ByteWriter } from './bytes.ts'
import { compress, decompress } from './compression.ts'
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
  { figures, taxonomies, defaultMembers }: Pick<WholeFiling, 'figures' | 'taxonomies' | 'defaultMembers'>,
  terms: Terms,
): FigureBlock {
  const texts = new TextWriter(terms)
  const head = new ByteWriter()
  writePairs(head, texts, taxonomies)
  writePairs(head, texts, defaultMembers)
  const units = new Numbering<string>()
  const accuracies = new Numbering<number | null>()
  const contexts = new ContextTable()
  const concepts = new Numbering<string>()
  const count = figures.length
  const conceptOf = new Uint32Array(count)
  const contextOf = new Uint32Array(count)
  const unitOf = new Uint32Array(count)
  const accuracyOf = new Uint32Array(count)
  const values = new ValueColumns(count)
  // The figures are scattered in memory, so reading each of them once takes longer than everything that follows.
  for (let at = 0; at < count; at++) {
    const { concept, context, unit, decimals, value } = figures[at]
    conceptOf[at] = concepts.number(concept)
    contextOf[at] = contexts.number(context)
    unitOf[at] = units.number(unit)
    accuracyOf[at] = accuracies.number(decimals)
    values.set(at, value, texts)
  }
  const contextRank = contexts.write(head, texts)
  for (let at = 0; at < count; at++) contextOf[at] = contextRank[contextOf[at]]
  const references = concepts.values.map(concept => texts.reference(concept))
  const conceptRank = ranks(references)
  for (let at = 0; at < count; at++) conceptOf[at] = conceptRank[conceptOf[at]]
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
  for (const column of [unitOf, accuracyOf, values.scales])
    for (let position = 0; position < count; position++) block.number(column[order[position]])
  for (let position = 0; position < count; position++) {
    const at = order[position]
    if (values.scales[at] !== nilScale) block.number(values.digits[at])
  }
  return { bytes: compress(block.view()), ownTexts: texts.own }
}

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
  const contexts = readContexts(from, texts)
  const concepts = readConcepts(from, texts)
  const units = Array.from({ length: from.number() }, () => texts.text(from.number()))
  const accuracies = Array.from({ length: from.number() }, () => decimalsOfCode(from.number()))
  const count = concepts.reduce((sum, { figures }) => sum + figures, 0)
  const [steps, unitOf, accuracyOf, scales] = [0, 1, 2, 3].map(() => from.numbers(count))
  const values = from.at
  const figuresOf = (wanted: ReadonlySet<string> | null) => {
    from.moveTo(values)
    const figures: ReportedFigure[] = []
    let at = 0
    for (const { concept, figures: ofConcept } of concepts) {
      const end = at + ofConcept
      if (wanted?.has(concept) === false) {
        for (; at < end; at++) if (scales[at] !== nilScale) from.skip()
        continue
      }
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
 * The figures that a block has of one concept for the whole company, without dimensions: the same that
 * `decodeFigures` returns, in a fraction of the time.
 */
export function decodeFiguresOf(bytes: Uint8Array, sought: SoughtConcept, terms: Terms): ReportedFigure[] {
  const from = new ByteReader(decompress(bytes))
  checkVersion(from)
  const beforeTexts = from.fork()
  const wanted = sought.skipOwnTexts(from)
  if (wanted === null) return []
  for (let lists = 0; lists < 2; lists++) from.skipNumbers(from.number() * 2)
  const beforeContexts = from.fork()
  for (let lists = from.number(); lists > 0; lists--) from.skipNumbers(from.number() * 2)
  from.skipNumbers(from.number() * 3)
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
  let valuesBefore = 0
  for (let at = 0; at < first; at++) if (from.number() !== nilScale) valuesBefore++
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
  for (let concepts = from.number(); concepts > 0; concepts--) {
    reference += from.number()
    const figures = from.number()
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

/** Numbers distinct values in order of their first appearance. */
class Numbering<T> {
  readonly values: T[] = []
  readonly #numbers = new Map<T, number>()
  #last: T | undefined
  #lastNumber = 0

  number(value: T): number {
    if (value === this.#last) return this.#lastNumber
    this.#last = value
    this.#lastNumber = this.#lookUp(value)
    return this.#lastNumber
  }

  #lookUp(value: T): number {
    const known = this.#numbers.get(value)
    if (known !== undefined) return known
    const added = this.values.length
    this.#numbers.set(value, added)
    this.values.push(value)
    return added
  }
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

/** The contexts of a filing. Equal contexts are stored once, even if a reader created several objects for them. */
class ContextTable {
  readonly #byObject = new Map<FigureContext, number>()
  readonly #byContent = new Map<string, number>()
  readonly #contexts: FigureContext[] = []

  number(context: FigureContext): number {
    const known = this.#byObject.get(context)
    if (known !== undefined) return known
    const { start, end, quarters, dimensions } = context
    const content = JSON.stringify([
      start,
      end,
      quarters,
      dimensions.flatMap(each => [each.axis, each.member]),
    ])
    const number = this.#byContent.get(content) ?? this.#contexts.length
    if (number === this.#contexts.length) {
      this.#byContent.set(content, number)
      this.#contexts.push(context)
    }
    this.#byObject.set(context, number)
    return number
  }

  /**
   * Writes the contexts sorted by dimensions and period, so that those of one concept follow one another.
   * Returns the rank of each number.
   */
  write(to: ByteWriter, texts: TextWriter): Uint32Array {
    const lists = new Numbering<string>()
    lists.number('')
    const listOf = this.#contexts.map(({ dimensions }) =>
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
    const sorted = this.#contexts.map((_, at) => at)
    sorted.sort((a, b) => listOf[a] - listOf[b] || comparePeriods(this.#contexts[a], this.#contexts[b]))
    const rank = new Uint32Array(sorted.length)
    to.number(sorted.length)
    let list = 0
    let end = 0
    sorted.forEach((at, position) => {
      rank[at] = position
      const context = this.#contexts[at]
      to.number(listOf[at] - list)
      to.signed(context.end - end)
      to.number(codeOfLength(context))
      list = listOf[at]
      end = context.end
    })
    return rank
  }
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

const zigzag = (value: number) => (value < 0 ? -value * 2 - 1 : value * 2)
const unzigzag = (coded: number) => (coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2)

/** All integers of this many digits are exact doubles. */
const maxDigits = 15
const nilScale = 0
const textScale = 1

/**
 * Decimal numbers as integers and powers of ten. Amounts are mostly in thousands or millions, so positive exponents
 * are multiples of three; a wider choice of exponents would compress worse.
 */
class ValueColumns {
  /** `nilScale`, `textScale`, or the sign and the exponent. */
  readonly scales: Uint32Array
  /** The integer or, for a number with more digits than a double can hold, the reference of its text. */
  readonly digits: Float64Array

  constructor(count: number) {
    this.scales = new Uint32Array(count)
    this.digits = new Float64Array(count)
  }

  set(at: number, value: string | null, texts: TextWriter): void {
    if (value === null) {
      this.scales[at] = nilScale
      return
    }
    const isNegative = value.charCodeAt(0) === 45
    let integer = 0
    let exponent = 0
    let digits = 0
    for (let next = isNegative ? 1 : 0; next < value.length; next++) {
      const code = value.charCodeAt(next)
      if (code === 46) exponent = next + 1 - value.length
      else {
        integer = integer * 10 + (code - 48)
        digits++
      }
    }
    if (digits > maxDigits) {
      this.scales[at] = textScale
      this.digits[at] = texts.reference(value)
      return
    }
    while (exponent >= 0 && integer !== 0 && integer % 1_000 === 0) {
      integer /= 1_000
      exponent += 3
    }
    this.scales[at] = 2 + zigzag(exponent) * 2 + (isNegative ? 1 : 0)
    this.digits[at] = integer
  }
}

function readValue(scale: number, from: ByteReader, texts: Pick<TextReader, 'text'>): string | null {
  if (scale === nilScale) return null
  if (scale === textScale) return texts.text(from.number())
  const isNegative = (scale - 2) % 2 === 1
  const exponent = unzigzag((scale - 2 - (isNegative ? 1 : 0)) / 2)
  const integer = String(from.number())
  const sign = isNegative ? '-' : ''
  if (exponent >= 0) return sign + (integer === '0' ? '0' : integer + '0'.repeat(exponent))
  const padded = integer.padStart(1 - exponent, '0')
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`
}
