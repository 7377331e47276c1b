import { Failure } from '../../src/errors.ts'
import { registerOf } from '../../src/ingest/allRegisters.ts'
import { type ImportSummary, importInTurn } from '../../src/ingest/import/importFacts.ts'
import type { ReadUnit } from '../../src/ingest/reading/progress.ts'
import { dropSecondaryIndexes, maintainFactTables } from '../../src/ingest/store/bulkIndexes.ts'
import { isAllFrom, readImportedFiles } from '../../src/ingest/store/importQueries.ts'
import type { Sql } from '../../src/postgres/client.ts'
import { makeEntity } from './makeEntity.ts'
import { allEntities, marketSizes } from './marketSizes.ts'

export interface BenchDataOptions {
  /** Number of entities, in the proportions of the specification. */
  readonly entities: number
  readonly seed: number
  readonly onProgress: (progress: { readonly entities: number; readonly statements: number }) => void
}

export interface BenchData {
  readonly entities: number
  /** Entities that an earlier run has loaded. */
  readonly known: number
  readonly summaries: readonly ImportSummary[]
}

/** The source of all data versions. */
export const source = 'bench-data'
const entitiesPerUnit = 50

/** Loads generated entities with the regular importer. Skips what an interrupted run has loaded. */
export async function loadBenchData(
  sql: Sql,
  { entities, seed, onProgress }: BenchDataOptions,
): Promise<BenchData> {
  if (!(await isAllFrom(sql, source))) {
    throw new Failure(
      'conflict',
      'This database holds other data. Name another one with DATA_DIR or DATABASE_URL.',
    )
  }
  const known = await readImportedFiles(sql)
  const done = { entities: 0, statements: 0, known: 0 }
  await dropSecondaryIndexes(sql)
  const imports = marketSizes.map(size => {
    const count = Math.max(1, Math.round((size.entities * entities) / allEntities))
    const units = function* (): Generator<ReadUnit> {
      for (let first = 0; first < count; first += entitiesPerUnit) {
        const last = Math.min(count, first + entitiesPerUnit)
        const contentKey = `bench-data ${seed} ${size.market} ${first}-${last}`
        done.entities += last - first
        if (known.has(contentKey)) {
          done.known += last - first
          continue
        }
        const parsed = Array.from({ length: last - first }, (_, i) => makeEntity(size, first + i, seed))
        for (const { reportedFacts } of parsed) done.statements += reportedFacts.length
        onProgress({ entities: done.entities, statements: done.statements })
        yield { parsed, receipt: { contentKey, name: contentKey } }
      }
    }
    // Uses the register's own rules, by which an import would derive all figures of its companies again.
    const { rules } = registerOf(size.market)
    return { units: units(), options: { source, rules } }
  })
  const summaries = await importInTurn(sql, imports)
  await maintainFactTables(
    sql,
    summaries.reduce((sum, { factsAdded }) => sum + factsAdded, 0),
  )
  return { entities: done.entities, known: done.known, summaries }
}
