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
 * Encodes the figures of a filing as columns, sorted by concept and context: the references of concepts with
 * the number of figures of each, then contexts, units, accuracies, exponents and significant digits. Exact:
 * `decodeFigures` returns the same figures, in this order.
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
  // Figures are scattered in memory, and reading them once takes longer than all that follows.
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
  /** Those with figures. */
  readonly concepts: readonly string[]
  /** The figures of these concepts, which takes a fraction of the time of all figures; null: all. */
  readonly figuresOf: (concepts: ReadonlySet<string> | null) => readonly ReportedFigure[]
}

/** Reads what a block of figures begins with, and its figures on demand. */
export function openFigures(bytes: Uint8Array, terms: Terms): OpenFigures {
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

/** The contexts of a filing. Equal contexts are one, also if a reader made several objects of it. */
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

const zigzag = (value: number) => (value < 0 ? -value * 2 - 1 : value * 2)
const unzigzag = (coded: number) => (coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2)

/** All integers of this many digits are exact doubles. */
const maxDigits = 15
const nilScale = 0
const textScale = 1

/**
 * Decimal numbers as integers and powers of ten. Amounts are mostly in thousands or millions, so positive
 * exponents are multiples of three: more would compress worse.
 */
class ValueColumns {
  /** `nilScale`, `textScale`, or the sign and the exponent. */
  readonly scales: Uint32Array
  /** The integer; for a number with more digits than a double has, the reference of its text. */
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

function readValue(scale: number, from: ByteReader, texts: TextReader): string | null {
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
