import type { Sql } from '../client.ts'
import { type Fork, forks } from './damageErrors.ts'
import type { Finding, RelationName } from './damageQueries.ts'
import { type Means, readMeans } from './means.ts'
import { Pace } from './pace.ts'
import type { OpenPass } from './passQueries.ts'
import { PassRecord } from './passRecord.ts'
import { choosePageReader, type PageReader } from './readPages.ts'
import { listRelations, readTotalBytes, type StoredRelation } from './relationQueries.ts'
import { checkStructure, obstacleToStructure } from './structure.ts'

export interface PassOptions {
  readonly sql: Sql
  /** The embedded database's folder, whose files are read directly; if null, PostgreSQL reads them. */
  readonly folder: string | null
  /** The pass to begin or continue; null if the database cannot record one. */
  readonly pass: OpenPass | null
  readonly holder: string
  readonly hasStructure: boolean
  /** Null for unlimited. */
  readonly bytesPerSecond: number | null
  readonly isThorough: boolean
  readonly maxIndexBytes: number | null
  /** Stops the pass where it is; another process may continue it. */
  readonly signal: AbortSignal
  readonly elapsedMs: () => number
  /** Receives each finding that has not been logged yet. */
  readonly report: (finding: Finding) => void
  readonly onProgress?: (progress: PassProgress) => void
}

export interface PassProgress {
  readonly phase: 'pages' | 'structure'
  readonly pages: number
  readonly totalPages: number
  readonly findings: number
}

export interface PassResult {
  /** `lost`: another process continues it. */
  readonly ended: 'complete' | 'stopped' | 'lost'
  readonly findings: readonly Finding[]
  readonly pages: number
  readonly bytes: number
  readonly unchecked: readonly string[]
  /** Describes how the pages were read. */
  readonly description: string
  readonly hasChecksums: boolean
  /** Whether the database has recorded the pass. */
  readonly isRecorded: boolean
}

interface Pass {
  readonly options: PassOptions
  readonly means: Means
  readonly reader: PageReader
  readonly record: PassRecord
  /**
   * Waits until this many further blocks may be read, and stores the position. Returns false if the pass has
   * to end.
   */
  readonly goOn: (blocks: number) => Promise<boolean>
  findings: number
}

/** What a small or empty file counts as: opening a thousand of them at once would be a burst, too. */
const minPacedBlocks = 8

/**
 * Reads every page of every relation in the database, then has PostgreSQL check the structure of tables and
 * indexes. Continues at the position of its pass.
 */
export async function runPass(options: PassOptions): Promise<PassResult> {
  const { sql, signal, elapsedMs } = options
  const means = await readMeans(sql)
  const reader = choosePageReader(sql, means, options.folder)
  const record = new PassRecord(sql, options.pass, options.holder, elapsedMs)
  const pace = new Pace(options.bytesPerSecond, elapsedMs)
  let isLost = false
  const goOn = async (blocks: number) => {
    isLost ||= !(await record.save())
    await pause(pace.delayMs(Math.max(blocks, minPacedBlocks) * means.blockBytes), signal)
    return !isLost && !signal.aborted
  }
  await record.readKnown()
  for (const sentence of reader.limits) record.leaveOut(sentence)
  const pass: Pass = { options, means, reader, record, goOn, findings: 0 }
  record.totalPages = Math.ceil((await readTotalBytes(sql)) / means.blockBytes)
  // A pass that was lost or stopped keeps its findings and does not clear those of earlier ones.
  const isComplete = (await checkAllPages(pass)) && (await checkAllStructure(pass))
  const ended = isComplete ? 'complete' : isLost ? 'lost' : 'stopped'
  const { pages, unchecked, isRecorded } = record
  if (ended !== 'complete') await record.save(true)
  const findings = ended === 'complete' ? await record.end('complete') : []
  return {
    ended,
    findings,
    pages,
    unchecked,
    isRecorded,
    bytes: pages * means.blockBytes,
    description: reader.description,
    hasChecksums: means.hasChecksums,
  }
}

async function checkAllPages(pass: Pass): Promise<boolean> {
  const { options, means, reader, record } = pass
  const start = record.position
  if (start.phase !== 'pages') return true
  for await (const relation of listRelations(options.sql, start.relation)) {
    if (reader.covers(relation)) {
      const isFirst = relation.relation === start.relation
      const outcome = await checkPages(pass, relation, isFirst ? start : { fork: 0, block: 0 })
      if (outcome === 'ended') return false
      // If the structure check does not cover a relation, the page check clears its structural findings as
      // well.
      const over = [
        'pages',
        'request',
        ...(obstacleToStructure(means, relation) === null ? [] : ['structure']),
      ]
      if (outcome === 'checked') await finish(pass, relation, over)
    }
    record.position = { phase: 'pages', relation: relation.relation + 1, fork: 0, block: 0 }
  }
  record.position = { phase: 'structure', relation: 0, fork: 0, block: 0 }
  return record.save(true)
}

async function checkPages(
  pass: Pass,
  relation: StoredRelation,
  start: { readonly fork: number; readonly block: number },
): Promise<'checked' | 'unchecked' | 'ended'> {
  const { means, reader, record, goOn } = pass
  // Pages added meanwhile are left to the next pass: a table may grow as fast as it is read.
  const endBlock = Math.ceil(relation.bytes / means.blockBytes) + 1
  for (let fork = start.fork; fork < forks.length; fork++) {
    for (let block = fork === start.fork ? start.block : 0; block < endBlock; ) {
      const range = await reader.read(relation, forks[fork], block)
      if (range.unchecked !== undefined) {
        record.leaveOut(`${relation.name}: ${range.unchecked}`)
        return 'unchecked'
      }
      if (range.isMissing) await found(pass, missingFile(relation))
      if (range.damaged.length > 0) await found(pass, damagedPages(relation, forks[fork], range.damaged))
      record.pages += range.blocks
      block += range.blocks
      record.position = { phase: 'pages', relation: relation.relation, fork, block }
      showProgress(pass)
      if (!(await goOn(range.blocks))) return 'ended'
      if (range.isEnd) break
    }
  }
  return 'checked'
}

async function checkAllStructure(pass: Pass): Promise<boolean> {
  const { options, means, record } = pass
  if (!options.hasStructure) return true
  await record.readKnown()
  const damaged = record.damagedRelations()
  const structure = {
    isThorough: options.isThorough,
    maxIndexBytes: options.maxIndexBytes,
    signal: options.signal,
    pause: async (blocks: number) => {
      await pass.goOn(blocks)
    },
  }
  let isForbidden = false
  const start = record.position.relation
  for await (const relation of listRelations(options.sql, start)) {
    const obstacle = obstacleToStructure(means, relation)
    if (obstacle === 'forbidden') isForbidden = true
    else if (obstacle !== null) record.leaveOut(`The structure of ${relation.name}: ${obstacle}`)
    else if (relation.kind !== 'sequence' && !damaged.has(relation.relation)) {
      const result = await checkStructure(options.sql, means, relation, structure)
      if (options.signal.aborted) return false
      for (const { block, detail } of result.findings)
        await found(pass, brokenStructure(relation, block, detail))
      if (result.unchecked !== null) record.leaveOut(`The structure of ${relation.name}: ${result.unchecked}`)
      // Missing out-of-line values are only detected from their table, and only by the thorough check.
      else if (relation.kind !== 'toast' || options.isThorough) await finish(pass, relation, ['structure'])
    }
    record.position = { phase: 'structure', relation: relation.relation + 1, fork: 0, block: 0 }
    showProgress(pass)
    if (!(await pass.goOn(0))) return false
  }
  if (isForbidden) record.leaveOut(noAmcheck)
  return true
}

const noAmcheck =
  'The structure of tables and indexes: the role may not execute the functions of the extension amcheck.'

async function found(pass: Pass, finding: Finding): Promise<void> {
  pass.findings++
  await pass.record.add(finding)
}

async function finish({ record, options }: Pass, { relation }: RelationName, foundBy: readonly string[]) {
  for (const finding of await record.finishRelation(relation, foundBy)) options.report(finding)
}

function showProgress({ options, record, findings }: Pass): void {
  const { pages, totalPages, position } = record
  options.onProgress?.({ phase: position.phase, pages, totalPages, findings })
}

const nameOf = ({ relation, name, kind, isCatalog, ofTable }: RelationName) => ({
  relation,
  name,
  kind,
  isCatalog,
  ofTable,
})

const damagedPages = (relation: RelationName, fork: Fork, blocks: readonly number[]): Finding => ({
  ...nameOf(relation),
  foundBy: 'pages',
  fork,
  firstBlock: blocks[0],
  lastBlock: blocks[blocks.length - 1],
  blocks: blocks.length,
  detail: 'The checksum or the header of the pages is wrong.',
})

const missingFile = (relation: StoredRelation): Finding => ({
  ...nameOf(relation),
  foundBy: 'pages',
  fork: 'main',
  firstBlock: null,
  lastBlock: null,
  blocks: null,
  detail: `The file ${relation.path} is missing.`,
})

const brokenStructure = (relation: RelationName, block: number | null, detail: string): Finding => ({
  ...nameOf(relation),
  foundBy: 'structure',
  fork: 'main',
  firstBlock: block,
  lastBlock: block,
  blocks: block === null ? null : 1,
  detail,
})

/** Waits, unless `signal` ends it. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
