import type { Sql } from '../client.ts'
import { codeOf, isDamage } from '../errors.ts'
import { type Finding, readFindings, recordFinding, takeUnreported } from './damageQueries.ts'
import { clearFindings, endPass, type OpenPass, type Position, savePosition } from './passQueries.ts'

const saveEveryMs = 2_000
const maxUnchecked = 50
const maxKnown = 1_000
/** Errors of a database that is read-only, full, or lacks the table. */
const cannotRecord = /^(25006|42P01|42501|53100)$/

/**
 * A pass's findings and position, in memory and, if it accepts writes, in the database. A pass over a
 * database whose own table of findings is damaged continues without it.
 */
export class PassRecord {
  pages: number
  totalPages = 0
  position: Position
  readonly unchecked: string[]
  /** The findings on record when `readKnown` ran. */
  #known: readonly Finding[] = []
  readonly #found = new Map<string, Finding>()
  readonly #sql: Sql
  readonly #holder: string
  readonly #passId: number | null
  readonly #elapsedMs: () => number
  #savedAtMs = 0
  #canRecord: boolean

  /** @param pass null if the database cannot record one */
  constructor(sql: Sql, pass: OpenPass | null, holder: string, elapsedMs: () => number) {
    this.#sql = sql
    this.#holder = holder
    this.#elapsedMs = elapsedMs
    this.#passId = pass?.passId ?? null
    this.#canRecord = pass !== null
    this.position = pass ?? { phase: 'pages', relation: 0, fork: 0, block: 0 }
    this.pages = pass?.pages ?? 0
    this.unchecked = [...(pass?.unchecked ?? [])]
  }

  get isRecorded(): boolean {
    return this.#canRecord
  }

  /** Adds a sentence about what was not checked. */
  leaveOut(sentence: string): void {
    if (this.unchecked.includes(sentence) || this.unchecked.length > maxUnchecked) return
    this.unchecked.push(this.unchecked.length < maxUnchecked ? sentence : 'And more.')
  }

  async add(finding: Finding): Promise<void> {
    const key = `${finding.relation} ${finding.foundBy} ${finding.fork}`
    const before = this.#found.get(key)
    this.#found.set(key, before === undefined ? finding : merged(before, finding))
    await this.#ifRecorded(() => recordFinding(this.#sql, finding, this.#passId))
  }

  /** Reads the findings on record. */
  async readKnown(): Promise<void> {
    this.#known = await this.#ifRecorded<readonly Finding[]>(() => readFindings(this.#sql, maxKnown), [])
  }

  /**
   * Clears earlier passes' findings on a relation, and returns those of all processes that have not been
   * logged yet.
   */
  async finishRelation(relation: number, foundBy: readonly string[]): Promise<readonly Finding[]> {
    const isAffected = (finding: Finding) => finding.relation === relation
    if (!this.#known.some(isAffected) && ![...this.#found.values()].some(isAffected)) return []
    return this.#ifRecorded<readonly Finding[]>(async passId => {
      await clearFindings(this.#sql, passId, relation, foundBy)
      return takeUnreported(this.#sql)
    }, [])
  }

  /** Relations with damaged pages. */
  damagedRelations(): ReadonlySet<number> {
    const ofPages = [...this.#known, ...this.#found.values()].filter(({ foundBy }) => foundBy === 'pages')
    return new Set(ofPages.map(({ relation }) => relation))
  }

  /** Stores the position every two seconds. Returns false if another process has taken over the pass. */
  async save(isForced = false): Promise<boolean> {
    const now = this.#elapsedMs()
    if (!isForced && now - this.#savedAtMs < saveEveryMs) return true
    this.#savedAtMs = now
    const { pages, totalPages, position, unchecked } = this
    const state = { ...position, pages, totalPages, unchecked }
    return this.#ifRecorded(passId => savePosition(this.#sql, { passId, holder: this.#holder }, state), true)
  }

  /** Ends the pass and returns all remaining findings. */
  async end(ended: 'complete' | 'stopped'): Promise<readonly Finding[]> {
    const own = [...this.#found.values()]
    return this.#ifRecorded<readonly Finding[]>(async passId => {
      await this.save(true)
      return endPass(this.#sql, passId, ended)
    }, own)
  }

  #ifRecorded(work: (passId: number) => Promise<unknown>): Promise<void>
  #ifRecorded<T>(work: (passId: number) => Promise<T>, otherwise: T): Promise<T>
  async #ifRecorded<T>(work: (passId: number) => Promise<T>, otherwise?: T): Promise<T | undefined> {
    if (!this.#canRecord || this.#passId === null) return otherwise
    try {
      return await work(this.#passId)
    } catch (error) {
      if (!isDamage(error) && !cannotRecord.test(codeOf(error))) throw error
      this.#canRecord = false
      return otherwise
    }
  }
}

const merged = (before: Finding, after: Finding): Finding => ({
  ...after,
  firstBlock: combined(before.firstBlock, after.firstBlock, Math.min),
  lastBlock: combined(before.lastBlock, after.lastBlock, Math.max),
  blocks: combined(before.blocks, after.blocks, (one, other) => one + other),
})

const combined = (one: number | null, other: number | null, choose: (a: number, b: number) => number) =>
  one === null || other === null ? (one ?? other) : choose(one, other)

/** Whether an error means that the database cannot record a pass. */
export const isUnrecordable = (error: unknown) => isDamage(error) || cannotRecord.test(codeOf(error))
