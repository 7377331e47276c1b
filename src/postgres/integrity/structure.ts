import type { Sql } from '../client.ts'
import { isConnectionLost, isDamage } from '../errors.ts'
import type { Means } from './means.ts'
import { countBlocks, hasFile, type StoredRelation } from './relationQueries.ts'

export interface StructureFinding {
  readonly block: number | null
  readonly detail: string
}

export interface StructureResult {
  readonly findings: readonly StructureFinding[]
  readonly unchecked: string | null
}

export interface StructureOptions {
  /** Also compares each row with the indexes and out-of-line values, which reads a table once per index. */
  readonly isThorough: boolean
  /** Larger indexes are skipped, because one statement checks a whole index; null for no limit. */
  readonly maxIndexBytes: number | null
  /** Called after each statement. */
  readonly pause: (blocks: number) => Promise<void>
  readonly signal: AbortSignal
}

/** 4 MB of a table in one statement. */
const rangeBlocks = 512
const maxRows = 1_000
const maxDetailLength = 300
const maxFindings = 100

/**
 * Why amcheck cannot check the relation: `forbidden`, or a phrase. Null if it can, or if there is nothing to
 * check.
 */
export function obstacleToStructure(means: Means, { kind, method, isValid }: StoredRelation): string | null {
  if (kind === 'sequence') return null
  if (kind !== 'index') return means.checksTables ? null : 'forbidden'
  if (!isValid) return 'it is not complete.'
  if (method === 'btree') return means.checksBtrees ? null : 'forbidden'
  // Before PostgreSQL 18, amcheck has no function for it.
  if (method === 'gin' && means.checksGin) return null
  return means.checksBtrees ? `the extension amcheck knows no ${method} indexes.` : 'forbidden'
}

/** Checks what checksums cannot: whether the rows of a table and the entries of an index are consistent. */
export async function checkStructure(
  sql: Sql,
  means: Means,
  relation: StoredRelation,
  options: StructureOptions,
): Promise<StructureResult> {
  try {
    if (relation.kind !== 'index') return await checkTable(sql, means, relation, options)
    if (options.maxIndexBytes !== null && relation.bytes > options.maxIndexBytes)
      return {
        findings: [],
        unchecked: 'it is too large to be checked beside requests; ./asfiled verify does',
      }
    await checkIndex(sql, relation, options.isThorough)
    await options.pause(relation.bytes / means.blockBytes)
    return { findings: [], unchecked: null }
  } catch (error) {
    if (isConnectionLost(error) || !(error instanceof Error)) throw error
    if (!(await hasFile(sql, relation))) return { findings: [], unchecked: null }
    if (!isDamage(error)) return { findings: [], unchecked: error.message }
    return { findings: [{ block: null, detail: error.message.slice(0, maxDetailLength) }], unchecked: null }
  }
}

async function checkIndex(sql: Sql, { relation, method }: StoredRelation, isThorough: boolean) {
  if (method === 'gin') await sql`select gin_index_check(${relation}::int8::oid::regclass)`
  else await sql`select bt_index_check(${relation}::int8::oid::regclass, ${isThorough})`
}

async function checkTable(
  sql: Sql,
  { blockBytes }: Means,
  { relation }: StoredRelation,
  { isThorough, pause, signal }: StructureOptions,
): Promise<StructureResult> {
  const findings: StructureFinding[] = []
  for (let first = 0; findings.length < maxFindings && !signal.aborted; first += rangeBlocks) {
    // The table may have grown or shrunk.
    const last = Math.min(first + rangeBlocks, await countBlocks(sql, relation, 'main', blockBytes)) - 1
    if (last < first) break
    const rows = await sql<{ block: number | null; message: string }[]>`
      select blkno::float8 as block, msg as message
      from verify_heapam(${relation}::int8::oid::regclass, false, ${isThorough}, 'none', ${first}, ${last}) limit ${maxRows}`
    for (const { block, message } of rows.slice(0, maxFindings))
      findings.push({ block, detail: message.slice(0, maxDetailLength) })
    await pause(last + 1 - first)
  }
  return { findings, unchecked: null }
}
