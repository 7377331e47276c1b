import type { XbrlFact } from '../xbrl/readXbrl.ts'

const danish = 'http://xbrl.dcca.dk/fsa'
/** IFRS has a namespace for each year's taxonomy. */
const ifrs = /^https?:\/\/xbrl\.(?:ifrs|iasb)\.org\/taxonomy\/\d{4}-\d\d-\d\d\/ifrs(?:-full)?$/

/** The element of a fact by its taxonomy, whatever prefix the report uses; null for taxonomies that are not read. */
export function tagOf({ namespace, name }: XbrlFact): string | null {
  if (namespace === danish) return `fsa:${name}`
  return ifrs.test(namespace) ? `ifrs-full:${name}` : null
}
