import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { Cron } from 'croner'
import { readCron, readSchedule, type ScheduledSync } from './cron.ts'
import { Failure } from './errors.ts'
import { isHttpUrl, readRegisters, registerFaults } from './registerSettings.ts'

/** Everything that a setting decides. Read once, frozen and passed on; the environment is read nowhere else. */
export interface Config {
  readonly host: string
  readonly port: number
  /** The service's own address in documentation and examples. */
  readonly baseUrl: string
  /** It listens on loopback and has no public address: only programs of this machine are to reach it. */
  readonly isLocal: boolean
  /** Absolute. */
  readonly dataDir: string
  /** null: start the embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl: string | null
  /** Streaming replicas of that database, which answer reads; empty: it answers all. */
  readonly databaseReadUrls: readonly string[]
  /** Where the first start writes the owner's key; null: to standard output. */
  readonly ownerKeyFile: string | null
  readonly databaseConnections: number
  readonly statementTimeoutMs: number
  readonly computeThreads: number
  readonly computeQueue: number
  readonly computeTimeoutMs: number
  /** Parts of submitted backtests that run at a time; 0: this process leaves them to others. */
  readonly jobConcurrency: number
  readonly bodyLimitMb: number
  /** Memory for the rows of stored panels, and as much again for the figures of as-of joins. */
  readonly panelMemoryMb: number
  /** Data versions before the present one that can be read again. */
  readonly keepVersions: number
  readonly drainTimeoutMs: number
  /** How long a stopping server goes on answering, while /ready tells proxies to send requests elsewhere. */
  readonly drainDelayMs: number
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
  readonly flagshipTickers: readonly string[]
  /** Markets of unread terms whose companies are offered as files: the operator has read them. */
  readonly allowUnverifiedMarkets: readonly string[]
  /** Where bulk files are stored. Absolute. */
  readonly bulkDir: string
  /** When this server builds them by itself; null: never. */
  readonly bulkSchedule: Cron | null
  /** How many releases of them stay. */
  readonly bulkKeep: number
  readonly trustedProxies: readonly string[]
  /** How fast a server reads the pages of the database to check them; 0: it does not. */
  readonly pageCheckMbPerSecond: number
  /** How often it begins to. */
  readonly pageCheckHours: number
  /** The SMTP server that mail goes out by; null: none. */
  readonly mailUrl: string | null
  readonly mailFrom: string
  /** Accounts that may use /admin, in lower case. */
  readonly adminEmails: readonly string[]
  /** Who offers evaluations, and the law of that contract. null: evaluations are not offered. */
  readonly operatorName: string | null
  readonly operatorLaw: string | null
  /** The server whose API `asfiled mcp` calls, and the key that it sends. */
  readonly agentUrl: string
  readonly agentKey: string
  /** Where this process shows its metrics; null: nowhere. */
  readonly metricsPort: number | null
  readonly metricsHost: string
  readonly logLevel: LogLevel
  /** Otherwise those that fail or are slow, and a sample of the others. */
  readonly logsEveryRequest: boolean
  /** Addresses and credentials of the registers that `sync` fetches from, by the name of the setting. Empty: not set. */
  readonly registers: Readonly<Record<string, string>>
  /** The registers that this process fetches from by itself; empty: none. */
  readonly syncSchedule: readonly ScheduledSync[]
  /** A run of the schedule that takes longer is stopped, and continued by the next one. */
  readonly syncTimeoutMinutes: number
  /** Settings of earlier versions that are set and have no effect. */
  readonly ignoredSettings: readonly string[]
}

/** Where a process keeps large request bodies while they are read. */
export const uploadFolder = ({ dataDir }: Pick<Config, 'dataDir'>): string => resolve(dataDir, 'uploads')

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const removedSettings = [
  'BULK_KEEP',
  'CHARITIES_URL',
  'DRAIN_TIMEOUT_MS',
  'EDINET_CODES_URL',
  'EDINET_URL',
  'INPI_URL',
  'JOIN_MEMORY_MB',
  'LOG_REQUESTS',
  'NBB_URL',
  'OPENDART_URL',
  'PAGE_CHECK_HOURS',
  'SEC_DATA_URL',
  'SEC_URL',
  'STATEMENT_TIMEOUT_MS',
  'SYNC_TIMEOUT_MINUTES',
  'TWSE_URL',
  'VIRK_DOCUMENTS_URL',
  'VIRK_URL',
] as const

/** Next to package.json, whatever the current folder is: a command in another folder finds the server's database. A relative
 * DATA_DIR counts from the current folder. */
const defaultDataDir = resolve(import.meta.dir, '../.data')

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings that `.env.example` lists. All faults are reported at once. */
export function readConfig(environment: Environment): Config {
  const faults: string[] = []
  const { text, list, integer } = settingReaders(environment, faults)
  const host = text('HOST', '127.0.0.1')
  const port = integer('PORT', 3000, 0, 65_535)
  const logLevelName = text('LOG_LEVEL', 'info')
  const logLevel = logLevels.find(level => level === logLevelName)
  if (logLevel === undefined)
    faults.push(`LOG_LEVEL=${logLevelName} is unknown. Use one of ${logLevels.join(', ')}.`)
  const dataDir = resolve(text('DATA_DIR', defaultDataDir))
  const bulkTimes = text('BULK_SCHEDULE', '')
  const bulkSchedule = bulkTimes === '' ? null : readCron(bulkTimes)
  if (bulkSchedule !== null && !(bulkSchedule instanceof Cron))
    faults.push(
      ...bulkSchedule.map(
        fault => `BULK_SCHEDULE=${bulkTimes.slice(0, 80)}: ${fault}. Its times are in UTC.`,
      ),
    )
  const syncs = readSchedule(text('SYNC_SCHEDULE', ''))
  faults.push(...syncs.faults.map(fault => `SYNC_SCHEDULE ${fault}. Its times are in UTC.`))
  const baseUrl = text('BASE_URL', defaultBaseUrl(host, port)).replace(/\/+$/, '')
  const config: Config = {
    host,
    port,
    baseUrl,
    isLocal: isLoopback(host) && URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname),
    dataDir,
    databaseUrl: text('DATABASE_URL', '') || null,
    // Each may name several hosts with commas, too.
    databaseReadUrls: text('DATABASE_READ_URL', '')
      .split(/\s*,\s*(?=\w+:\/\/)/)
      .filter(url => url !== ''),
    ownerKeyFile: text('OWNER_KEY_FILE', '') || null,
    databaseConnections: integer('DATABASE_CONNECTIONS', 10, 2, 1_000),
    statementTimeoutMs: 10_000,
    computeThreads: integer('COMPUTE_THREADS', availableParallelism(), 1, 256),
    computeQueue: integer('COMPUTE_QUEUE', 64, 1, 100_000),
    computeTimeoutMs: integer('COMPUTE_TIMEOUT_MS', 60_000, 100, 3_600_000),
    jobConcurrency: integer('JOB_CONCURRENCY', availableParallelism(), 0, 256),
    bodyLimitMb: integer('BODY_LIMIT_MB', 256, 1, 1_024),
    panelMemoryMb: integer('PANEL_MEMORY_MB', 1_024, 64, 1_048_576),
    keepVersions: integer('KEEP_VERSIONS', 10_000, 100, 2_000_000_000),
    drainTimeoutMs: 10_000,
    drainDelayMs: integer('DRAIN_DELAY_MS', 0, 0, 600_000),
    maxConnections: integer('MAX_CONNECTIONS', 4_096, 1, 1_000_000),
    maxConnectionsPerAddress: integer('MAX_CONNECTIONS_PER_ADDRESS', 512, 1, 1_000_000),
    flagshipTickers: list('FLAGSHIP_TICKERS', 'AAPL,GOOGL,GOOG'),
    allowUnverifiedMarkets: list('ALLOW_UNVERIFIED_MARKETS', '').map(code => code.toUpperCase()),
    bulkDir: resolve(text('BULK_DIR', resolve(dataDir, 'bulk'))),
    bulkSchedule: bulkSchedule instanceof Cron ? bulkSchedule : null,
    bulkKeep: 3,
    trustedProxies: list('TRUSTED_PROXIES', ''),
    pageCheckMbPerSecond: integer('PAGE_CHECK_MB_PER_SECOND', 8, 0, 10_000),
    pageCheckHours: 6,
    mailUrl: text('MAIL_URL', '') || null,
    mailFrom: text('MAIL_FROM', ''),
    adminEmails: list('ADMIN_EMAILS', '').map(email => email.toLowerCase()),
    operatorName: text('OPERATOR_NAME', '') || null,
    operatorLaw: text('OPERATOR_LAW', '') || null,
    agentUrl: text('ASFILED_URL', baseUrl).replace(/\/+$/, ''),
    agentKey: text('ASFILED_KEY', 'demo'),
    metricsPort: text('METRICS_PORT', '') === '' ? null : integer('METRICS_PORT', 0, 0, 65_535),
    metricsHost: text('METRICS_HOST', '127.0.0.1'),
    logLevel: logLevel ?? 'info',
    logsEveryRequest: logLevel === 'debug',
    registers: readRegisters(text),
    syncSchedule: syncs.schedule,
    syncTimeoutMinutes: 1_440,
    ignoredSettings: removedSettings.filter(name => text(name, '') !== ''),
  }
  faults.push(...addressFaults(config), ...mailFaults(config), ...operatorFaults(config))
  faults.push(...registerFaults(config.registers), ...agentFaults(config), ...metricsFaults(config))
  if (faults.length > 0)
    throw new Failure('parameter_invalid', `These settings are invalid:\n  ${faults.join('\n  ')}`)
  return Object.freeze(config)
}

/** Readers of one setting each; an empty setting counts as not set. */
function settingReaders(environment: Environment, faults: string[]) {
  const text = (name: string, fallback: string) => environment[name]?.trim() || fallback
  const list = (name: string, fallback: string) =>
    text(name, fallback)
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '')
  const integer = (name: string, fallback: number, min: number, max: number) => {
    const raw = text(name, '')
    if (raw === '') return fallback
    const value = Number(raw)
    if (/^\d+$/.test(raw) && value >= min && value <= max) return value
    faults.push(
      `${name}=${raw} is not a whole number from ${min} to ${max}. Omit it to use the default, ${fallback}.`,
    )
    return fallback
  }
  return { text, list, integer }
}

const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host)

function defaultBaseUrl(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function* addressFaults({
  databaseUrl,
  databaseReadUrls,
  host,
  baseUrl,
  allowUnverifiedMarkets,
}: Config): Generator<string> {
  const odd = allowUnverifiedMarkets.find(code => !/^[A-Z]{2}$/.test(code))
  if (odd !== undefined)
    yield `ALLOW_UNVERIFIED_MARKETS names ${odd}, which is no code of a market. Send codes of two letters, separated by commas, like FR,KR.`
  // The value is not repeated: it may contain a password.
  if (databaseUrl !== null && !isDatabaseUrl(databaseUrl))
    yield 'DATABASE_URL is not a URL like postgres://user:password@host:5432/database.'
  if (!databaseReadUrls.every(isDatabaseUrl))
    yield 'DATABASE_READ_URL has an entry that is not a URL like postgres://user:password@host:5432/database. Separate several by commas.'
  if (databaseReadUrls.length > maxReplicas)
    yield `DATABASE_READ_URL names ${databaseReadUrls.length} replicas; ${maxReplicas} are allowed.`
  if (databaseReadUrls.length > 0 && databaseUrl === null)
    yield 'DATABASE_READ_URL is set, but DATABASE_URL is not. Set it to the primary of those replicas.'
  if (!/^[\w.:-]+$/.test(host)) yield `HOST=${host} is not an address or host name. Omit it to use 127.0.0.1.`
  if (!isHttpUrl(baseUrl))
    yield `BASE_URL=${baseUrl} is not a URL like https://data.example.com. Omit it to use HOST and PORT.`
}

function* metricsFaults({ port, metricsPort, metricsHost }: Config): Generator<string> {
  if (metricsPort !== null && metricsPort === port && port !== 0)
    yield `METRICS_PORT=${metricsPort} is the port of the service, which would show the metrics to its clients. Use another one, or omit it to show none.`
  if (!/^[\w.:-]+$/.test(metricsHost))
    yield `METRICS_HOST=${metricsHost} is not an address or host name. Omit it to use 127.0.0.1.`
}

function* agentFaults({ agentUrl, agentKey, baseUrl }: Config): Generator<string> {
  if (agentUrl !== baseUrl && !isHttpUrl(agentUrl))
    yield `ASFILED_URL=${agentUrl} is not a URL like https://data.example.com. Omit it for a server of this machine.`
  // The value is not repeated: it is a secret, or was meant to be one.
  if (!/^[\w-]{1,200}$/.test(agentKey))
    yield 'ASFILED_KEY is not a key like asf_live_... Omit it to use the demo key.'
}

/** An address, or a name and an address in angle brackets. Anything else could add a header to each mail. */
const senderShape = /^(?:[^<>",;@\p{C}]{1,100} )?<?[^\s<>"@\p{C}]{1,64}@[a-z0-9.-]{1,253}>?$/iu

/** An address that can sign in. */
const mailboxShape = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63}$/

function* mailFaults({ mailUrl, mailFrom, adminEmails }: Config): Generator<string> {
  // The value is not repeated: it may contain a password.
  if (mailUrl !== null && !(/^smtps?:\/\/[^/]/.test(mailUrl) && URL.canParse(mailUrl)))
    yield 'MAIL_URL is not a URL like smtps://user:password@mail.example.com:465.'
  if (mailUrl !== null && mailFrom === '')
    yield 'MAIL_URL is set, but MAIL_FROM is not. Set it to the sender, like "Data service <data@example.com>".'
  if (mailFrom !== '' && !senderShape.test(mailFrom))
    yield `MAIL_FROM=${mailFrom} is not an e-mail address. Write data@example.com or "Data service <data@example.com>".`
  const odd = adminEmails.find(email => !mailboxShape.test(email))
  if (odd !== undefined)
    yield `ADMIN_EMAILS names ${odd}, which is no e-mail address. Write addresses with commas between them, like ana@example.com,bo@example.com.`
}

const maxOperatorLength = 300

function* operatorFaults({ operatorName, operatorLaw }: Config): Generator<string> {
  const settings = { OPERATOR_NAME: operatorName, OPERATOR_LAW: operatorLaw }
  for (const [name, value] of Object.entries(settings)) {
    if (value !== null && (value.length > maxOperatorLength || /\p{C}/u.test(value)))
      yield `${name} may have ${maxOperatorLength} characters at most, and no control characters: it stands in each signed order form.`
    const other = name === 'OPERATOR_NAME' ? 'OPERATOR_LAW' : 'OPERATOR_NAME'
    if (value !== null && settings[other] === null)
      yield `${name} is set, but ${other} is not. Evaluations are offered with both, like "Data Ltd, 1 Example Street, London" and "the law of England and Wales".`
  }
}

const maxReplicas = 16

/** The driver takes several hosts, of which `URL` parses only one. */
function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace(/,[^/?]*/, ''))
}
