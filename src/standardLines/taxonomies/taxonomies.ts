import type { Statement } from '../../wholeFilings/wholeFiling.ts'
import { belgium } from './belgium.ts'
import { denmark } from './denmark.ts'
import { france } from './france.ts'
import { japan } from './japan.ts'
import { korea } from './korea.ts'
import { newZealand } from './newZealand.ts'
import { taiwan } from './taiwan.ts'
import type { Taxonomy } from './taxonomy.ts'

/** By the market whose register uses it. */
export const taxonomies: Readonly<Record<string, Taxonomy>> = {
  JP: japan,
  KR: korea,
  TW: taiwan,
  NZ: newZealand,
  DK: denmark,
  BE: belgium,
  FR: france,
}

/** The role of a statement that a schema presents, such as `DK/balance`. */
export const schemaRole = (market: string, statement: string) => `${market}/${statement}`

/**
 * The taxonomy of a presented statement; null for American ones. IFRS alone does not tell: its elements are used in the
 * USA, too, where reports have English labels.
 */
export function taxonomyOf({ role, lines }: Pick<Statement, 'role' | 'lines'>): Taxonomy | null {
  const [, market = ''] = /^([A-Z]{2})\//.exec(role) ?? []
  if (market in taxonomies) return taxonomies[market]
  for (const { concept, label } of lines) {
    if (concept.startsWith('us-gaap:')) return null
    if (/[\uac00-\ud7a3]/.test(label ?? '')) return korea
    for (const taxonomy of Object.values(taxonomies)) if (taxonomy.defines(concept)) return taxonomy
  }
  return null
}
