/* An instance as a reader of its text sees it, without the project's readers. It is made for files without CDATA around figures. */

export interface RawFact {
  readonly tag: string
  readonly start: string | null
  readonly end: string
  /** `axis=member`, in alphabetical order. */
  readonly dimensions: readonly string[]
  readonly unit: string
  readonly decimals: string | null
  /** Null for a nil fact. */
  readonly value: string | null
}

const attributeOf = (tag: string, name: string): string | null =>
  new RegExp(`\\s(?:[\\w-]+:)?${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag)?.slice(1).find(Boolean) ??
  null

const textIn = (xml: string, name: string): string | null =>
  new RegExp(`<(?:[\\w-]+:)?${name}(?:\\s[^>]*)?>\\s*([^<]*?)\\s*<`).exec(xml)?.[1] ?? null

/** `-005.50` becomes `-5.5`. */
export function plainNumber(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(text.trim()) ?? []
  const digits = whole.replace(/^0+(?=\d)/, '') || '0'
  const rest = fraction.replace(/0+$/, '')
  const number = rest === '' ? digits : `${digits}.${rest}`
  return sign === '-' && /[1-9]/.test(number) ? `-${number}` : number
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

function unitsIn(text: string): Map<string, string> {
  const units = new Map<string, string>()
  for (const [, head, body] of text.matchAll(/<(?:[\w-]+:)?unit(\s[^>]*)>([\s\S]*?)<\/(?:[\w-]+:)?unit>/g)) {
    const measures = [...body.matchAll(/<(?:[\w-]+:)?measure>\s*([^<]*?)\s*</g)].map(([, name]) =>
      localName(name),
    )
    units.set(attributeOf(head, 'id') ?? '', measures.join('/'))
  }
  return units
}

function contextsIn(text: string): Map<string, Pick<RawFact, 'start' | 'end' | 'dimensions'>> {
  const contexts = new Map<string, Pick<RawFact, 'start' | 'end' | 'dimensions'>>()
  const all = text.matchAll(/<(?:[\w-]+:)?context(\s[^>]*)>([\s\S]*?)<\/(?:[\w-]+:)?context>/g)
  for (const [, head, body] of all) {
    const explicit = [...body.matchAll(/<(?:[\w-]+:)?explicitMember(\s[^>]*)>\s*([^<]*?)\s*</g)]
    const typed = [...body.matchAll(/<(?:[\w-]+:)?typedMember(\s[^>]*)>\s*<[^>]*>\s*([^<]*?)\s*</g)]
    contexts.set(attributeOf(head, 'id') ?? '', {
      start: textIn(body, 'startDate'),
      end: textIn(body, 'endDate') ?? textIn(body, 'instant') ?? '',
      dimensions: [...explicit, ...typed]
        .map(([, tag, member]) => `${attributeOf(tag, 'dimension')}=${member}`)
        .sort(),
    })
  }
  return contexts
}

/** Every fact with a unit. A figure that is repeated is there as often. */
export function readRawInstance(text: string): RawFact[] {
  const units = unitsIn(text)
  const contexts = contextsIn(text)
  const elements = text.matchAll(/<([\w.-]+:[\w.-]+)(\s[^<>]*unitRef\s*=[^<>]*)>([^<]*)/g)
  return [...elements].map(([, tag, attributes, content]) => {
    const context = contexts.get(attributeOf(attributes, 'contextRef') ?? '')
    const unit = units.get(attributeOf(attributes, 'unitRef') ?? '')
    if (context === undefined || unit === undefined) throw new Error(`${tag} names no context or unit`)
    const isNil = attributes.trimEnd().endsWith('/') || attributeOf(attributes, 'nil') === 'true'
    return {
      tag,
      ...context,
      unit,
      decimals: attributeOf(attributes, 'decimals'),
      value: isNil ? null : plainNumber(content),
    }
  })
}

/** `us-gaap_Assets` of an address that ends in `#us-gaap_Assets` is `us-gaap:Assets`. */
const conceptAt = (href: string) => href.slice(href.indexOf('#') + 1).replace(/_(?=[^_]*$)/, ':')

const tagsIn = (text: string, name: string) => [
  ...text.matchAll(new RegExp(`<link:${name}(\\s[^>]*)>([^<]*)`, 'g')),
]

/** The concepts of a presentation in its order, each with the role of its label. */
export function readRawPresentation(text: string, role: RegExp): { tag: string; labelRole: string }[] {
  const links = [...text.matchAll(/<link:presentationLink(\s[^>]*)>([\s\S]*?)<\/link:presentationLink>/g)]
  const body = links.find(([, head]) => role.test(attributeOf(head, 'role') ?? ''))?.[2]
  if (body === undefined) throw new Error(`no presentation has the role ${role}`)
  const concepts = new Map(
    tagsIn(body, 'loc').map(([, tag]) => [
      attributeOf(tag, 'label'),
      conceptAt(attributeOf(tag, 'href') ?? ''),
    ]),
  )
  const arcs = tagsIn(body, 'presentationArc').map(([, tag]) => ({
    from: attributeOf(tag, 'from'),
    to: attributeOf(tag, 'to'),
    order: Number(attributeOf(tag, 'order') ?? '1'),
    labelRole: attributeOf(tag, 'preferredLabel') ?? standardLabel,
  }))
  const children = Map.groupBy(arcs, ({ from }) => from)
  const targets = new Set(arcs.map(({ to }) => to))
  const below = (parent: string | null): { tag: string; labelRole: string }[] =>
    (children.get(parent) ?? [])
      .toSorted((a, b) => a.order - b.order)
      .flatMap(({ to, labelRole }) => [{ tag: concepts.get(to) ?? '', labelRole }, ...below(to)])
  const roots = [...concepts.keys()].filter(label => !targets.has(label))
  return roots.flatMap(root => [{ tag: concepts.get(root) ?? '', labelRole: standardLabel }, ...below(root)])
}

const standardLabel = 'http://www.xbrl.org/2003/role/label'

/** Labels by concept and role. */
export function readRawLabels(text: string): Map<string, string> {
  const concepts = new Map(
    tagsIn(text, 'loc').map(([, tag]) => [
      attributeOf(tag, 'label'),
      conceptAt(attributeOf(tag, 'href') ?? ''),
    ]),
  )
  const owners = new Map(
    tagsIn(text, 'labelArc').map(([, tag]) => [
      attributeOf(tag, 'to'),
      concepts.get(attributeOf(tag, 'from')),
    ]),
  )
  return new Map(
    tagsIn(text, 'label').map(([, tag, label]) => [
      `${owners.get(attributeOf(tag, 'label'))} ${attributeOf(tag, 'role')}`,
      label.trim(),
    ]),
  )
}
