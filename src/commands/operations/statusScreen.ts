import { grouped, textTable, wrapText } from '../output.ts'
import { type Attention, aliveProcesses } from './attention.ts'
import type { ServiceState } from './readStatus.ts'

export interface StatusFrame {
  readonly version: string
  readonly commit: string | null
  /** Describes the database, without user and password. */
  readonly database: string
  /** Whether the database's disk is on this machine. */
  readonly isEmbedded: boolean
}

const width = 100
const indent = 12

/** The screen of `asfiled status`. What needs attention comes last, where people look in a terminal. */
export function statusScreen(
  frame: StatusFrame,
  state: ServiceState,
  attention: readonly Attention[],
): string {
  const { version, commit, database } = frame
  const lines = [
    row('asfiled', commit === null ? version : `${version} (commit ${commit.slice(0, 12)})`),
    row('database', database.replace(/^Database: /, '') + ofServer(state)),
    row('schema', ofSchema(state)),
    row('data', ofData(state)),
    row('servers', ofProcesses(state, 'server')),
    row('workers', ofProcesses(state, 'worker')),
    row('jobs', ofJobs(state)),
    row('mail', ofMail(state)),
    row('disk', ofDisk(frame, state)),
    row('pages', ofPages(state)),
    row('backup', ofBackup(state)),
  ]
  const markets = marketTable(state)
  if (markets !== null) lines.push('', markets)
  if (state.errors !== null && state.errors.length > 0) {
    lines.push('', 'Errors of the last week, the latest first:')
    for (const { at, what, subject, reason, isOver } of state.errors)
      lines.push(
        wrapText(`  ${at} ${what} ${subject}${isOver ? ' (over)' : ''}: ${clip(reason)}`, width, '    '),
      )
  }
  lines.push('')
  if (attention.length === 0) lines.push('Healthy: nothing needs attention.')
  else {
    lines.push(`Needs attention (${attention.length}):`)
    for (const { about, message, mend } of attention) {
      lines.push(wrapText(`- ${about}: ${clip(message)}`, width, '  '))
      lines.push(wrapText(`  ${mend}`, width, '  ').replace(/^ */, '  '))
    }
  }
  return lines.join('\n')
}

const row = (label: string, text: string) =>
  label.padEnd(indent) + wrapText(text, width - indent, ' '.repeat(indent))
const unknown = 'not known'
const maxUnchecked = 3
/** Reasons come from registers and drivers, and a single one must not fill the screen. */
const clip = (text: string) => (text.length > 400 ? `${text.slice(0, 400)} ...` : text)

const ofServer = ({ server }: ServiceState) =>
  server === null
    ? ''
    : `, PostgreSQL ${server.version.split(' ')[0]}, ${size(server.sizeBytes)}, ${server.connections} of ${server.maxConnections} connections`

function ofSchema({ schema }: ServiceState): string {
  if (schema === null) return unknown
  const { number, shipped, pending, refusal } = schema
  if (refusal !== null) return `${number}, of another version; this one has ${shipped}`
  return pending.length === 0 ? `${number}, up to date` : `${number} of ${shipped}: ${pending.length} pending`
}

const ofData = ({ data }: ServiceState) =>
  data === null ? unknown : `version ${grouped(data.version)}, changed at ${data.changedAt}`

function ofProcesses(state: ServiceState, role: 'server' | 'worker'): string {
  if (state.processes === null) return unknown
  const alive = aliveProcesses(state)
  const shown = alive
    .filter(process => process.role === role)
    .map(({ host, pid, version, startedAt }) => `${host} (process ${pid}, ${version}, since ${startedAt})`)
  // A process that does not report its role may be either; it is counted once.
  const older = role === 'server' ? alive.filter(process => process.role === null).length : 0
  if (older > 0) shown.push(`${older} of a version that does not say what it is`)
  return shown.length === 0
    ? 'none'
    : `${alive.filter(p => p.role === role).length + older}: ${shown.join('; ')}`
}

function ofJobs({ jobs }: ServiceState): string {
  if (jobs === null) return unknown
  const { waiting, running, failed, oldestWaitingSeconds } = jobs
  const oldest = oldestWaitingSeconds === null ? '' : ` (the oldest for ${age(oldestWaitingSeconds)})`
  return `${waiting} waiting${oldest}, ${running} running, ${failed} failed within a day`
}

const ofMail = ({ mail }: ServiceState) =>
  mail === null ? unknown : `${mail.waiting} waiting, ${mail.failed} failed within a week`

function ofDisk({ isEmbedded }: StatusFrame, { disk }: ServiceState): string {
  if (disk === null) return isEmbedded ? unknown : `${unknown}: it is that of the PostgreSQL`
  const share = Math.round((100 * disk.freeBytes) / disk.totalBytes)
  return `${size(disk.freeBytes)} of ${size(disk.totalBytes)} free (${share}%) at ${disk.folder}`
}

function ofPages({ pageCheck }: ServiceState): string {
  if (pageCheck === null) return unknown
  const { last, running, damagedRelations, unchecked, hasChecksums } = pageCheck
  const share = running === null ? 0 : Math.floor((100 * running.pages) / Math.max(1, running.totalPages))
  const now = running === null ? '' : `; a check is at ${Math.min(100, share)}%`
  const off = hasChecksums ? '' : '; checksums are off, so damaged pages may give wrong figures'
  if (last === null) return `never checked as a whole${now}${off}`
  const found = damagedRelations === 0 ? 'nothing damaged' : `${damagedRelations} tables or indexes damaged`
  const left = unchecked.length === 0 ? '' : ` Not checked: ${unchecked.slice(0, maxUnchecked).join(' ')}`
  return `all ${grouped(last.pages)} checked ${age(last.ageSeconds)} ago, ${found}${now}${off}.${left}`
}

function ofBackup({ backup }: ServiceState): string {
  if (backup === undefined) return unknown
  if (backup === null) return 'none on record'
  const bytes = backup.bytes === null ? '' : `, ${size(backup.bytes)}`
  return `${backup.at} (${age(backup.ageSeconds)} ago), ${backup.file}${bytes}`
}

/** Markets with companies or syncs. */
function marketTable({ markets, syncs, imports }: ServiceState): string | null {
  const codes = new Set([...(markets?.keys() ?? []), ...(syncs ?? []).map(({ market }) => market)])
  if (codes.size === 0) return null
  const rows = [...codes].sort().map(market => {
    const sums = markets?.get(market)
    const sync = syncs?.find(entry => entry.market === market)
    const byHand = imports?.find(entry => entry.market === market)
    const failed = sync?.last_failure ?? null
    return [
      market,
      sums === undefined ? '-' : grouped(sums.entities),
      sums?.lastFiled ?? '-',
      sync?.running ? 'running' : sync?.age_hours == null ? '-' : `${age(sync.age_hours * 3_600)} ago`,
      byHand === undefined ? '-' : `${age(byHand.ageSeconds)} ago`,
      sync?.schedule ?? '-',
      failed === null ? '-' : failed.at,
    ]
  })
  return textTable(['market', 'companies', 'last filed', 'fetched', 'imported', 'schedule', 'failed'], rows)
}

/** Formats an age as 40 s, 12 min, 7 h or 3 d. */
function age(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < 120) return `${whole} s`
  if (whole < 7_200) return `${Math.floor(whole / 60)} min`
  return whole < 172_800 ? `${Math.floor(whole / 3_600)} h` : `${Math.floor(whole / 86_400)} d`
}

export const size = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`
