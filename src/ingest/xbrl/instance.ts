import type { SaxesAttributeNS, SaxesTagNS } from 'saxes'
import { Failure } from '../../errors.ts'
import { dayOf } from '../reading/fields.ts'
import { readXml } from '../reading/xml.ts'

/** An XBRL instance, plain: its contexts, units and facts. Inline XBRL is another form of the same (see `readInline`). */
export interface XbrlInstance {
  readonly contexts: ReadonlyMap<string, XbrlContext>
  /** `JPY`, `shares`, `JPY/shares`, by id. */
  readonly units: ReadonlyMap<string, string>
  readonly facts: readonly XbrlFact[]
}

export interface XbrlContext {
  /** The number under which the entity reports. */
  readonly entity: string
  /** First day; null for an instant. Days since 1970-01-01. */
  readonly start: number | null
  readonly end: number
  /** Member by dimension, both as `{namespace}name`; a typed member as its text. Empty: the entity as a whole. */
  readonly dimensions: ReadonlyMap<string, string>
}

export interface XbrlFact {
  readonly namespace: string
  readonly name: string
  readonly context: string
  readonly unit: string | null
  /** The text as it stands; null where the fact is nil. */
  readonly value: string | null
}

/** Reads an instance in one pass. Documents with a DOCTYPE are refused: entities could be bombs or name files. Facts in
 * tuples are taken like others; footnotes and schema references are passed over. */
export function readXbrl(text: string): XbrlInstance {
  const reader = new InstanceReader()
  readXml(text, reader)
  const { facts } = reader
  const { contexts, units } = reader.resources
  if (!reader.isInstance) throw new Failure('body_invalid', 'The document is no XBRL instance.')
  return { contexts, units, facts }
}

class InstanceReader {
  readonly resources = new ResourceReader()
  readonly facts: XbrlFact[] = []
  isInstance = false
  readonly #open: OpenElement[] = []

  open(tag: SaxesTagNS): string | null {
    if (this.#open.length >= mostDepth) return `elements lie deeper than ${mostDepth} in one another`
    const element = openElement(tag, this.#open.at(-1))
    this.#open.push(element)
    if (element.uri === instance && element.local === 'xbrl') this.isInstance = true
    this.resources.open(element)
    return null
  }

  text(piece: string): void {
    const element = this.#open.at(-1)
    if (element !== undefined) addText(element, piece)
  }

  close(): string | null {
    const element = this.#open.pop()
    if (element === undefined) return null
    if (this.resources.isInside) return this.resources.close(element)
    const { uri, local, attributes } = element
    if (uri === instance || attributes.contextRef === undefined) return null
    if (this.facts.length >= mostFacts) return `more than ${mostFacts} facts`
    this.facts.push({
      namespace: uri,
      name: local,
      context: attributes.contextRef.value,
      unit: attributes.unitRef?.value ?? null,
      value: isNil(attributes) ? null : element.text.trim(),
    })
    return null
  }
}

export const instance = 'http://www.xbrl.org/2003/instance'
export const schemaInstance = 'http://www.w3.org/2001/XMLSchema-instance'
const dimensional = 'http://xbrl.org/2006/xbrldi'

/** Elements that lie deeper in one another than this are refused. */
export const mostDepth = 200
export const mostFacts = 500_000
/** No text that is a figure or a name is this long. */
const longestText = 10_001

export interface OpenElement {
  readonly uri: string
  readonly local: string
  readonly attributes: Record<string, SaxesAttributeNS>
  /** Prefixes in force, where a text may hold a qualified name. */
  readonly namespaces: Record<string, string>
  text: string
}

const noNamespaces: Record<string, string> = Object.create(null)

/** An element as it is opened below `parent`. */
export function openElement(
  { uri, local, attributes, ns }: SaxesTagNS,
  parent: OpenElement | undefined,
): OpenElement {
  const declares = Object.keys(ns ?? {}).length > 0
  // Each element looks up to the one around it: to copy what is in force would take as long as all elements times all prefixes.
  const around = parent?.namespaces ?? noNamespaces
  const namespaces = declares ? Object.assign(Object.create(around), ns) : around
  return { uri, local, attributes, namespaces, text: '' }
}

/** Adds to what stands in an element, as far as it may be a figure or a name. */
export function addText(element: OpenElement, piece: string): void {
  const room = longestText - element.text.length
  if (room > 0) element.text += piece.length <= room ? piece : piece.slice(0, room)
}

export const isNil = (attributes: Record<string, SaxesAttributeNS>): boolean =>
  Object.values(attributes).some(
    ({ uri, local, value }) => uri === schemaInstance && local === 'nil' && /^(true|1)$/.test(value.trim()),
  )

interface ContextDraft {
  entity: string
  start: number
  end: number
  instant: number
  readonly dimensions: Map<string, string>
}

interface UnitDraft {
  readonly numerator: string[]
  readonly denominator: string[]
  isBelow: boolean
}

/** Gathers contexts and units, which an instance and the header of an inline document state in the same elements. */
export class ResourceReader {
  readonly contexts = new Map<string, XbrlContext>()
  readonly units = new Map<string, string>()
  #context: ContextDraft | null = null
  #unit: UnitDraft | null = null

  /** True inside a context or a unit: what stands there is no fact. */
  get isInside(): boolean {
    return this.#context !== null || this.#unit !== null
  }

  open({ uri, local }: OpenElement): void {
    if (uri !== instance) return
    if (local === 'context') {
      const none = Number.NaN
      this.#context = { entity: '', start: none, end: none, instant: none, dimensions: new Map() }
    }
    if (local === 'unit') this.#unit = { numerator: [], denominator: [], isBelow: false }
    if (local === 'unitDenominator' && this.#unit) this.#unit.isBelow = true
  }

  /** What is wrong with the element; null: nothing. */
  close(element: OpenElement): string | null {
    if (this.#context !== null) return this.#closeInContext(element, this.#context)
    if (this.#unit !== null) this.#closeInUnit(element, this.#unit)
    return null
  }

  #closeInContext(element: OpenElement, context: ContextDraft): string | null {
    const { uri, local, attributes } = element
    const text = element.text.trim()
    if (uri === dimensional && local === 'explicitMember') {
      context.dimensions.set(
        qualified(attributes.dimension?.value ?? '', element.namespaces),
        qualified(text, element.namespaces),
      )
    } else if (uri === dimensional && local === 'typedMember') {
      const dimension = qualified(attributes.dimension?.value ?? '', element.namespaces)
      if (!context.dimensions.has(dimension)) context.dimensions.set(dimension, text)
    }
    if (uri !== instance) return null
    if (local === 'identifier') context.entity = text
    else if (local === 'startDate') context.start = dayOf(text.slice(0, 10))
    else if (local === 'endDate') context.end = dayOf(text.slice(0, 10))
    else if (local === 'instant') context.instant = dayOf(text.slice(0, 10))
    if (local !== 'context') return null
    this.#context = null
    const id = attributes.id?.value ?? ''
    const isInstant = !Number.isNaN(context.instant)
    const start = isInstant ? null : context.start
    const end = isInstant ? context.instant : context.end
    // A period "for ever" has no days and is no period of an account.
    if (Number.isNaN(end) || (start !== null && Number.isNaN(start))) return null
    if (start !== null && start > end) return `context ${id} ends before it starts`
    this.contexts.set(id, { entity: context.entity, start, end, dimensions: context.dimensions })
    return null
  }

  #closeInUnit(element: OpenElement, unit: UnitDraft): void {
    if (element.uri !== instance) return
    if (element.local === 'measure') {
      const text = element.text.trim()
      const measure = text.slice(text.indexOf(':') + 1)
      ;(unit.isBelow ? unit.denominator : unit.numerator).push(measure)
    }
    if (element.local !== 'unit') return
    this.#unit = null
    const { numerator, denominator } = unit
    const above = numerator.join('*')
    this.units.set(
      element.attributes.id?.value ?? '',
      denominator.length > 0 ? `${above}/${denominator.join('*')}` : above,
    )
  }
}

/** `{namespace}name` of a name with a prefix. */
export function qualified(name: string, namespaces: Record<string, string>): string {
  const colon = name.indexOf(':')
  const prefix = colon < 0 ? '' : name.slice(0, colon).trim()
  return `{${namespaces[prefix] ?? ''}}${name.slice(colon + 1).trim()}`
}
