import {
  type Dimension,
  type FigureContext,
  plainDecimal,
  type ReportedFigure,
} from '../../wholeFilings/wholeFiling.ts'
import { shown } from '../reading/namedFaults.ts'
import type { XbrlFact, XbrlInstance } from './instance.ts'

interface FigureReader {
  /** Spells a name in the form `{namespace}name` with a prefix. Other texts are members of typed dimensions. */
  readonly spell: (name: string) => string
  /** Names a fault of a figure, which is left out, with the line of its fact. */
  readonly fault: (line: number, text: string, fact: XbrlFact) => void
}

/** Every figure of an instance: its facts with a unit, repeated and contradicting ones included. */
export function figuresOf(
  { contexts, faultyDays, units, facts }: XbrlInstance,
  { spell, fault }: FigureReader,
): ReportedFigure[] {
  const texts = new Map<string, string>()
  // Looking a joined text up makes it one string. Its parts are slices that keep the whole document in memory.
  const interned = (text: string) => {
    const known = texts.get(text)
    if (known !== undefined) return known
    texts.set(text, text)
    return text
  }
  const shared = new Map<string, FigureContext>()
  for (const [id, { start, end, dimensions }] of contexts) {
    if (dimensions.size > maxDimensions) continue
    const named = [...dimensions].map(
      ([axis, member]): Dimension => ({ axis: interned(spell(axis)), member: interned(spell(member)) }),
    )
    named.sort((a, b) => (a.axis < b.axis ? -1 : 1))
    shared.set(id, { start, end, quarters: null, dimensions: named })
  }
  // Expanded names are long, and there are few of them.
  const concepts = new Map<string, Map<string, string>>()
  const conceptOf = ({ namespace, name }: XbrlFact) => {
    const known = concepts.get(namespace) ?? new Map<string, string>()
    if (known.size === 0) concepts.set(namespace, known)
    const spelled = known.get(name) ?? interned(spell(`{${namespace}}${name}`))
    known.set(name, spelled)
    return spelled
  }
  const figures: ReportedFigure[] = []
  for (const fact of facts) {
    if (fact.unit === null) continue
    const concept = conceptOf(fact)
    const context = shared.get(fact.context)
    const unit = units.get(fact.unit)
    const decimals = decimalsOf(fact.decimals)
    const value = fact.value === null ? null : plainDecimal(fact.value)
    const reason =
      context === undefined
        ? contextFault(fact, contexts, faultyDays)
        : unit === undefined
          ? `has the unknown unit ${shown(fact.unit)}`
          : decimals === undefined
            ? `has the decimals ${shown(fact.decimals)}`
            : value === null && fact.value !== null
              ? `has the value ${shown(fact.value)}`
              : null
    if (reason !== null) fault(fact.line, `${concept} ${reason}`, fact)
    else if (context !== undefined && unit !== undefined && decimals !== undefined)
      figures.push({ concept, context, unit: interned(unit), decimals, value })
  }
  return figures
}

/** Filings have at most a handful. */
const maxDimensions = 100

function contextFault(
  { context }: XbrlFact,
  contexts: XbrlInstance['contexts'],
  faultyDays: ReadonlyMap<string, string>,
): string {
  const day = faultyDays.get(context)
  if (day !== undefined) return `has a context with the invalid day ${shown(day)}`
  return contexts.has(context)
    ? `has more than ${maxDimensions} dimensions`
    : `has no context with days: ${shown(context)}`
}

function decimalsOf(text: string | null): number | null | undefined {
  if (text === null) return null
  const trimmed = text.trim()
  if (trimmed === 'INF') return Number.POSITIVE_INFINITY
  return /^[+-]?\d{1,3}$/.test(trimmed) ? Number(trimmed) + 0 : undefined
}

/** The last part of a namespace without its date: `DELO` of `http://xbrl.parseport.com/DELO_20171003`. */
export const lastPartOf = (namespace: string): string =>
  /([^/#]+?)(?:[_-]\d{4}[\d-]*)?[/#]?$/.exec(namespace)?.[1] ?? 'custom'

/** The spelling of names by the prefix that stands for a namespace, and the namespaces that were spelled. */
export class PrefixedNames {
  /** The namespace by prefix. */
  readonly taxonomies = new Map<string, string>()
  readonly #prefixOf: (namespace: string) => string
  readonly #prefixes = new Map<string, string>()
  readonly #names = new Map<string, string>()

  /** @param prefixOf the prefix of a namespace, whatever prefix the document uses */
  constructor(prefixOf: (namespace: string) => string) {
    this.#prefixOf = prefixOf
  }

  spell(name: string): string {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    const [, namespace, local] = /^\{([^}]*)\}(.*)$/s.exec(name) ?? ['', '', name]
    const spelled = namespace === '' ? local : `${this.#known(namespace)}:${local}`
    this.#names.set(name, spelled)
    return spelled
  }

  /** Two namespaces never share a prefix. */
  #known(namespace: string): string {
    const known = this.#prefixes.get(namespace)
    if (known !== undefined) return known
    const wanted = this.#prefixOf(namespace)
    let prefix = wanted
    for (let number = 2; this.taxonomies.has(prefix); number++) prefix = `${wanted}${number}`
    this.#prefixes.set(namespace, prefix)
    this.taxonomies.set(prefix, namespace)
    return prefix
  }
}
