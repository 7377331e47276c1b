import type { SaxesTagNS } from 'saxes'
import { Failure } from '../../errors.ts'
import { readXml } from '../reading/xml.ts'
import {
  addText,
  isNil,
  maxDepth,
  maxFacts,
  type OpenElement,
  openElement,
  qualified,
  ResourceReader,
  type XbrlFact,
  type XbrlInstance,
} from './instance.ts'
import { plainNumber, plainText, shiftDecimal } from './transformations.ts'

/** One of the documents of an inline report. */
interface InlineDocument {
  readonly name: string
  readonly text: string
}

const inlineNamespaces: ReadonlySet<string> = new Set([
  'http://www.xbrl.org/2008/inlineXBRL',
  'http://www.xbrl.org/2013/inlineXBRL',
])

/** No real figure has a larger scale. */
const maxScale = 30

/**
 * Reads an inline XBRL report: figures and short texts of all documents, contexts and units from their
 * headers. Format, scale and sign are applied to the digits, so that a figure has the exact value that an
 * instance would state. Skips text blocks (`escape`, `continuedAt`) and facts of other targets, which contain
 * no figures or names.
 */
export function readInline(documents: readonly InlineDocument[]): XbrlInstance {
  const resources = new ResourceReader()
  const facts: XbrlFact[] = []
  let isInline = false
  for (const { name, text } of documents) {
    const reader = new InlineReader(resources, facts)
    readXml(text, reader, `${name}, `)
    isInline ||= reader.isInline
  }
  if (!isInline) throw new Failure('body_invalid', 'None of the documents is inline XBRL.')
  const { contexts, faultyDays, units } = resources
  return { contexts, faultyDays, units, facts }
}

class InlineReader {
  isInline = false
  readonly #open: OpenElement[] = []
  /** Open facts from outer to inner: facts may be nested, and text belongs to all of them. */
  readonly #openFacts: OpenElement[] = []
  #excludeDepth = 0
  readonly #resources: ResourceReader
  readonly #facts: XbrlFact[]

  constructor(resources: ResourceReader, facts: XbrlFact[]) {
    this.#resources = resources
    this.#facts = facts
  }

  open(tag: SaxesTagNS, line: number): string | null {
    if (this.#open.length >= maxDepth) return `elements are nested deeper than ${maxDepth}`
    const element = openElement(tag, line, this.#open.at(-1))
    this.#open.push(element)
    this.#resources.open(element)
    if (!inlineNamespaces.has(element.uri)) return null
    this.isInline = true
    if (element.local === 'fraction') return 'ix:fraction is not supported'
    if (element.local === 'exclude') this.#excludeDepth++
    if (isFact(element)) this.#openFacts.push(element)
    return null
  }

  text(piece: string): void {
    if (this.#resources.isInside) {
      const element = this.#open.at(-1)
      if (element !== undefined) addText(element, piece)
    } else if (this.#excludeDepth === 0) {
      for (const fact of this.#openFacts) addText(fact, piece)
    }
  }

  close(): string | null {
    const element = this.#open.pop()
    if (element === undefined) return null
    if (this.#resources.isInside) return this.#resources.close(element)
    if (!inlineNamespaces.has(element.uri)) return null
    if (element.local === 'exclude') this.#excludeDepth--
    if (this.#openFacts.at(-1) !== element) return null
    this.#openFacts.pop()
    if (this.#facts.length >= maxFacts) return `more than ${maxFacts} facts`
    const { attributes, namespaces, line } = element
    const expandedName = qualified(attributes.name?.value ?? '', namespaces)
    const brace = expandedName.indexOf('}')
    const value = isNil(attributes) ? null : factValue(element)
    if (typeof value === 'object' && value !== null) return value.fault
    this.#facts.push({
      namespace: expandedName.slice(1, brace),
      name: expandedName.slice(brace + 1),
      context: attributes.contextRef?.value ?? '',
      unit: attributes.unitRef?.value ?? null,
      value,
      decimals: attributes.decimals?.value ?? null,
      line,
    })
    return null
  }
}

function isFact({ local, attributes }: OpenElement): boolean {
  if (attributes.target !== undefined) return false
  if (local === 'nonFraction') return true
  const isBlock = /^(true|1)$/.test(attributes.escape?.value ?? '') || attributes.continuedAt !== undefined
  return local === 'nonNumeric' && !isBlock
}

function factValue({ local, attributes, text }: OpenElement): string | { readonly fault: string } {
  const format = attributes.format?.value ?? ''
  const shown = text.trim()
  if (local === 'nonNumeric') return plainText(shown, format)
  const name = attributes.name?.value ?? ''
  const plain = plainNumber(shown, format)
  if (plain === undefined) return { fault: `${name} has the unknown format ${format}` }
  if (plain === null)
    return {
      fault: `${name} shows ${JSON.stringify(shown.slice(0, 40))}, which is not a number of the format ${format}`,
    }
  const scale = Number(attributes.scale?.value ?? '0')
  if (!Number.isInteger(scale) || Math.abs(scale) > maxScale)
    return { fault: `${name} has the scale ${attributes.scale?.value}` }
  const sign = attributes.sign?.value ?? ''
  if (sign !== '' && sign !== '-') return { fault: `${name} has the sign ${sign}` }
  const value = shiftDecimal(plain, scale)
  return sign === '-' && /[1-9]/.test(value) ? `-${value}` : value
}
