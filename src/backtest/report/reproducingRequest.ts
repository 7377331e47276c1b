import type { BacktestResult } from '../result.ts'
import type { EvidenceUsed } from '../resultEvidence.ts'
import { reportSections } from './reportSections.ts'

/** The request that returns every number of the page as JSON, with all defaults spelled out, so that later
 * changes of defaults do not affect it. */
export function reproducingRequest({
  config,
  source,
  sweep,
  evidence,
  benchmark,
  request,
}: BacktestResult): object {
  const named = request?.benchmark ?? request?.evidence?.benchmark
  const isByDirection = new Set(sweep?.direction).size > 1 && named === undefined
  return {
    ...(source === undefined ? { panel: 'YOUR ROWS' } : { source: withoutNull(source) }),
    ...(request?.score === undefined ? {} : { score: request.score }),
    ...(request?.prices === undefined ? {} : { prices: request.prices }),
    ...(request?.compare === undefined ? {} : { compare: request.compare }),
    ...(request?.trials_already_tried === undefined
      ? {}
      : { trials_already_tried: request.trials_already_tried }),
    ...(request?.scores === undefined ? {} : { scores: request.scores }),
    config: withoutNull(request?.scores === undefined ? config : { ...config, rankBy: null }),
    ...(sweep === undefined ? {} : { sweep }),
    ...(benchmark === undefined || isByDirection
      ? {}
      : { benchmark: benchmark === 'series' ? 'YOUR BENCHMARK' : benchmark }),
    ...(request?.factors === undefined ? {} : { factors: 'YOUR FACTORS' }),
    include: reportSections(sweep !== undefined),
    ...(evidence === undefined ? {} : { evidence: settingsOf(evidence) }),
  }
}

function settingsOf(evidence: EvidenceUsed): object {
  const { seed, bootstraps, mean_block, mean_block_chosen, groups, test_groups } = evidence
  const block = mean_block_chosen ? {} : { meanBlock: mean_block }
  return { seed, bootstraps, ...block, groups, testGroups: test_groups }
}

/** null represents a default that no value of the field expresses. */
function withoutNull(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}
