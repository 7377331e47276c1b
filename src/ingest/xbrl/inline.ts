import type { SaxesTagNS } from 'saxes'
import { Failure } from '../../errors.ts'
import { readXml } from '../reading/xml.ts'
import {
  addText,
  isNil,
  mostDepth,
  mostFacts,
  type OpenElement,
  openElement,
  qualified,
  ResourceReader,
  type XbrlFact,
  type XbrlInstance,
} from './instance.ts'

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

/** No number or date is longer. The patterns below take the square of a text's length. */
const longestShown = 200

/** The number that a text shows, plain and without a sign, by the registered transformation that its format names;
 * null where the text is not of that form, undefined where the format is none that is known. */
export function plainNumber(text: string, format: string): string | null | undefined {
  if (text.replace(/\s+/g, ' ').length > longestShown) return null
  switch (baseName(format)) {
    case '':
      return matched(text, /^\d+(\.\d+)?$/)
    case 'numdotdecimal':
    case 'numcommadot':
    case 'numspacedot':
      return matched(text.replace(/[,\s]/g, ''), /^(\d+(\.\d+)?|\.\d+)$/)
    case 'numcommadecimal':
    case 'numdotcomma':
    case 'numspacecomma':
      return matched(text.replace(/[.\s]/g, '').replace(',', '.'), /^(\d+(\.\d+)?|\.\d+)$/)
    case 'numunitdecimal': {
      const parts = /^([\d,]+)\D+(\d{1,2})\D*$/.exec(text.replace(/\s/g, ''))
      return parts ? `${parts[1].replaceAll(',', '')}.${parts[2].padStart(2, '0')}` : null
    }
    case 'numdash':
    case 'zerodash':
      return /^[-‐-―－−]$/.test(text) ? '0' : null
    case 'fixedzero':
      return '0'
    default:
      return undefined
  }
}

/** What a text that is no number says: Japanese dates as `YYYY-MM-DD`, fixed words as themselves. */
export function plainText(text: string, format: string): string {
  if (text.length > longestShown) return text
  switch (baseName(format)) {
    case 'dateyearmonthdaycjk':
    case 'dateyearmonthday':
      return isoOf(text, 0)
    case 'dateerayearmonthdayjp':
      return isoOf(text, eraStart(text))
    case 'booleantrue':
    case 'fixedtrue':
      return 'true'
    case 'booleanfalse':
    case 'fixedfalse':
      return 'false'
    case 'nocontent':
    case 'fixedempty':
      return ''
    default:
      return text
  }
}

/** `numdotdecimal` of `ixt:numdotdecimal` and of `ixt4:num-dot-decimal`. */
const baseName = (format: string) => format.slice(format.indexOf(':') + 1).replaceAll('-', '')

const matched = (text: string, pattern: RegExp) => (pattern.test(text) ? text : null)

/** The year before the first of each era. */
const eras = { 令和: 2018, 平成: 1988, 昭和: 1925 } as const

function eraStart(text: string): number {
  for (const [era, before] of Object.entries(eras)) if (text.includes(era)) return before
  return Number.NaN
}

function isoOf(text: string, before: number): string {
  const parts = /(\d+|元)\s*年\s*(\d+)\s*月\s*(\d+)\s*日/.exec(text.normalize('NFKC'))
  if (parts === null || Number.isNaN(before)) return text
  const year = before + (parts[1] === '元' ? 1 : Number(parts[1]))
  return `${String(year).padStart(4, '0')}-${parts[2].padStart(2, '0')}-${parts[3].padStart(2, '0')}`
}

/** A plain number times a power of ten, exactly: the digits stay, the point moves. */
export function shiftDecimal(plain: string, scale: number): string {
  const [whole, fraction = ''] = plain.split('.')
  const digits = whole + fraction
  const point = whole.length + scale
  if (point <= 0) return trimmed(`0.${'0'.repeat(-point)}${digits}`)
  if (point >= digits.length) return trimmed(digits + '0'.repeat(point - digits.length))
  return trimmed(`${digits.slice(0, point)}.${digits.slice(point)}`)
}

const trimmed = (number: string) => number.replace(/^0+(?=\d)/, '')
