import { shown } from '../../reading/namedFaults.ts'
import { lastPartOf } from '../../xbrl/figures.ts'
import type { XbrlContext, XbrlInstance } from '../../xbrl/instance.ts'
import type { Tally } from '../registerInterface.ts'
import { usesOfTag } from './concepts.ts'
import {
  ofPart,
  parseContextId,
  type Report,
  type ReportFigure,
  type ReportName,
  reportHead,
} from './report.ts'

/**
 * Parses the report of an XBRL instance, or of inline documents read as one. Returns null if the whole report
 * was left out.
 */
export function parseXbrlReport(
  instance: XbrlInstance,
  path: string,
  name: ReportName,
  { leftOut, faults }: Tally,
): Report | null {
  const texts = new Map<string, string>()
  const figures: ReportFigure[] = []
  let figuresRead = 0
  for (const fact of instance.facts) {
    const tag = tagOf(fact.namespace, fact.name)
    if (tag === null) continue
    if (fact.unit === null) {
      if (fact.value !== null && !texts.has(tag)) texts.set(tag, fact.value)
      continue
    }
    figuresRead++
    const context = instance.contexts.get(fact.context)
    const unit = instance.units.get(fact.unit)
    const parsed = parseContextId(fact.context)
    const faultyDay = instance.faultyDays.get(fact.context)
    if (faultyDay !== undefined && usesOfTag(tag) !== undefined) {
      faults.add(`${tag} in context ${fact.context}: ${shown(faultyDay)} is not a day`)
      continue
    }
    if (context === undefined || unit === undefined || parsed === null) {
      if (usesOfTag(tag) !== undefined) leftOut.add(ofPart)
      continue
    }
    if (parsed.isInstant !== (context.start === null) || isSolo(context) !== parsed.isSolo) {
      leftOut.add('a figure whose context contradicts its name')
      continue
    }
    const { start, end } = context
    figures.push({ tag, isSolo: parsed.isSolo, start, end, unit, value: fact.value })
  }
  const head = reportHead(path, name, tag => texts.get(tag) ?? null)
  if ('reason' in head) {
    leftOut.add(head.reason)
    return null
  }
  return { ...head, figures, figuresRead }
}

/** `jppfs_cor:NetSales`; null for elements of neither EDINET's taxonomies nor the filer. */
function tagOf(namespace: string, name: string): string | null {
  const prefix = edinetPrefix(namespace)
  return prefix === null ? null : `${prefix}:${name}`
}

/**
 * `jppfs_cor`, whatever the year of the taxonomy. The prefix of a filer's own elements contains the filer's code, as
 * `jpcrp030000-asr_E02144-000`. Null for anything else.
 */
function edinetPrefix(namespace: string): string | null {
  const taxonomy = /\/taxonomy\/[a-z]+\/\d{4}-\d\d-\d\d\/([a-z]+_cor)$/.exec(namespace)
  if (taxonomy !== null) return taxonomy[1]
  const own = /^http:\/\/disclosure\.edinet-fsa\.go\.jp\/(jpcrp\d{6})\/asr\/\d{3}\/(E\d{5}-\d{3})\//.exec(
    namespace,
  )
  return own === null ? null : `${own[1]}-asr_${own[2]}`
}

/** The prefix of any namespace. */
export const prefixOf = (namespace: string): string => edinetPrefix(namespace) ?? lastPartOf(namespace)

/** True for the company alone, false for the group, null for a part of either. */
function isSolo({ dimensions }: XbrlContext): boolean | null {
  if (dimensions.size === 0) return false
  const [[axis, member]] = dimensions
  const solo =
    axis.endsWith('}ConsolidatedOrNonConsolidatedAxis') && member.endsWith('}NonConsolidatedMember')
  return dimensions.size === 1 && solo ? true : null
}
