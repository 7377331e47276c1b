import type { BacktestInclude } from '../request.ts'
import { type EvidenceSection, evidenceSections } from '../requestEvidence.ts'

const ofEach: readonly BacktestInclude[] = [
  'curves',
  'performance',
  'monthly',
  'positions',
  'ic',
  'ic_decay',
  'quantile_returns',
  'spa',
  'interval',
  'track_record',
]

/** The sections of a result that its page shows. Cross-validation chooses between configurations, so there is none for a
 * single configuration. */
export const reportSections = (isSweep: boolean): readonly BacktestInclude[] =>
  isSweep ? [...ofEach, 'cpcv'] : ofEach

/** Whether a section is part of the field `evidence`, together with others. */
export const isEvidence = (section: BacktestInclude): section is EvidenceSection =>
  evidenceSections.some(name => name === section)
