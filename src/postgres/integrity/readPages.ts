import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { reasonOf } from '../../errors.ts'
import type { Sql } from '../client.ts'
import { codeOf, isConnectionLost, isDamage } from '../errors.ts'
import type { Fork } from './damageErrors.ts'
import type { Means } from './means.ts'
import { isIntactPage } from './page.ts'
import { countBlocks, hasFile, prewarm, readBytes, readRows, type StoredRelation } from './relationQueries.ts'

export interface ReadRange {
  /** The number of blocks read. */
  readonly blocks: number
  readonly damaged: readonly number[]
  readonly isEnd: boolean
  /** The relation's file is missing although PostgreSQL still refers to it. */
  readonly isMissing?: true
  /** Why the rest of the relation cannot be checked. */
  readonly unchecked?: string
}

/** Reads the pages of relations in one of four ways, the most thorough that is permitted. */
export interface PageReader {
  /** Describes the method in a report. */
  readonly description: string
  /** What this method cannot detect, as sentences. */
  readonly limits: readonly string[]
  /** Whether it can read the pages of such a relation at all. */
  covers(relation: StoredRelation): boolean
  /** @param from the first block */
  read(relation: StoredRelation, fork: Fork, from: number): Promise<ReadRange>
}

/** Reading 256 KB at a time blocks a server's event loop for about a third of a millisecond. */
const rangeBlocks = 32
const rereads = 3
const rereadAfterMs = 100

/** @param folder the database's folder, or null if this process cannot read it */
export function choosePageReader(sql: Sql, means: Means, folder: string | null): PageReader {
  if (folder !== null)
    return fileReader(sql, means, {
      description: 'read from the files of the database',
      readFile: localFiles(folder, rangeBlocks * means.blockBytes),
    })
  if (means.readsFiles)
    return fileReader(sql, means, {
      description: 'read from the files of the database by pg_read_binary_file',
      readFile: (path, offset, length) => readBytes(sql, path, offset, length),
    })
  return means.prewarms ? memoryReader(sql, means) : rowReader(sql, means)
}

const noChecksums =
  'Checksums are off in this database, so only the headers of pages were checked: other damage is not noticed.'

interface FileAccess {
  readonly description: string
  /** Returns fewer bytes at the end of the file, and null if there is no such file. */
  readonly readFile: (path: string, offset: number, length: number) => Promise<Uint8Array | null>
}

/** Reads the files directly: what PostgreSQL has in its buffers says nothing about the disk. */
function fileReader(sql: Sql, means: Means, { description, readFile }: FileAccess): PageReader {
  const { blockBytes, segmentBlocks, hasChecksums } = means
  const suspectsIn = (bytes: Uint8Array, from: number): number[] => {
    const words = wordsOf(bytes)
    const suspects: number[] = []
    const blockWords = blockBytes / 4
    for (let n = 0; (n + 1) * blockBytes <= bytes.length; n++) {
      const page = words.subarray(n * blockWords, (n + 1) * blockWords)
      if (!isIntactPage(page, from + n, hasChecksums)) suspects.push(from + n)
    }
    return suspects
  }
  const read = async (relation: StoredRelation, fork: Fork, from: number): Promise<ReadRange> => {
    const segment = Math.floor(from / segmentBlocks)
    const inSegment = from % segmentBlocks
    const wanted = Math.min(rangeBlocks, segmentBlocks - inSegment)
    const path = `${relation.path}${fork === 'main' ? '' : `_${fork}`}${segment === 0 ? '' : `.${segment}`}`
    const look = (first: number, count: number) =>
      readFile(path, (inSegment + first) * blockBytes, count * blockBytes).then(bytes => ({
        blocks: Math.floor((bytes?.length ?? 0) / blockBytes),
        suspects: bytes === null ? [] : suspectsIn(bytes, from + first),
        isMissing: bytes === null,
      }))
    const lookAtAll = () =>
      look(0, wanted).catch(async error => {
        if (!isUnreadable(error)) throw error
        // The disk failed to return some block of the range, so each is read individually.
        const suspects: number[] = []
        let blocks = 0
        for (; blocks < wanted; blocks++) {
          const bad = { blocks: 1, suspects: [from + blocks] }
          const one = await look(blocks, 1).catch(() => bad)
          if (one.blocks === 0) break
          suspects.push(...one.suspects)
        }
        return { blocks, suspects, isMissing: false }
      })
    try {
      const { blocks, suspects, ...found } = await lookAtAll()
      let damaged = suspects
      // PostgreSQL may have been writing a page while we read it, so a page counts as damaged only if every read
      // finds it damaged.
      for (let n = 0; n < rereads && damaged.length > 0; n++) {
        await Bun.sleep(rereadAfterMs)
        const again = new Set((await lookAtAll()).suspects)
        damaged = damaged.filter(block => again.has(block))
      }
      const isMissing = found.isMissing && fork === 'main' && from === 0
      if ((isMissing || damaged.length > 0) && !(await hasFile(sql, relation)))
        return { blocks, damaged: [], isEnd: true }
      // The other files continue the first one, so without it there is nothing to read.
      if (isMissing) return { blocks: 0, damaged: [], isEnd: true, isMissing: true }
      return { blocks, damaged, isEnd: blocks < wanted }
    } catch (error) {
      return uncheckable(sql, relation, error)
    }
  }
  return { description, covers: () => true, read, limits: hasChecksums ? [] : [noChecksums] }
}

const wordsOf = ({ buffer, byteOffset, length }: Uint8Array): Int32Array => {
  const whole = Math.floor(length / 4)
  if (byteOffset % 4 === 0) return new Int32Array(buffer, byteOffset, whole)
  return new Int32Array(buffer.slice(byteOffset, byteOffset + whole * 4))
}

/**
 * Reads into one buffer, which the next read overwrites. A new buffer for each read would produce eight
 * megabytes of garbage per second.
 */
function localFiles(folder: string, maxLength: number): FileAccess['readFile'] {
  const buffer = new Uint8Array(maxLength)
  return (path, offset, length) => readLocal(resolve(folder, path), offset, buffer.subarray(0, length))
}

async function readLocal(path: string, offset: number, bytes: Uint8Array): Promise<Uint8Array | null> {
  const file = await open(path, 'r').catch(error => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  })
  if (file === null) return null
  try {
    let done = 0
    while (done < bytes.length) {
      const { bytesRead } = await file.read(bytes, done, bytes.length - done, offset + done)
      if (bytesRead === 0) break
      done += bytesRead
    }
    return bytes.subarray(0, done)
  } finally {
    await file.close()
  }
}

type ReadBlocks = (relation: StoredRelation, range: BlockRange) => Promise<void>
interface BlockRange {
  readonly fork: Fork
  readonly first: number
  readonly last: number
}

const inMemory =
  'Pages in the memory of PostgreSQL were not read from the disk. A role that may execute pg_read_binary_file reads them, too.'

const memoryReader = (sql: Sql, means: Means): PageReader => ({
  description: 'read by PostgreSQL with pg_prewarm',
  covers: () => true,
  limits: [...(means.hasChecksums ? [] : [noChecksums]), inMemory],
  read: statementReader(sql, means, (relation, range) => prewarm(sql, relation, range)),
})

const onlyTables =
  'Only tables were read: not their indexes, and not the long values that they store out of line (TOAST). Install the extension pg_prewarm to read those, too.'

function rowReader(sql: Sql, means: Means): PageReader {
  const readRange = statementReader(sql, means, (relation, range) => readRows(sql, relation, range))
  return {
    description: 'read by PostgreSQL, table by table',
    covers: ({ kind }) => kind === 'table',
    limits: [...(means.hasChecksums ? [] : [noChecksums]), inMemory, onlyTables],
    read: async (relation, fork, from) =>
      fork === 'main' ? readRange(relation, fork, from) : { blocks: 0, damaged: [], isEnd: true },
  }
}

/** Has PostgreSQL read a whole range or, if that fails, one block at a time. */
function statementReader(sql: Sql, { blockBytes }: Means, readBlocks: ReadBlocks): PageReader['read'] {
  return async (relation, fork, from) => {
    try {
      const last =
        Math.min(from + rangeBlocks, await countBlocks(sql, relation.relation, fork, blockBytes)) - 1
      if (last < from) return { blocks: 0, damaged: [], isEnd: true }
      const damaged: number[] = []
      const range = { blocks: last + 1 - from, damaged, isEnd: last + 1 - from < rangeBlocks }
      if (await isReadable(readBlocks, relation, { fork, first: from, last })) return range
      for (let block = from; block <= last; block++)
        if (!(await isReadable(readBlocks, relation, { fork, first: block, last: block })))
          damaged.push(block)
      return range
    } catch (error) {
      return uncheckable(sql, relation, error)
    }
  }
}

/** Whether the disk failed to return the data: the system reports EIO, PostgreSQL 58030. */
const isUnreadable = (error: unknown) => codeOf(error) === 'EIO' || isDamage(error)

/** A relation that was dropped in the meantime is not damaged. For any other relation, the reason is reported. */
async function uncheckable(sql: Sql, relation: StoredRelation, error: unknown): Promise<ReadRange> {
  if (isConnectionLost(error) || !(error instanceof Error)) throw error
  const nothing = { blocks: 0, damaged: [], isEnd: true }
  return (await hasFile(sql, relation)) ? { ...nothing, unchecked: reasonOf(error) } : nothing
}

async function isReadable(read: ReadBlocks, relation: StoredRelation, range: BlockRange): Promise<boolean> {
  try {
    await read(relation, range)
    return true
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}
