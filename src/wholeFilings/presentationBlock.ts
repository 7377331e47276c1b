import { ByteReader, ByteWriter } from './bytes.ts'
import { compress, decompress } from './compression.ts'
import { unzigzag } from './figureColumns.ts'
import type { Terms } from './terms.ts'
import { OwnTexts, TextReader, TextWriter } from './texts.ts'
import {
  type Statement,
  type StatementLine,
  type Sum,
  statementKinds,
  type WholeFiling,
} from './wholeFiling.ts'

const formatVersion = 1

/** Added to the number of a statement's kind if all its figures have dimensions in common. */
const hasDimensions = 32

type Presentation = Pick<WholeFiling, 'statements' | 'sums'>

/**
 * Encodes the statements of a filing and its sums. Exact: `decodePresentation` returns the same ones.
 *
 * @param ownTexts those of the filing's block of figures, whose concepts the lines repeat
 */
export function encodePresentation(
  { statements, sums }: Presentation,
  terms: Terms,
  ownTexts: readonly string[],
): Uint8Array {
  const texts = new TextWriter(terms, ownTexts)
  const body = new ByteWriter()
  const optional = (text: string | null) => body.number(text === null ? 0 : texts.reference(text) + 1)
  body.number(statements.length)
  for (const { role, title, kind, parenthetical, dimensions = [], lines } of statements) {
    body.number(texts.reference(role))
    optional(title)
    const code = (kind === null ? 0 : statementKinds.indexOf(kind) + 1) * 2 + (parenthetical ? 1 : 0)
    body.number(code + (dimensions.length === 0 ? 0 : hasDimensions))
    if (dimensions.length > 0) body.number(dimensions.length)
    for (const { axis, member } of dimensions) {
      body.number(texts.reference(axis))
      body.number(texts.reference(member))
    }
    body.number(lines.length)
  }
  const lines = statements.flatMap(statement => statement.lines)
  for (const { concept } of lines) body.number(texts.reference(concept))
  for (const { label } of lines) optional(label)
  for (const { labelRole } of lines) optional(labelRole)
  for (const { depth, negated } of lines)
    body.number((depth === null ? 0 : depth + 1) * 2 + (negated ? 1 : 0))
  for (const statement of statements) {
    let order = 0
    for (const line of statement.lines) {
      body.signed(line.order - order - 1)
      order = line.order
    }
  }
  writeSums(body, sums, texts)
  const block = new ByteWriter()
  block.number(formatVersion)
  texts.writeOwn(block)
  block.bytes(body.view())
  return compress(block.view())
}

/** @param ownTexts those of the filing's block of figures */
export function decodePresentation(
  bytes: Uint8Array,
  terms: Terms,
  ownTexts: readonly string[] | OwnTexts,
): Presentation {
  const from = new ByteReader(decompress(bytes))
  const version = from.number()
  if (version !== formatVersion) throw new Error(`a block of statements has the unknown version ${version}`)
  const known = ownTexts instanceof OwnTexts ? ownTexts : new OwnTexts(ownTexts)
  const texts = new TextReader(terms, from, known)
  const optional = () => {
    const reference = from.number()
    return reference === 0 ? null : texts.text(reference - 1)
  }
  const heads = Array.from({ length: from.number() }, () => {
    const [role, title, code] = [texts.text(from.number()), optional(), from.number()]
    const dimensions = Array.from({ length: code >= hasDimensions ? from.number() : 0 }, () => ({
      axis: texts.text(from.number()),
      member: texts.text(from.number()),
    }))
    const lines = from.number()
    const kindNumber = Math.floor((code % hasDimensions) / 2)
    const kind = kindNumber === 0 ? null : statementKinds[kindNumber - 1]
    const parenthetical = code % 2 === 1
    return { role, title, kind, parenthetical, ...(dimensions.length === 0 ? {} : { dimensions }), lines }
  })
  const count = heads.reduce((sum, { lines }) => sum + lines, 0)
  const [concepts, labels, roles, shapes] = [0, 1, 2, 3].map(() => from.numbers(count))
  const orders = from.numbers(count)
  let begin = 0
  const statements = heads.map(({ lines: lineCount, ...head }): Statement => {
    const first = begin
    begin += lineCount
    let lines: readonly StatementLine[] | null = null
    return {
      ...head,
      // A filing presents a hundred statements and notes, and most readers want one of them.
      get lines() {
        lines ??= linesFrom(first, lineCount)
        return lines
      },
    }
  })
  const optionalText = (reference: number) => (reference === 0 ? null : texts.text(reference - 1))
  function linesFrom(first: number, lineCount: number): StatementLine[] {
    let order = 0
    return Array.from({ length: lineCount }, (_, index): StatementLine => {
      const at = first + index
      order += unzigzag(orders[at]) + 1
      const depth = Math.floor(shapes[at] / 2) - 1
      return {
        order,
        concept: texts.text(concepts[at]),
        depth: depth < 0 ? null : depth,
        label: optionalText(labels[at]),
        labelRole: optionalText(roles[at]),
        negated: shapes[at] % 2 === 1,
      }
    })
  }
  const sums = readSums(from, texts)
  if (!from.isAtEnd) throw new Error('a block of statements is longer than its statements')
  return { statements, sums }
}

/** Weights are 1 or -1, except in a few filings. */
function writeSums(to: ByteWriter, sums: readonly Sum[], texts: TextWriter): void {
  to.number(sums.length)
  for (const { role, total, items } of sums) {
    to.number(texts.reference(role))
    to.number(texts.reference(total))
    to.number(items.length)
    for (const { concept, weight } of items) {
      to.number(texts.reference(concept))
      to.number(weight === 1 ? 0 : weight === -1 ? 1 : texts.reference(String(weight)) + 2)
    }
  }
}

const readSums = (from: ByteReader, texts: TextReader): Sum[] =>
  Array.from({ length: from.number() }, () => {
    const [role, total] = [texts.text(from.number()), texts.text(from.number())]
    const items = Array.from({ length: from.number() }, () => {
      const concept = texts.text(from.number())
      const code = from.number()
      return { concept, weight: code === 0 ? 1 : code === 1 ? -1 : Number(texts.text(code - 2)) }
    })
    return { role, total, items }
  })
