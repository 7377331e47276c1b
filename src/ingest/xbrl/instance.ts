import type { SaxesAttributeNS, SaxesTagNS } from 'saxes'
import { Failure } from '../../errors.ts'
import { dayOf } from '../reading/fields.ts'
import { readXml } from '../reading/xml.ts'

/**
 * The contexts, units and facts of an XBRL instance. `readInline` produces the same from an inline report.
 */
export interface XbrlInstance {
  readonly contexts: ReadonlyMap<string, XbrlContext>
  /** By context ID, the text of an invalid date: 2024-13-45. Such contexts are not in `contexts`. */
  readonly faultyDays: ReadonlyMap<string, string>
  /** Units (`JPY`, `shares`, `JPY/shares`) by ID. */
  readonly units: ReadonlyMap<string, string>
  readonly facts: readonly XbrlFact[]
}

export interface XbrlContext {
  /** The identifier of the reporting entity. */
  readonly entity: string
  /** First day in days since 1970-01-01, or null for an instant. */
  readonly start: number | null
  readonly end: number
  /**
   * Member by dimension, both as `{namespace}name`. The member of a typed dimension is its text, after `{}` if it begins
   * with a brace, so that it is never taken for a name. Empty for the whole entity.
   */
  readonly dimensions: ReadonlyMap<string, string>
}

export interface XbrlFact {
  readonly namespace: string
  readonly name: string
  readonly context: string
  readonly unit: string | null
  /** The text of the fact, or null if it is nil. */
  readonly value: string | null
  /** The accuracy as stated: `-6`, `INF`; null if the fact states none. */
  readonly decimals: string | null
  /** The 1-based line of its document. */
  readonly line: number
}

/**
 * Reads an instance in one pass. Facts in tuples are read like others; footnotes and schema references are
 * skipped. Throws for a DOCTYPE (see `readXml`).
 */
export function readXbrl(text: string): XbrlInstance {
  const reader = new InstanceReader()
  readXml(text, reader)
  const { facts } = reader
  const { contexts, faultyDays, units } = reader.resources
  if (!reader.isInstance) throw new Failure('body_invalid', 'The document is not an XBRL instance.')
  return { contexts, faultyDays, units, facts }
}

class InstanceReader {
  readonly resources = new ResourceReader()
  readonly facts: XbrlFact[] = []
  isInstance = false
  readonly #open: OpenElement[] = []

  open(tag: SaxesTagNS, line: number): string | null {
    if (this.#open.length >= maxDepth) return `elements are nested deeper than ${maxDepth}`
    const element = openElement(tag, line, this.#open.at(-1))
    this.#open.push(element)
    if (element.uri === instanceNamespace && element.local === 'xbrl') this.isInstance = true
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
    const { uri, local, attributes, line } = element
    if (uri === instanceNamespace || attributes.contextRef === undefined) return null
    if (this.facts.length >= maxFacts) return `more than ${maxFacts} facts`
    this.facts.push({
      namespace: uri,
      name: local,
      context: attributes.contextRef.value,
      unit: attributes.unitRef?.value ?? null,
      value: isNil(attributes) ? null : element.text.trim(),
      decimals: attributes.decimals?.value ?? null,
      line,
    })
    return null
  }
}

const instanceNamespace = 'http://www.xbrl.org/2003/instance'
const schemaInstanceNamespace = 'http://www.w3.org/2001/XMLSchema-instance'
const dimensionNamespace = 'http://xbrl.org/2006/xbrldi'

/** Limits against documents made to exhaust memory. */
export const maxDepth = 200
export const maxFacts = 500_000
/** One more than `textOf` accepts, so that a longer text is refused there instead of being cut. */
const maxTextLength = 10_001

export interface OpenElement {
  readonly uri: string
  readonly local: string
  readonly attributes: Record<string, SaxesAttributeNS>
  /** Namespace by prefix, to resolve qualified names in attributes and text. */
  readonly namespaces: Record<string, string>
  readonly line: number
  text: string
}

const noNamespaces: Record<string, string> = Object.create(null)

export function openElement(
  { uri, local, attributes, ns }: SaxesTagNS,
  line: number,
  parent: OpenElement | undefined,
): OpenElement {
  const declares = Object.keys(ns ?? {}).length > 0
  // The prototype chain inherits the parent's prefixes. Copying them would take time proportional to elements
  // times prefixes.
  const inherited = parent?.namespaces ?? noNamespaces
  const namespaces = declares ? Object.assign(Object.create(inherited), ns) : inherited
  return { uri, local, attributes, namespaces, line, text: '' }
}

/** Appends text to an element, up to the length that a figure or a name may have. */
export function addText(element: OpenElement, piece: string): void {
  const room = maxTextLength - element.text.length
  if (room > 0) element.text += piece.length <= room ? piece : piece.slice(0, room)
}

export const isNil = (attributes: Record<string, SaxesAttributeNS>): boolean =>
  Object.values(attributes).some(
    ({ uri, local, value }) =>
      uri === schemaInstanceNamespace && local === 'nil' && /^(true|1)$/.test(value.trim()),
  )

interface ContextDraft {
  entity: string
  start: number
  end: number
  instant: number
  faultyDay: string | null
  /** Inside a typed member: the texts of the elements in it, which state the member. */
  typed: string[] | null
  readonly dimensions: Map<string, string>
}

interface UnitDraft {
  readonly numerator: string[]
  readonly denominator: string[]
  isDenominator: boolean
}

/**
 * Reads contexts and units. An instance and the header of an inline document state them in the same elements.
 */
export class ResourceReader {
  readonly contexts = new Map<string, XbrlContext>()
  readonly faultyDays = new Map<string, string>()
  readonly units = new Map<string, string>()
  #context: ContextDraft | null = null
  #unit: UnitDraft | null = null

  /** True inside a context or a unit, where elements are not facts. */
  get isInside(): boolean {
    return this.#context !== null || this.#unit !== null
  }

  open({ uri, local }: OpenElement): void {
    if (uri === dimensionNamespace && local === 'typedMember' && this.#context) this.#context.typed = []
    if (uri !== instanceNamespace) return
    if (local === 'context') {
      const none = Number.NaN
      this.#context = {
        entity: '',
        start: none,
        end: none,
        instant: none,
        faultyDay: null,
        typed: null,
        dimensions: new Map(),
      }
    }
    if (local === 'unit') this.#unit = { numerator: [], denominator: [], isDenominator: false }
    if (local === 'unitDenominator' && this.#unit) this.#unit.isDenominator = true
  }

  /** Returns an error message, or null if the element is valid. */
  close(element: OpenElement): string | null {
    if (this.#context !== null) return this.#closeInContext(element, this.#context)
    if (this.#unit !== null) this.#closeInUnit(element, this.#unit)
    return null
  }

  #closeInContext(element: OpenElement, context: ContextDraft): string | null {
    const { uri, local, attributes } = element
    const text = element.text.trim()
    if (uri === dimensionNamespace && local === 'explicitMember') {
      context.dimensions.set(
        qualified(attributes.dimension?.value ?? '', element.namespaces),
        qualified(text, element.namespaces),
      )
    } else if (uri === dimensionNamespace && local === 'typedMember') {
      const dimension = qualified(attributes.dimension?.value ?? '', element.namespaces)
      const member = (context.typed ?? []).join(' ').slice(0, maxTextLength)
      if (!context.dimensions.has(dimension))
        context.dimensions.set(dimension, member.startsWith('{') ? `{}${member}` : member)
      context.typed = null
    } else if (context.typed !== null && text !== '') context.typed.push(text)
    if (uri !== instanceNamespace) return null
    if (local === 'identifier') context.entity = text
    else if (local === 'startDate') context.start = dayIn(text, context)
    else if (local === 'endDate') context.end = lastDayIn(text, context)
    else if (local === 'instant') context.instant = lastDayIn(text, context)
    if (local !== 'context') return null
    this.#context = null
    const id = attributes.id?.value ?? ''
    const isInstant = !Number.isNaN(context.instant)
    const start = isInstant ? null : context.start
    const end = isInstant ? context.instant : context.end
    if (context.faultyDay !== null) this.faultyDays.set(id, context.faultyDay)
    // A context with the period "forever" has no days: no figure of accounts refers to it.
    if (Number.isNaN(end) || (start !== null && Number.isNaN(start))) return null
    if (start !== null && start > end) return `context ${id} ends before it starts`
    this.contexts.set(id, { entity: context.entity, start, end, dimensions: context.dimensions })
    return null
  }

  #closeInUnit(element: OpenElement, unit: UnitDraft): void {
    if (element.uri !== instanceNamespace) return
    if (element.local === 'measure') {
      const text = element.text.trim()
      const measure = text.slice(text.indexOf(':') + 1)
      ;(unit.isDenominator ? unit.denominator : unit.numerator).push(measure)
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

function dayIn(text: string, context: ContextDraft): number {
  const day = dayOf(text.slice(0, 10))
  if (Number.isNaN(day)) context.faultyDay = text
  return day
}

/** A day without a time is meant to its end; midnight ends the day before. */
function lastDayIn(text: string, context: ContextDraft): number {
  const day = dayIn(text, context)
  return /T00:00(:00(\.0+)?)?(Z|[+-]\d\d:\d\d)?$/.test(text) ? day - 1 : day
}

/** Expands a prefixed name to `{namespace}name`. */
export function qualified(name: string, namespaces: Record<string, string>): string {
  const colon = name.indexOf(':')
  const prefix = colon < 0 ? '' : name.slice(0, colon).trim()
  return `{${namespaces[prefix] ?? ''}}${name.slice(colon + 1).trim()}`
}
