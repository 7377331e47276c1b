import type { MetricRule, MetricRules } from '../facts/reportedFact.ts'

export type UnitKind = 'money' | 'perShare' | 'shares'

/** How a metric is said at a register. */
export interface Concept extends MetricRule {
  readonly unitKind: UnitKind
  /** Groups of tags that mean the same, each in order of preference; a later group stands in for a missing
   * earlier one and never replaces it. */
  readonly tagGroups: readonly (readonly string[])[]
}

export type Concepts = Readonly<Record<string, Concept>>

const concept =
  (kind: 'flow' | 'instant', unitKind: UnitKind) =>
  (...tagGroups: (readonly string[])[]): Concept => ({
    ...{ kind, unitKind, tagGroups },
    additive: unitKind === 'money',
  })

/** Money over a period. */
export const flow = concept('flow', 'money')
/** Money on a day. */
export const stock = concept('instant', 'money')
export const perShare = concept('flow', 'perShare')
export const averageShares = concept('flow', 'shares')
export const sharesOnDay = concept('instant', 'shares')

export interface TagUse {
  /** The tag itself, the same string every time: a piece cut from a file would keep the file in memory. */
  readonly tag: string
  readonly metric: string
  readonly concept: Concept
}

export interface ConceptTable {
  readonly rules: MetricRules
  /** The metrics that a tag (`us-gaap:Revenues`) can say; none for a tag that the service does not carry. */
  readonly usesOfTag: (tag: string) => readonly TagUse[] | undefined
}

/** What a register's rules are beside its table: which reports settle what a fiscal year is, which tags leave something
 * out, and of which accounts a tag is. */
export type ReportForms = Pick<
  MetricRules,
  'annualForm' | 'quarterlyForm' | 'transitionForm' | 'balanceEndsYear' | 'partialTags' | 'basis'
>

interface Place {
  readonly rank: number
  readonly group: number
}

const unknownPlace: Place = { rank: Number.MAX_SAFE_INTEGER, group: Number.MAX_SAFE_INTEGER }

/** A register's table as reading its files and deriving facts ask for it. */
export function conceptTable(concepts: Concepts, forms: ReportForms): ConceptTable {
  const uses = new Map<string, TagUse[]>()
  const places = new Map<string, Map<string, Place>>()
  for (const [metric, entry] of Object.entries(concepts)) {
    const ofMetric = new Map<string, Place>()
    places.set(metric, ofMetric)
    for (const [group, tags] of entry.tagGroups.entries()) {
      for (const tag of tags) {
        ofMetric.set(tag, { rank: ofMetric.size, group })
        const known = uses.get(tag)
        if (known) known.push({ tag, metric, concept: entry })
        else uses.set(tag, [{ tag, metric, concept: entry }])
      }
    }
  }
  const placeOf = (metric: string, tag: string) => places.get(metric)?.get(tag) ?? unknownPlace
  return {
    usesOfTag: tag => uses.get(tag),
    rules: {
      ...forms,
      rule: metric => concepts[metric],
      rank: (metric, tag) => placeOf(metric, tag).rank,
      group: (metric, tag) => placeOf(metric, tag).group,
    },
  }
}
