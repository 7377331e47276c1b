import type { SaxesTagNS } from 'saxes'
import { Failure } from '../../errors.ts'
import { readXml } from '../reading/readXml.ts'
import {
  addText,
  instance,
  isNil,
  mostDepth,
  mostFacts,
  type OpenElement,
  openElement,
  ResourceReader,
} from './resourceReader.ts'

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
