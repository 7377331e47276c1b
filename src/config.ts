import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { Cron } from 'croner'
import { readCron, readSchedule, type ScheduledSync } from './cron.ts'
import { Failure } from './errors.ts'
import { isHttpUrl, readRegisters, registerFaults } from './registerSettings.ts'

/** All settings. They are read once, frozen and passed on; nothing else reads the environment. */
export interface Config {
  readonly host: string
  readonly port: number
  /** The service's own address in documentation and examples. */
  readonly baseUrl: string
  /** True if the server listens on loopback and has no public address, so that only programs on this machine
   * can reach it. */
  readonly isLocal: boolean
  /** An absolute path. */
  readonly dataDir: string
  /** null: start the embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl: string | null
  /** Streaming replicas of that database, which answer reads; empty: the primary answers everything. */
  readonly databaseReadUrls: readonly string[]
  /** Where the first start writes the owner's key; null: to standard output. */
  readonly ownerKeyFile: string | null
  readonly databaseConnections: number
  readonly statementTimeoutMs: number
  readonly computeThreads: number
  readonly computeQueue: number
  readonly computeTimeoutMs: number
  /** How many parts of submitted backtests run at the same time; 0: this process leaves them to others. */
  readonly jobConcurrency: number
  readonly bodyLimitMb: number
  /** Memory for the rows of stored panels, and the same amount again for the figures of as-of joins. */
  readonly panelMemoryMb: number
  /** How many data versions before the current one can still be read. */
  readonly keepVersions: number
  readonly drainTimeoutMs: number
  /** How long a stopping server still answers requests, while /ready tells proxies to send them elsewhere. */
  readonly drainDelayMs: number
  readonly maxConnections: number
  readonly flagshipTickers: readonly string[]
  /** Markets whose companies are offered as files although this project has not verified the register's
   * terms: the operator has read them. */
  readonly allowUnverifiedMarkets: readonly string[]
  /** Where bulk files are stored; an absolute path. */
  readonly bulkDir: string
  /** When this server builds bulk files by itself; null: never. */
  readonly bulkSchedule: Cron | null
  /** How many releases of bulk files are kept. */
  readonly bulkKeep: number
  /** The bucket to which releases are also published; null: none. */
  readonly bulkBucket: {
    readonly bucket: string
    /** Empty, or with a slash at its end. */
    readonly prefix: string
    /** null: Amazon's. */
    readonly endpoint: string | null
    readonly region: string
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken: string | null
  } | null
  readonly trustedProxies: readonly string[]
  /** How fast a server reads the pages of the database to check them; 0: it does not. */
  readonly pageCheckMbPerSecond: number
  /** How often a check begins. */
  readonly pageCheckHours: number
  /** The SMTP server that sends mail; null: none. */
  readonly mailUrl: string | null
  readonly mailFrom: string
  /** Accounts that may use /admin, in lower case. */
  readonly adminEmails: readonly string[]
  /** Who offers evaluations, and the law that governs the contract. null: evaluations are not offered. */
  readonly operatorName: string | null
  readonly operatorLaw: string | null
  /** The server whose API `asfiled mcp` calls, and the key that it sends. */
  readonly agentUrl: string
  readonly agentKey: string
  /** The port on which this process exposes its metrics; null: none. */
  readonly metricsPort: number | null
  readonly metricsHost: string
  readonly logLevel: LogLevel
  /** If false, only requests that fail or are slow are logged, and a sample of the others. */
  readonly logsEveryRequest: boolean
  /** Addresses and credentials of the registers that `sync` fetches from, by setting name. Empty: not set. */
  readonly registers: Readonly<Record<string, string>>
  /** The registers that this process fetches from by itself; empty: none. */
  readonly syncSchedule: readonly ScheduledSync[]
  /** A scheduled run that takes longer is stopped, and the next one continues it. */
  readonly syncTimeoutMinutes: number
  /** Obsolete settings that are set and have no effect. */
  readonly ignoredSettings: readonly string[]
}

/** Where a process stores large request bodies while they are read. */
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
  'MAX_CONNECTIONS_PER_ADDRESS',
  'METRICS_HOST',
  'NBB_URL',
  'OPENDART_URL',
  'OPERATOR_LAW',
  'OPERATOR_NAME',
  'PAGE_CHECK_HOURS',
  'SEC_DATA_URL',
  'SEC_URL',
  'STATEMENT_TIMEOUT_MS',
  'SYNC_TIMEOUT_MINUTES',
  'TWSE_URL',
  'VIRK_DOCUMENTS_URL',
  'VIRK_URL',
] as const

/** Next to package.json, whatever the current folder is, so that a command run in another folder finds the
 * server's database. A relative DATA_DIR is resolved from the current folder. */
const defaultDataDir = resolve(import.meta.dir, '../.data')

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings that `.env.example` lists. Reports all faults at once. */
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
  const metricsText = text('METRICS_PORT', '')
  const metrics = metricsShape.exec(metricsText)
  if (metricsText !== '' && (metrics === null || Number(metrics[2]) > 65_535))
    faults.push(
      `METRICS_PORT=${metricsText.slice(0, 80)} is neither a port nor an address and a port, like 9464, 10.0.0.5:9464 or [::]:9464. Omit it to show no metrics.`,
    )
  const operatorText = text('OPERATOR', '')
  const operator = operatorShape.exec(operatorText)
  if (operatorText !== '' && operator === null)
    faults.push(
      'OPERATOR must name who offers evaluations and, after a semicolon, the law of the contract, like "Data Ltd, 1 Example Street, London; the law of England and Wales". Each order form states both: each has 300 characters at most, and no semicolon or control character.',
    )
  const baseUrl = text('BASE_URL', defaultBaseUrl(host, port)).replace(/\/+$/, '')
  const config: Config = {
    host,
    port,
    baseUrl,
    isLocal: isLoopback(host) && URL.canParse(baseUrl) && isLoopback(new URL(baseUrl).hostname),
    dataDir,
    databaseUrl: text('DATABASE_URL', '') || null,
    // Each of them may also name several hosts, separated by commas.
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
    flagshipTickers: list('FLAGSHIP_TICKERS', 'AAPL,GOOGL,GOOG'),
    allowUnverifiedMarkets: list('ALLOW_UNVERIFIED_MARKETS', '').map(code => code.toUpperCase()),
    bulkDir: resolve(text('BULK_DIR', resolve(dataDir, 'bulk'))),
    bulkSchedule: bulkSchedule instanceof Cron ? bulkSchedule : null,
    bulkKeep: 3,
    bulkBucket: readBucket(text, faults),
    trustedProxies: list('TRUSTED_PROXIES', ''),
    pageCheckMbPerSecond: integer('PAGE_CHECK_MB_PER_SECOND', 8, 0, 10_000),
    pageCheckHours: 6,
    mailUrl: text('MAIL_URL', '') || null,
    mailFrom: text('MAIL_FROM', ''),
    adminEmails: list('ADMIN_EMAILS', '').map(email => email.toLowerCase()),
    operatorName: operator?.[1] ?? null,
    operatorLaw: operator?.[2] ?? null,
    agentUrl: text('ASFILED_URL', baseUrl).replace(/\/+$/, ''),
    agentKey: text('ASFILED_KEY', 'demo'),
    metricsPort: metrics === null ? null : Number(metrics[2]),
    metricsHost: metrics?.[1]?.replace(/[[\]]/g, '') ?? '127.0.0.1',
    logLevel: logLevel ?? 'info',
    logsEveryRequest: logLevel === 'debug',
    registers: readRegisters(text),
    syncSchedule: syncs.schedule,
    syncTimeoutMinutes: 1_440,
    ignoredSettings: removedSettings.filter(name => text(name, '') !== ''),
  }
  faults.push(...addressFaults(config), ...mailFaults(config))
  faults.push(...registerFaults(config.registers), ...agentFaults(config), ...metricsFaults(config))
  if (faults.length > 0)
    throw new Failure('parameter_invalid', `These settings are invalid:\n  ${faults.join('\n  ')}`)
  return Object.freeze(config)
}

/** A reader for each type of setting; an empty setting counts as not set. */
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

const bucketShape =
  /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/((?:[\w.=-]{1,100}\/){0,8}[\w.=-]{1,100}))?\/?$/

/** The messages omit the keys. */
function readBucket(
  text: (name: string, fallback: string) => string,
  faults: string[],
): Config['bulkBucket'] {
  const url = text('BULK_URL', '')
  if (url === '') return null
  const [, bucket = '', folder = ''] = bucketShape.exec(url) ?? []
  if (bucket === '')
    faults.push(
      `BULK_URL=${url.slice(0, 80)} is not the address of a bucket like s3://bucket/prefix. Omit it to keep releases on this machine alone.`,
    )
  const endpoint = text('AWS_ENDPOINT_URL', '') || null
  // Messages name the endpoint, so it has no user and password.
  if (endpoint !== null && (!isHttpUrl(endpoint) || endpoint.includes('@')))
    faults.push(
      'AWS_ENDPOINT_URL is not a URL like https://storage.example.com, without a user and password. Omit it to use the storage of Amazon.',
    )
  const accessKeyId = text('AWS_ACCESS_KEY_ID', '')
  const secretAccessKey = text('AWS_SECRET_ACCESS_KEY', '')
  if (accessKeyId === '' || secretAccessKey === '')
    faults.push('BULK_URL needs a key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.')
  return {
    bucket,
    prefix: folder === '' ? '' : `${folder}/`,
    endpoint,
    region: text('AWS_REGION', 'us-east-1'),
    accessKeyId,
    secretAccessKey,
    sessionToken: text('AWS_SESSION_TOKEN', '') || null,
  }
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
  // The message omits the value, which may contain a password.
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

/** A port; an address may precede it, an IPv6 address in brackets. */
const metricsShape = /^(?:([\w.-]+|\[[\da-f:.]+\]):)?(\d{1,5})$/i

const operatorShape = /^([^;\p{C}]{1,300}?)\s*;\s*([^;\p{C}]{1,300})$/u

function* metricsFaults({ port, metricsPort }: Config): Generator<string> {
  if (metricsPort !== null && metricsPort === port && port !== 0)
    yield `METRICS_PORT=${metricsPort} is the port of the service, which would show the metrics to its clients. Use another one, or omit it to show none.`
}

function* agentFaults({ agentUrl, agentKey, baseUrl }: Config): Generator<string> {
  if (agentUrl !== baseUrl && !isHttpUrl(agentUrl))
    yield `ASFILED_URL=${agentUrl} is not a URL like https://data.example.com. Omit it for a server of this machine.`
  // The message omits the value, which is a secret, or was meant to be one.
  if (!/^[\w-]{1,200}$/.test(agentKey))
    yield 'ASFILED_KEY is not a key like asf_live_... Omit it to use the demo key.'
}

/** An address, or a name and an address in angle brackets. Anything else could inject a header into each
 * mail. */
const senderShape = /^(?:[^<>",;@\p{C}]{1,100} )?<?[^\s<>"@\p{C}]{1,64}@[a-z0-9.-]{1,253}>?$/iu

/** An address that can sign in. */
const mailboxShape = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63}$/

function* mailFaults({ mailUrl, mailFrom, adminEmails }: Config): Generator<string> {
  // The message omits the value, which may contain a password.
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

const maxReplicas = 16

/** The driver accepts several hosts, but `URL` parses only one. */
function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace(/,[^/?]*/, ''))
}
