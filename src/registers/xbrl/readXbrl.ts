import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes'
import { Failure } from '../../errors.ts'
import { dayOf } from '../fields.ts'

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

const instance = 'http://www.xbrl.org/2003/instance'
const dimensional = 'http://xbrl.org/2006/xbrldi'
const schemaInstance = 'http://www.w3.org/2001/XMLSchema-instance'

const mostDepth = 200
const mostFacts = 500_000
/** No text that is a figure or a name is longer. */
const longestText = 10_000

/** Reads an instance in one pass. Documents with a DOCTYPE are refused: entities could be bombs or name files. Facts in
 * tuples are taken like others; footnotes and schema references are passed over. */
export function readXbrl(text: string): XbrlInstance {
  const reader = new InstanceReader()
  const parser = new SaxesParser({ xmlns: true, position: true })
  const fail = (reason: string) =>
    new Failure('body_invalid', `line ${parser.line}, column ${parser.column}: ${reason}.`)
  parser.on('doctype', () => {
    throw fail('a DOCTYPE is not read')
  })
  parser.on('error', error => {
    throw fail(error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, ''))
  })
  parser.on('opentag', tag => {
    const fault = reader.open(tag)
    if (fault !== null) throw fail(fault)
  })
  parser.on('closetag', () => {
    const fault = reader.close()
    if (fault !== null) throw fail(fault)
  })
  parser.on('text', piece => reader.text(piece))
  parser.on('cdata', piece => reader.text(piece))
  parser.write(text).close()
  const { contexts, units, facts } = reader
  if (!reader.isInstance) throw new Failure('body_invalid', 'The document is no XBRL instance.')
  return { contexts, units, facts }
}

interface OpenElement {
  readonly uri: string
  readonly local: string
  readonly attributes: Record<string, SaxesAttributeNS>
  /** Prefixes in force, where a text may hold a qualified name. */
  readonly namespaces: Record<string, string>
  text: string
}

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

class InstanceReader {
  readonly contexts = new Map<string, XbrlContext>()
  readonly units = new Map<string, string>()
  readonly facts: XbrlFact[] = []
  isInstance = false
  readonly #open: OpenElement[] = []
  #context: ContextDraft | null = null
  #unit: UnitDraft | null = null

  open({ uri, local, attributes, ns }: SaxesTagNS): string | null {
    const parent = this.#open.at(-1)
    if (this.#open.length >= mostDepth) return `elements lie deeper than ${mostDepth} in one another`
    const namespaces =
      Object.keys(ns ?? {}).length > 0 ? { ...parent?.namespaces, ...ns } : (parent?.namespaces ?? {})
    this.#open.push({ uri, local, attributes, namespaces, text: '' })
    if (uri !== instance) return null
    if (local === 'xbrl') this.isInstance = true
    if (local === 'context')
      this.#context = {
        entity: '',
        start: Number.NaN,
        end: Number.NaN,
        instant: Number.NaN,
        dimensions: new Map(),
      }
    if (local === 'unit') this.#unit = { numerator: [], denominator: [], isBelow: false }
    if (local === 'unitDenominator' && this.#unit) this.#unit.isBelow = true
    return null
  }

  text(piece: string): void {
    const element = this.#open.at(-1)
    if (element !== undefined && element.text.length < longestText) element.text += piece
  }

  close(): string | null {
    const element = this.#open.pop()
    if (element === undefined) return null
    const { uri, local, attributes } = element
    if (this.#context !== null) return this.#closeInContext(element, this.#context)
    if (this.#unit !== null) {
      this.#closeInUnit(element, this.#unit)
      return null
    }
    if (uri === instance || attributes.contextRef === undefined) return null
    if (this.facts.length >= mostFacts) return `more than ${mostFacts} facts`
    const isNil = Object.values(attributes).some(
      ({ uri, local, value }) => uri === schemaInstance && local === 'nil' && /^(true|1)$/.test(value.trim()),
    )
    this.facts.push({
      namespace: uri,
      name: local,
      context: attributes.contextRef.value,
      unit: attributes.unitRef?.value ?? null,
      value: isNil ? null : element.text.trim(),
    })
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
function qualified(name: string, namespaces: Record<string, string>): string {
  const colon = name.indexOf(':')
  const prefix = colon < 0 ? '' : name.slice(0, colon).trim()
  return `{${namespaces[prefix] ?? ''}}${name.slice(colon + 1).trim()}`
}
