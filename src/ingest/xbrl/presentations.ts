import { Failure } from '../../errors.ts'
import type { Statement, StatementLine, Sum } from '../../wholeFilings/wholeFiling.ts'
import { type Arc, type Label, type Link, type Linkbases, standardLabelRole } from './linkbase.ts'

/** How names and labels of a register are read. */
interface Spelling {
  /** Spells the ID of an element (`us-gaap_Assets`) as the concept of its figures (`us-gaap:Assets`). */
  readonly conceptOfId: (id: string) => string
  /** Labels in this language are preferred. */
  readonly language: string
}

export interface Presentations {
  /** In the order of the linkbases. */
  readonly statements: readonly Statement[]
  readonly sums: readonly Sum[]
  readonly defaultMembers: ReadonlyMap<string, string>
}

/** Arranges linkbases as statements with lines. Throws a Failure if one of them contains itself. */
export function presentationsOf(linkbases: Linkbases, spelling: Spelling): Presentations {
  const { links } = linkbases
  return {
    statements: links
      .filter(({ kind, arcs }) => kind === 'presentation' && arcs.length > 0)
      .map(link => statementOf(link, linkbases, spelling)),
    sums: links.filter(({ kind }) => kind === 'calculation').flatMap(link => sumsOf(link, spelling)),
    defaultMembers: defaultMembersOf(links, spelling),
  }
}

/** Shared parents would otherwise let a small linkbase expand without limit. */
const maxLines = 100_000
const maxLineDepth = 100

function statementOf(
  { role, arcs }: Link,
  { labels, titles }: Linkbases,
  { conceptOfId, language }: Spelling,
): Statement {
  const children = new Map<string, Arc[]>()
  const targets = new Set<string>()
  for (const arc of arcs) {
    const known = children.get(arc.from)
    if (known === undefined) children.set(arc.from, [arc])
    else known.push(arc)
    targets.add(arc.to)
  }
  for (const siblings of children.values()) siblings.sort((a, b) => a.order - b.order)
  const lines: StatementLine[] = []
  const path = new Set<string>()
  const visit = (id: string, labelRole: string | null) => {
    if (lines.length >= maxLines || path.size >= maxLineDepth)
      throw new Failure(
        'body_invalid',
        `The presentation ${role} has more than ${maxLines} lines or ${maxLineDepth} levels.`,
      )
    lines.push({
      order: lines.length + 1,
      concept: conceptOfId(id),
      depth: path.size,
      label: labelOf(labels.get(id) ?? [], labelRole, language),
      labelRole,
      negated: labelRole !== null && /\/negated[^/]*$/i.test(labelRole),
    })
    if (path.has(id)) throw new Failure('body_invalid', `The presentation ${role} contains ${id} in itself.`)
    path.add(id)
    for (const { to, preferredLabel } of children.get(id) ?? []) visit(to, preferredLabel)
    path.delete(id)
  }
  for (const id of children.keys()) if (!targets.has(id)) visit(id, null)
  if (lines.length === 0)
    throw new Failure('body_invalid', `The presentation ${role} has no beginning: its lines form a circle.`)
  const title = titles.get(role) ?? null
  return { role, title, kind: null, parenthetical: /\(parenthetical/i.test(title ?? ''), lines }
}

/** The label in the preferred role, or else the standard label; in the preferred language if there is one. */
function labelOf(labels: readonly Label[], role: string | null, preferred: string): string | null {
  const inRole = (wanted: string) => {
    const found = labels.filter(label => label.role === wanted)
    return found.find(({ language }) => language.toLowerCase().split('-')[0] === preferred) ?? found[0]
  }
  return ((role === null ? undefined : inRole(role)) ?? inRole(standardLabelRole))?.text ?? null
}

function sumsOf({ role, arcs }: Link, { conceptOfId }: Spelling): Sum[] {
  const items = new Map<string, Arc[]>()
  for (const arc of arcs) {
    const known = items.get(arc.from)
    if (known === undefined) items.set(arc.from, [arc])
    else known.push(arc)
  }
  return [...items].map(([total, parts]) => ({
    role,
    total: conceptOfId(total),
    items: parts
      .sort((a, b) => a.order - b.order)
      .map(({ to, weight }) => ({ concept: conceptOfId(to), weight })),
  }))
}

function defaultMembersOf(links: readonly Link[], { conceptOfId }: Spelling): Map<string, string> {
  const defaults = new Map<string, string>()
  for (const { arcs } of links) {
    for (const { arcrole, from, to } of arcs)
      if (arcrole === defaultArcrole) defaults.set(conceptOfId(from), conceptOfId(to))
  }
  return defaults
}

const defaultArcrole = 'http://xbrl.org/int/dim/arcrole/dimension-default'
