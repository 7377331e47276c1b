import { lastPartOf } from '../../xbrl/figures.ts'
import type { XbrlFact } from '../../xbrl/instance.ts'

const danishNamespace = 'http://xbrl.dcca.dk/fsa'
/** IFRS has one namespace per year's taxonomy. */
const ifrsNamespace = /^https?:\/\/xbrl\.(?:ifrs|iasb)\.org\/taxonomy\/\d{4}-\d\d-\d\d\/ifrs(?:-full)?$/

/**
 * The element of a fact by its taxonomy, whatever prefix the report uses; null for taxonomies that are not
 * read.
 */
export function tagOf({ namespace, name }: XbrlFact): string | null {
  if (namespace === danishNamespace) return `fsa:${name}`
  return ifrsNamespace.test(namespace) ? `ifrs-full:${name}` : null
}

/**
 * The prefix of a namespace: the register's own for its taxonomies (`fsa`, `gsd`, `cmn`, ...), since reports use
 * any; for the extension of a company, how it is called without the year.
 */
export const prefixOf = (namespace: string): string =>
  ifrsNamespace.test(namespace) ? 'ifrs-full' : lastPartOf(namespace)
