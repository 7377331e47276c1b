import type { Sql } from '../client.ts'
import { isConnectionLost } from '../errors.ts'
import type { Finding } from './damageQueries.ts'
import { isRepairable } from './damageSentence.ts'
import { countValidIndexes, rebuildIndex, rewriteMaps } from './repairQueries.ts'

export interface Repair {
  readonly finding: Finding
  /** Null if it succeeded. */
  readonly failure: string | null
}

/**
 * Rebuilds what is fully determined by an intact table: its indexes and its free-space and visibility maps.
 * The indexes of a damaged table are left as they are, because rebuilding them would read the damaged pages.
 */
export async function repair(sql: Sql, findings: readonly Finding[]): Promise<readonly Repair[]> {
  const damagedTables = new Set(
    findings.filter(({ kind, fork }) => kind !== 'index' && fork === 'main').map(({ name }) => name),
  )
  const done: Repair[] = []
  const seen = new Set<number>()
  for (const finding of findings.filter(isRepairable)) {
    if (seen.has(finding.relation)) continue
    seen.add(finding.relation)
    const table = finding.kind === 'index' ? finding.ofTable : finding.name
    const failure =
      table !== null && damagedTables.has(table)
        ? `${table} is damaged itself: restore it first.`
        : await attempt(() => rebuild(sql, finding))
    done.push({ finding, failure })
  }
  return done
}

async function rebuild(sql: Sql, { kind, name, ofTable }: Finding): Promise<void> {
  if (kind !== 'index') return rewriteMaps(sql, name)
  await rebuildIndex(sql, name)
  if (ofTable !== null && (await countValidIndexes(sql, name)) === 0)
    throw new Error('The index that was built is not valid.')
}

async function attempt(work: () => Promise<void>): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (isConnectionLost(error) || !(error instanceof Error)) throw error
    return error.message
  }
}
