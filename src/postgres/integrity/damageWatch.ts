import type { Sql } from '../client.ts'
import { isDamage } from '../errors.ts'
import { type DamageError, readDamageError } from './damageErrors.ts'
import {
  countDamagedRelations,
  type Finding,
  findDamagedRelation,
  type RelationName,
  recordFinding,
  takeUnreported,
} from './damageQueries.ts'

interface DamageWatchParts {
  readonly sql: Sql
  readonly elapsedMs: () => number
  /** Logs a finding, once, whichever process detected it. */
  readonly report: (finding: Finding) => void
}

const recordAgainMs = 60_000
const readEveryMs = 5_000
const readTimeoutMs = 1_000
/** The number of distinct errors remembered; a database has a few hundred relations. */
const maxRemembered = 200

/**
 * Knows whether a part of the database is damaged. A statement that runs into damage is the first to notice;
 * the page check (`runPass.ts`) records its findings in the same table. Every server reads that table, so all
 * of them warn.
 */
export class DamageWatch {
  readonly #parts: DamageWatchParts
  /** When each error was last recorded, by content. */
  readonly #recorded = new Map<string, number>()
  /** Errors that could not be recorded, because the damage may be in that very table. */
  readonly #unrecorded = new Map<string, DamageError>()
  #recording: Promise<void> = Promise.resolve()
  #count = 0
  #readAtMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null
  #isNews = false

  constructor(parts: DamageWatchParts) {
    this.#parts = parts
  }

  /** Remembers an error if it reports a damaged page or file; ignores others. */
  note(error: unknown): void {
    if (!(error instanceof Error && isDamage(error))) return
    const damage = readDamageError(error)
    const key = `${damage.path ?? damage.message} ${damage.firstBlock}`
    const { elapsedMs } = this.#parts
    const last = this.#recorded.get(key)
    if (last !== undefined && elapsedMs() - last < recordAgainMs) return
    if (last === undefined) this.#isNews = true
    if (last === undefined && this.#recorded.size >= maxRemembered) this.#recorded.clear()
    this.#recorded.set(key, elapsedMs())
    this.#count = Math.max(1, this.#count)
    this.#recording = this.#recording.then(() => this.#record(key, damage))
  }

  /** Whether anything new was noted since the last call, so that a check of all pages should follow. */
  takeNews(): boolean {
    const isNews = this.#isNews
    this.#isNews = false
    return isNews
  }

  /**
   * For /ready, which anyone can read; the names are in the log and in `asfiled status`. Null if no damage is
   * known.
   */
  async warning(): Promise<string | null> {
    await Promise.race([this.#refresh(), Bun.sleep(readTimeoutMs)])
    if (this.#count === 0) return null
    return 'A part of the database is damaged, and requests that need it get 503. The operator finds with ./asfiled status which part it is and what to do.'
  }

  /** Resolves when everything noted is recorded. */
  async settled(): Promise<void> {
    await this.#recording
  }

  async #record(key: string, damage: DamageError): Promise<void> {
    const { sql, report } = this.#parts
    try {
      const relation = await findDamagedRelation(sql, damage)
      await recordFinding(sql, findingOf(damage, relation), null)
      this.#unrecorded.delete(key)
      for (const finding of await takeUnreported(sql)) report(finding)
    } catch {
      if (!this.#unrecorded.has(key)) report(findingOf(damage, null))
      if (this.#unrecorded.size < maxRemembered) this.#unrecorded.set(key, damage)
    }
  }

  #refresh(): Promise<void> {
    const { sql, elapsedMs } = this.#parts
    if (elapsedMs() - this.#readAtMs < readEveryMs) return this.#recording
    this.#reading ??= this.#recording
      .then(async () => {
        for (const [key, damage] of [...this.#unrecorded]) await this.#record(key, damage)
        this.#count = (await countDamagedRelations(sql)) + this.#unrecorded.size
        if (this.#count === 0) this.#recorded.clear()
      })
      .catch(error => {
        if (isDamage(error)) this.#count = Math.max(1, this.#count)
      })
      .finally(() => {
        this.#readAtMs = elapsedMs()
        this.#reading = null
      })
    return this.#reading
  }
}

const unknownRelation: RelationName = {
  relation: 0,
  name: 'a relation that could not be named',
  kind: 'unknown',
  isCatalog: false,
  ofTable: null,
}

const findingOf = (damage: DamageError, relation: RelationName | null): Finding => ({
  ...(relation ?? unknownRelation),
  // Pages that can be read but are inconsistent are damaged in structure: their checksums are right.
  foundBy: damage.path === null ? 'structure' : 'request',
  fork: damage.fork,
  firstBlock: damage.firstBlock,
  lastBlock: damage.lastBlock,
  blocks: null,
  detail: damage.message,
})
