import type { XbrlContext } from '../xbrl/readXbrl.ts'

/** Whose accounts a figure belongs to. `plain`: the report does not say; in the Danish taxonomy that is the parent company,
 * in IFRS the reporting entity as a whole. */
export type Basis = 'group' | 'plain' | 'parent'

const bases: Readonly<Record<string, Basis>> = {
  'ConsolidatedSoloDimension ConsolidatedMember': 'group',
  'ConsolidatedSoloDimension SoloMember': 'parent',
  'ConsolidatedAndSeparateFinancialStatementsAxis ConsolidatedMember': 'group',
  'ConsolidatedAndSeparateFinancialStatementsAxis SeparateMember': 'parent',
}

const taxonomy =
  /^\{(?:http:\/\/xbrl\.dcca\.dk\/cmn|https?:\/\/xbrl\.ifrs\.org\/taxonomy\/[^}]+\/ifrs-full)\}/

/** null: the context has another dimension. What stands there is a part of a figure or an earlier year's. */
export function basisOf({ dimensions }: XbrlContext): Basis | null {
  if (dimensions.size === 0) return 'plain'
  if (dimensions.size > 1) return null
  const [[dimension, member]] = dimensions
  if (!taxonomy.test(dimension) || !taxonomy.test(member)) return null
  return bases[`${dimension.replace(taxonomy, '')} ${member.replace(taxonomy, '')}`] ?? null
}
