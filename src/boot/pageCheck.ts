import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { connect, type Sql } from '../postgres/client.ts'
import { isConnectionLost, isDamage } from '../postgres/errors.ts'
import type { Finding } from '../postgres/integrity/damageQueries.ts'
import { damageSentence } from '../postgres/integrity/damageSentence.ts'
import type { DamageWatch } from '../postgres/integrity/damageWatch.ts'
import { claimPass, releasePass } from '../postgres/integrity/passQueries.ts'
import { isUnrecordable } from '../postgres/integrity/passRecord.ts'
import { runPass } from '../postgres/integrity/runPass.ts'

interface PageCheckParts {
  readonly config: Pick<Config, 'pageCheckMbPerSecond' | 'pageCheckHours'>
  readonly url: string
  /** The data folder of the embedded database; null: PostgreSQL reads its own files. */
  readonly folder: string | null
  readonly log: Logger
  readonly damage: Pick<DamageWatch, 'note' | 'takeNews'>
  readonly lookEveryMs?: number
}

/** The delay after a start, which has other things to read. */
const lookAfterMs = 30_000
/** Amcheck checks an index in one statement, which blocks anyone who wants to replace the index. */
const statementTimeoutMs = 60_000
const maxIndexBytes = 2 ** 30
const structureHours = 7 * 24

export const logDamage = (log: Logger, finding: Finding) =>
  log.error({ finding }, `The database is damaged: ${damageSentence(finding)} See ./asfiled status.`)

/** Reads and checks every page of the database while the server runs, slowly and on a separate connection. Of
 * several servers of one database, only one does so; another takes over if it dies. Returns a function that
 * stops the check. */
export function startPageCheck(parts: PageCheckParts): () => Promise<void> {
  const { config, url, log, damage, lookEveryMs = lookAfterMs } = parts
  if (config.pageCheckMbPerSecond === 0) return async () => {}
  const sql = connect({ url, connections: 1, statementTimeoutMs, applicationName: 'asfiled-page-check' })
  const ending = new AbortController()
  let running: Promise<void> | null = null
  let reported = ''
  const look = () => {
    running ??= runDuePass(sql, parts, ending.signal)
      .catch(error => {
        damage.note(error)
        const reason = error instanceof Error ? error.message : String(error)
        // The supervisor reports lost connections, and the same error may recur at each attempt.
        if (!isConnectionLost(error) && !isDamage(error) && reason !== reported)
          log.warn({ err: error }, 'The pages of the database could not be checked; trying again.')
        reported = reason
      })
      .finally(() => {
        running = null
      })
  }
  const timer = setInterval(look, lookEveryMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    ending.abort()
    await Promise.race([running, Bun.sleep(2_000)])
    await sql.end({ timeout: 1 })
  }
}

async function runDuePass(sql: Sql, parts: PageCheckParts, signal: AbortSignal): Promise<void> {
  const { config, folder, log, damage } = parts
  const holder = crypto.randomUUID()
  const claim = { holder, everyHours: config.pageCheckHours, structureHours, isUrgent: damage.takeNews() }
  const pass = await claimPass(sql, claim).catch(error => {
    // Happens on a standby, or if the table for the findings is itself damaged. `./asfiled verify` works
    // without that table.
    if (!isUnrecordable(error)) throw error
    damage.note(error)
    return null
  })
  if (pass === null || signal.aborted) return
  try {
    const { ended, findings, pages } = await runPass({
      sql,
      folder,
      pass,
      holder,
      maxIndexBytes,
      signal,
      hasStructure: pass.hasStructure,
      bytesPerSecond: config.pageCheckMbPerSecond * 1e6,
      isThorough: false,
      elapsedMs: () => performance.now(),
      report: finding => logDamage(log, finding),
    })
    if (ended === 'complete')
      log.info({ pages, damaged: findings.length }, 'All pages of the database were checked.')
  } finally {
    await releasePass(sql, pass.passId, holder).catch(() => {})
  }
}
