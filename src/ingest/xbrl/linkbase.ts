import type { SaxesTagNS } from 'saxes'
import { numberOf } from '../reading/fields.ts'
import { readXml } from '../reading/xml.ts'

/** The content of a filing's schema and linkbases, before it is arranged as statements. */
export interface Linkbases {
  /** Links of the same kind and role are merged, even if they come from different documents. */
  readonly links: readonly Link[]
  /** Labels by the ID of the concept. */
  readonly labels: ReadonlyMap<string, readonly Label[]>
  /** The title of each role. */
  readonly titles: ReadonlyMap<string, string>
  /** For each namespace, the prefix with which the IDs of its schema's elements begin. */
  readonly prefixes: ReadonlyMap<string, string>
}

export interface Link {
  readonly kind: 'presentation' | 'calculation' | 'definition'
  readonly role: string
  readonly arcs: readonly Arc[]
}

/** Concepts are named by the IDs of their elements: `us-gaap_Assets`. */
export interface Arc {
  readonly arcrole: string
  readonly from: string
  readonly to: string
  readonly order: number
  /** Null if the arc prefers none. */
  readonly preferredLabel: string | null
  readonly weight: number
}

export interface Label {
  readonly role: string
  readonly language: string
  readonly text: string
}

interface NamedDocument {
  readonly name: string
  readonly text: string
}

const linkNamespace = 'http://www.xbrl.org/2003/linkbase'
const xlinkNamespace = 'http://www.w3.org/1999/xlink'
const schemaNamespace = 'http://www.w3.org/2001/XMLSchema'
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace'

/** Limits that keep malicious documents from exhausting memory. The filings of banks have up to 30,000 arcs. */
const maxArcs = 500_000
const maxLabels = 500_000
const maxLabelLength = 10_000

/**
 * Reads schemas and linkbases in any order. If the XML is not well-formed or an arc leads nowhere, throws a Failure
 * that names the document and the line.
 */
export function readLinkbases(documents: readonly NamedDocument[]): Linkbases {
  const gathered = new Gathered()
  for (const { name, text } of documents) readXml(text, new LinkbaseReader(gathered), `${name}, `)
  return gathered.take()
}

interface ArcDraft extends Arc {
  readonly priority: number
  readonly isProhibited: boolean
}

class Gathered {
  readonly labels = new Map<string, Label[]>()
  readonly titles = new Map<string, string>()
  readonly prefixes = new Map<string, string>()
  arcs = 0
  labelCount = 0
  readonly #links = new Map<string, { kind: Link['kind']; role: string; arcs: ArcDraft[] }>()

  add(kind: Link['kind'], role: string, arcs: readonly ArcDraft[]): void {
    const key = `${kind} ${role}`
    const known = this.#links.get(key)
    if (known === undefined) this.#links.set(key, { kind, role, arcs: [...arcs] })
    else for (const arc of arcs) known.arcs.push(arc)
  }

  take(): Linkbases {
    const { labels, titles, prefixes } = this
    const links = [...this.#links.values()].map(({ kind, role, arcs }) => ({
      kind,
      role,
      arcs: effectiveArcs(arcs),
    }))
    return { links, labels, titles, prefixes }
  }
}

/** If several arcs state the same relationship, only one counts; if the one with the highest priority prohibits it, none. */
function effectiveArcs(arcs: readonly ArcDraft[]): Arc[] {
  const best = new Map<string, ArcDraft>()
  for (const arc of arcs) {
    const { arcrole, from, to, order, preferredLabel, weight } = arc
    const key = JSON.stringify([arcrole, from, to, order, preferredLabel, weight])
    const known = best.get(key)
    const wins =
      known === undefined ||
      arc.priority > known.priority ||
      (arc.priority === known.priority && arc.isProhibited)
    if (wins) best.set(key, arc)
  }
  return [...best.values()]
    .filter(({ isProhibited }) => !isProhibited)
    .map(({ priority: _, isProhibited: __, ...arc }) => arc)
}

interface LocatedArc extends Omit<ArcDraft, 'from' | 'to'> {
  readonly from: string
  readonly to: string
  readonly line: number
}

interface OpenLink {
  readonly kind: Link['kind'] | 'label'
  readonly role: string
  /** IDs of concepts by the label of their locators. */
  readonly locators: Map<string, string[]>
  readonly resources: Map<string, Label[]>
  readonly arcs: LocatedArc[]
}

const kindOfLink: Readonly<Record<string, OpenLink['kind']>> = {
  presentationLink: 'presentation',
  calculationLink: 'calculation',
  definitionLink: 'definition',
  labelLink: 'label',
}

class LinkbaseReader {
  readonly #gathered: Gathered
  #link: OpenLink | null = null
  #text: string | null = null
  #label: { readonly role: string; readonly language: string; readonly at: string } | null = null
  #titledRole: string | null = null
  #targetNamespace = ''

  constructor(gathered: Gathered) {
    this.#gathered = gathered
  }

  open({ uri, local, attributes }: SaxesTagNS, line: number): string | null {
    const value = (name: string, namespace = '') =>
      Object.values(attributes).find(each => each.local === name && each.uri === namespace)?.value ?? null
    if (uri === schemaNamespace) {
      if (local === 'schema') this.#targetNamespace = value('targetNamespace') ?? ''
      const [id, name] = [value('id'), value('name')]
      if (local === 'element' && id !== null && name !== null && id.endsWith(`_${name}`))
        this.#gathered.prefixes.set(this.#targetNamespace, id.slice(0, -name.length - 1))
      return null
    }
    if (uri !== linkNamespace) return null
    if (local === 'roleType') this.#titledRole = value('roleURI')
    if (local === 'definition' && this.#titledRole !== null) this.#text = ''
    const kind = kindOfLink[local]
    if (kind !== undefined) {
      const role = value('role', xlinkNamespace) ?? ''
      this.#link = { kind, role, locators: new Map(), resources: new Map(), arcs: [] }
    }
    if (this.#link === null) return null
    if (local === 'loc') {
      const href = value('href', xlinkNamespace) ?? ''
      const hash = href.indexOf('#')
      if (hash < 0) return `the locator ${href.slice(0, 80)} names no element`
      addTo(this.#link.locators, value('label', xlinkNamespace) ?? '', decodedId(href.slice(hash + 1)))
    } else if (local === 'label') {
      if (++this.#gathered.labelCount > maxLabels) return `the filing has more than ${maxLabels} labels`
      const role = value('role', xlinkNamespace) ?? standardLabelRole
      const language = value('lang', xmlNamespace) ?? ''
      this.#label = { role, language, at: value('label', xlinkNamespace) ?? '' }
      this.#text = ''
    } else if (local.endsWith('Arc')) {
      if (++this.#gathered.arcs > maxArcs) return `the filing has more than ${maxArcs} arcs`
      const order = numberOf(value('order') ?? '1')
      const weight = numberOf(value('weight') ?? '1')
      const priority = numberOf(value('priority') ?? '0')
      if (Number.isNaN(order) || Number.isNaN(weight) || Number.isNaN(priority))
        return 'the order, weight or priority of an arc is not a number'
      this.#link.arcs.push({
        arcrole: value('arcrole', xlinkNamespace) ?? '',
        from: value('from', xlinkNamespace) ?? '',
        to: value('to', xlinkNamespace) ?? '',
        order,
        preferredLabel: value('preferredLabel'),
        weight,
        priority,
        isProhibited: value('use') === 'prohibited',
        line,
      })
    }
    return null
  }

  text(piece: string): void {
    if (this.#text === null) return
    const room = maxLabelLength - this.#text.length
    if (room > 0) this.#text += piece.slice(0, room)
  }

  close(name: string): string | null {
    const local = name.slice(name.indexOf(':') + 1)
    const text = (this.#text ?? '').replace(/\s+/g, ' ').trim()
    if (local === 'roleType') this.#titledRole = null
    if (local === 'definition' && this.#titledRole !== null) {
      if (text !== '') this.#gathered.titles.set(this.#titledRole, text)
      this.#text = null
    }
    if (this.#link === null) return null
    if (local === 'label' && this.#label !== null) {
      const { at, role, language } = this.#label
      if (text !== '') addTo(this.#link.resources, at, { role, language, text })
      this.#label = null
      this.#text = null
    }
    if (kindOfLink[local] === undefined) return null
    const link = this.#link
    this.#link = null
    return this.#closeLink(link)
  }

  /** Locators may follow the arcs that name them, so arcs are resolved at the end of their link. */
  #closeLink({ kind, role, locators, resources, arcs }: OpenLink): string | null {
    const resolved: ArcDraft[] = []
    for (const { line, ...arc } of arcs) {
      const from = locators.get(arc.from)
      if (from === undefined) return `the arc on line ${line} begins at the unknown locator ${arc.from}`
      if (kind === 'label') {
        for (const concept of from) {
          for (const label of arc.isProhibited ? [] : (resources.get(arc.to) ?? []))
            addTo(this.#gathered.labels, concept, label)
        }
        continue
      }
      const to = locators.get(arc.to)
      if (to === undefined) return `the arc on line ${line} leads to the unknown locator ${arc.to}`
      if (from.length * to.length + resolved.length > maxArcs) return `a link has more than ${maxArcs} arcs`
      for (const source of from) for (const target of to) resolved.push({ ...arc, from: source, to: target })
    }
    if (kind !== 'label') this.#gathered.add(kind, role, resolved)
    return null
  }
}

export const standardLabelRole = 'http://www.xbrl.org/2003/role/label'

function addTo<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else if (!known.includes(value)) known.push(value)
}

function decodedId(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}
