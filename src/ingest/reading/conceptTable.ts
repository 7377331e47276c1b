import type { MetricRule, MetricRules } from '../../facts/metricRules.ts'

export type UnitKind = 'money' | 'perShare' | 'shares'

/** How a register reports a metric. */
export interface Concept extends MetricRule {
  readonly unitKind: UnitKind
  /**
   * Groups of tags with the same meaning, each in order of preference. A later group substitutes for a
   * missing earlier one and never replaces it.
   */
  readonly tagGroups: readonly (readonly string[])[]
}

export type Concepts = Readonly<Record<string, Concept>>

const concept =
  (kind: 'flow' | 'instant', unitKind: UnitKind) =>
  (...tagGroups: (readonly string[])[]): Concept => ({
    kind,
    unitKind,
    tagGroups,
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
  /**
   * The tag itself, always the same string object: a substring of a file would keep the whole file in memory.
   */
  readonly tag: string
  readonly metric: string
  readonly concept: Concept
}

interface ConceptTable {
  readonly rules: MetricRules
  /**
   * The metrics that a tag (`us-gaap:Revenues`) can report; undefined for tags that the service does not use.
   */
  readonly usesOfTag: (tag: string) => readonly TagUse[] | undefined
}

/**
 * A register's rules apart from its table: which reports define a fiscal year, which tags are incomplete
 * totals, and which accounts a tag belongs to.
 */
type ReportRules = Pick<
  MetricRules,
  | 'annualForm'
  | 'quarterlyForm'
  | 'transitionForm'
  | 'balanceEndsYear'
  | 'partialTags'
  | 'broadTags'
  | 'coverCount'
  | 'basis'
>

interface Preference {
  readonly rank: number
  readonly group: number
}

/**
 * Groups are bits of a 32-bit number. A figure under a tag that was removed from the table is comparable with
 * other such figures and yields to every other one. Its group must be within these bits: otherwise quarters
 * under removed tags would share no group even with each other.
 */
const unknownTag: Preference = { rank: Number.MAX_SAFE_INTEGER, group: 30 }

/** Indexes a register's table for reading its files (`usesOfTag`) and for deriving facts (`rules`). */
export function conceptTable(concepts: Concepts, reportRules: ReportRules): ConceptTable {
  const uses = new Map<string, TagUse[]>()
  const preferences = new Map<string, Map<string, Preference>>()
  for (const [metric, concept] of Object.entries(concepts)) {
    const ofMetric = new Map<string, Preference>()
    preferences.set(metric, ofMetric)
    for (const [group, tags] of concept.tagGroups.entries()) {
      for (const tag of tags) {
        ofMetric.set(tag, { rank: ofMetric.size, group })
        const known = uses.get(tag)
        if (known) known.push({ tag, metric, concept })
        else uses.set(tag, [{ tag, metric, concept }])
      }
    }
  }
  const preferenceOf = (metric: string, tag: string) => preferences.get(metric)?.get(tag) ?? unknownTag
  return {
    usesOfTag: tag => uses.get(tag),
    rules: {
      ...reportRules,
      rule: metric => concepts[metric],
      rank: (metric, tag) => preferenceOf(metric, tag).rank,
      group: (metric, tag) => preferenceOf(metric, tag).group,
    },
  }
}
