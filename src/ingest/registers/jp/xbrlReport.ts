import { shown } from '../../reading/namedFaults.ts'
import type { XbrlContext, XbrlFact, XbrlInstance } from '../../xbrl/instance.ts'
import type { Presentations } from '../../xbrl/presentations.ts'
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
import { wholeInstance } from './wholeReport.ts'

/**
 * Parses the report of an XBRL instance, or of inline documents read as one. Returns null if the whole report
 * was left out.
 *
 * @param presentations what the linkbases state that came with it
 */
export function parseXbrlReport(
  instance: XbrlInstance,
  path: string,
  name: ReportName,
  { leftOut, faults }: Tally,
  presentations: Presentations | null = null,
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
  const isMapped = ({ namespace, name: local }: XbrlFact) =>
    usesOfTag(tagOf(namespace, local) ?? '') !== undefined
  const whole = wholeInstance(instance, presentations, (line, text, fact) => {
    // The metric's reader has named or counted a fault of a mapped figure.
    if (!isMapped(fact)) faults.add(`line ${line}: ${text}`)
  })
  return { ...head, figures, figuresRead, whole }
}

/**
 * `jppfs_cor:NetSales`, whatever the year of the taxonomy. A filer's own element contains the filer's code,
 * as in `jpcrp030000-asr_E02144-000:TotalNetRevenuesIFRS`. Null for anything else.
 */
function tagOf(namespace: string, name: string): string | null {
  const taxonomy = /\/taxonomy\/[a-z]+\/\d{4}-\d\d-\d\d\/([a-z]+_cor)$/.exec(namespace)
  if (taxonomy !== null) return `${taxonomy[1]}:${name}`
  const own = /^http:\/\/disclosure\.edinet-fsa\.go\.jp\/(jpcrp\d{6})\/asr\/\d{3}\/(E\d{5}-\d{3})\//.exec(
    namespace,
  )
  return own === null ? null : `${own[1]}-asr_${own[2]}:${name}`
}

/** True for the company alone, false for the group, null for a part of either. */
function isSolo({ dimensions }: XbrlContext): boolean | null {
  if (dimensions.size === 0) return false
  const [[axis, member]] = dimensions
  const solo =
    axis.endsWith('}ConsolidatedOrNonConsolidatedAxis') && member.endsWith('}NonConsolidatedMember')
  return dimensions.size === 1 && solo ? true : null
}
