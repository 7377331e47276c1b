import type { SaxesTagNS } from 'saxes'
import { Failure } from '../../errors.ts'
import { readXml } from '../reading/readXml.ts'
import { plainNumber, plainText, shiftDecimal } from './inlineFormat.ts'
import type { XbrlFact, XbrlInstance } from './readXbrl.ts'
import {
  addText,
  isNil,
  mostDepth,
  mostFacts,
  type OpenElement,
  openElement,
  qualified,
  ResourceReader,
} from './resourceReader.ts'

/** One of the documents that make up an inline report. */
export interface InlineDocument {
  readonly name: string
  readonly text: string
}

const inlineNamespaces: ReadonlySet<string> = new Set([
  'http://www.xbrl.org/2008/inlineXBRL',
  'http://www.xbrl.org/2013/inlineXBRL',
])

/** No figure is scaled further. */
const mostScale = 30

/** Reads an inline XBRL report: figures and short texts of all its documents, contexts and units of their headers. A
 * figure is what an instance would state: format, scale and sign are applied, digit by digit. Blocks of text (`escape`,
 * `continuedAt`) and documents for another target are passed over: none holds a figure or a name. */
export function readInline(documents: readonly InlineDocument[]): XbrlInstance {
  const resources = new ResourceReader()
  const facts: XbrlFact[] = []
  let isInline = false
  for (const document of documents) isInline = readOne(document, resources, facts) || isInline
  if (!isInline) throw new Failure('body_invalid', 'No document of the set is inline XBRL.')
  const { contexts, units } = resources
  return { contexts, units, facts }
}

function readOne({ name, text }: InlineDocument, resources: ResourceReader, facts: XbrlFact[]): boolean {
  const reader = new InlineReader(resources, facts)
  readXml(text, reader, `${name}, `)
  return reader.isInline
}

class InlineReader {
  isInline = false
  readonly #open: OpenElement[] = []
  /** Facts that are open around the place: one may lie in another. */
  readonly #facts: OpenElement[] = []
  #excluded = 0
  readonly #resources: ResourceReader
  readonly #into: XbrlFact[]

  constructor(resources: ResourceReader, into: XbrlFact[]) {
    this.#resources = resources
    this.#into = into
  }

  open(tag: SaxesTagNS): string | null {
    if (this.#open.length >= mostDepth) return `elements lie deeper than ${mostDepth} in one another`
    const element = openElement(tag, this.#open.at(-1))
    this.#open.push(element)
    this.#resources.open(element)
    if (!inlineNamespaces.has(element.uri)) return null
    this.isInline = true
    if (element.local === 'fraction') return 'ix:fraction is not read'
    if (element.local === 'exclude') this.#excluded++
    if (isFact(element)) this.#facts.push(element)
    return null
  }

  text(piece: string): void {
    if (this.#resources.isInside) {
      const element = this.#open.at(-1)
      if (element !== undefined) addText(element, piece)
    } else if (this.#excluded === 0) {
      for (const fact of this.#facts) addText(fact, piece)
    }
  }

  close(): string | null {
    const element = this.#open.pop()
    if (element === undefined) return null
    if (this.#resources.isInside) return this.#resources.close(element)
    if (!inlineNamespaces.has(element.uri)) return null
    if (element.local === 'exclude') this.#excluded--
    if (this.#facts.at(-1) !== element) return null
    this.#facts.pop()
    if (this.#into.length >= mostFacts) return `more than ${mostFacts} facts`
    const { attributes, namespaces } = element
    const nameInBraces = qualified(attributes.name?.value ?? '', namespaces)
    const brace = nameInBraces.indexOf('}')
    const value = isNil(attributes) ? null : factValue(element)
    if (typeof value === 'object' && value !== null) return value.fault
    this.#into.push({
      namespace: nameInBraces.slice(1, brace),
      name: nameInBraces.slice(brace + 1),
      context: attributes.contextRef?.value ?? '',
      unit: attributes.unitRef?.value ?? null,
      value,
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
  if (plain === undefined) return { fault: `${name} has the format ${format}, which is not known` }
  if (plain === null)
    return { fault: `${name} shows ${JSON.stringify(shown.slice(0, 40))}, no number of the format ${format}` }
  const scale = Number(attributes.scale?.value ?? '0')
  if (!Number.isInteger(scale) || Math.abs(scale) > mostScale)
    return { fault: `${name} has the scale ${attributes.scale?.value}` }
  const sign = attributes.sign?.value ?? ''
  if (sign !== '' && sign !== '-') return { fault: `${name} has the sign ${sign}` }
  const value = shiftDecimal(plain, scale)
  return sign === '-' && /[1-9]/.test(value) ? `-${value}` : value
}
