import type { TagUse } from '../../reading/conceptTable.ts'
import { usesOfTag } from './concepts.ts'
import type { LineFields } from './dataSetTables.ts'

/** A concept as a line of a data set states it. */
export interface DataSetConcept {
  readonly tag: string
  readonly version: string
  /** The part of the version before the slash; null if the company defined the concept itself. */
  readonly taxonomy: string | null
  /** The name of the concept with its prefix. */
  readonly concept: string
  /** The metrics that it may report; undefined if the service does not use it. */
  readonly uses: readonly TagUse[] | undefined
}

/** The prefix of a company's own concepts: the data sets name the filing and not the company's prefix. */
const ownPrefix = 'custom'

const conceptColumns = ['tag', 'version']

/** The concepts of a data set, each one object. */
export class DataSetConcepts {
  readonly #known = new Map<string, DataSetConcept>()

  of(line: LineFields): DataSetConcept {
    const key = line.together(conceptColumns)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const read = readConcept(line.field('tag'), line.field('version'))
    if (this.#known.size >= maxConcepts) this.#known.clear()
    this.#known.set(key, read)
    return read
  }
}

function readConcept(tag: string, version: string): DataSetConcept {
  const slash = version.indexOf('/')
  if (slash < 0) return { tag, version, taxonomy: null, concept: `${ownPrefix}:${tag}`, uses: undefined }
  const taxonomy = version.slice(0, slash)
  const uses = usesOfTag(`${taxonomy === 'ifrs' ? 'ifrs-full' : taxonomy}:${tag}`)
  return { tag, version, taxonomy, concept: `${taxonomy}:${tag}`, uses }
}

/** Standard taxonomies have some 20,000 tags, and each company adds its own ones. */
const maxConcepts = 50_000
