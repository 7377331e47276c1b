import { InvalidArgumentError } from 'commander'
import type { AuditSettings } from '../backtest/audit/request.ts'
import { readAuditSettings } from '../backtest/audit/settings.ts'
import { type AuditState, auditStates } from '../backtest/audit/states.ts'
import type { JsonObject } from '../backtest/codec/jsonReader.ts'
import { Failure } from '../errors.ts'

/** Flags as commander returns them. */
export interface AuditFlags {
  readonly column: readonly string[]
  readonly inclusive?: true
  readonly maxAgeDays?: number
  readonly with?: string
  readonly forwardReturn?: string
  readonly config?: string
  readonly dataVersion?: number
  readonly output?: string
  readonly json?: true
  readonly failOn?: readonly AuditState[]
  readonly url: string
}

/** How a column may be read, besides its metric. */
const columnSettings = ['metric', 'tag', 'line', 'fp', 'scale', 'sign', 'splits', 'currency'] as const
const numberSettings: ReadonlySet<string> = new Set(['scale', 'sign'])
const settingOf = new RegExp(`^(${columnSettings.join('|')})=(.*)$`, 's')

/** Converts the flags to the settings of a request, and validates them. */
export function auditSettings(flags: AuditFlags): JsonObject {
  const { inclusive, maxAgeDays, forwardReturn, dataVersion, config } = flags
  const sent: Partial<Record<keyof typeof AuditSettings.properties, JsonObject[string]>> = {
    ...(flags.column.length === 0 ? {} : { columns: columnsOf(flags.column) }),
    ...(inclusive === undefined ? {} : { inclusive }),
    ...(maxAgeDays === undefined ? {} : { max_age_days: maxAgeDays }),
    ...(flags.with === undefined ? {} : { with: flags.with.split(',').map(name => name.trim()) }),
    ...(forwardReturn === undefined ? {} : { forward_return: forwardReturn }),
    ...(config === undefined ? {} : { config: parseConfig(config) }),
    ...(dataVersion === undefined ? {} : { data_version: dataVersion }),
  }
  try {
    readAuditSettings(sent)
  } catch (error) {
    throw error instanceof Failure
      ? new Failure('parameter_invalid', inAuditOptions(error.message), { cause: error })
      : error
  }
  return sent
}

function columnsOf(texts: readonly string[]): JsonObject {
  const columns: JsonObject = {}
  for (const text of texts) {
    const { name, settings } = columnOf(text)
    if (Object.hasOwn(columns, name))
      throw new Failure('parameter_invalid', `--column names ${name} twice. Give each column once.`)
    columns[name] = settings
  }
  return columns
}

/** Settings are read from the end, so that the name of a column may contain commas and equals signs. */
function columnOf(text: string): { name: string; settings: JsonObject } {
  const parts = text.split(',')
  const settings: JsonObject = {}
  while (parts.length > 1) {
    const [, key, value] = settingOf.exec(parts.at(-1)?.trim() ?? '') ?? []
    if (key === undefined) break
    if (Object.hasOwn(settings, key))
      throw new Failure('parameter_invalid', `--column ${text} sets ${key} twice. Set it once.`)
    settings[key] = numberSettings.has(key) ? numberIn(text, key, value) : value
    parts.pop()
  }
  const rest = parts.join(',')
  const split = rest.lastIndexOf('=')
  const name = split === -1 ? rest : rest.slice(0, split)
  const figure = split === -1 ? '' : rest.slice(split + 1).trim()
  if (name.trim() === '' || (split !== -1 && figure === ''))
    throw new Failure(
      'parameter_invalid',
      `--column ${JSON.stringify(text)} is not NAME=METRIC. Write for example sales=revenue,fp=TTM,scale=1e6; settings are ${columnSettings.join(', ')}.`,
    )
  if (figure === '') return { name, settings }
  return { name, settings: { ...settings, [figure.includes(':') ? 'tag' : 'metric']: figure } }
}

function numberIn(text: string, key: string, value: string): number {
  const number = Number(value)
  if (value.trim() !== '' && Number.isFinite(number)) return number
  throw new Failure('parameter_invalid', `--column ${text}: ${key} is not a number.`)
}

function parseConfig(text: string): JsonObject[string] {
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure(
      'parameter_invalid',
      `--config is not JSON. Write for example --config '{"quantile": 0.2}'.`,
    )
  }
}

export function parseStates(text: string): AuditState[] {
  return text.split(',').map(part => {
    const state = auditStates.find(one => one === part.trim())
    if (state !== undefined) return state
    throw new InvalidArgumentError(`${part.trim()} is not a state. States are ${auditStates.join(', ')}.`)
  })
}

const optionNames: Readonly<Record<string, string>> = {
  columns: '--column',
  inclusive: '--inclusive',
  max_age_days: '--max-age-days',
  with: '--with',
  forward_return: '--forward-return',
  config: '--config',
  data_version: '--data-version',
}

/** True if a failure is about a setting of the request, and not about its rows. */
export const blamesAuditOption = ({ details }: Failure): boolean =>
  (details.param ?? '').split('.')[0] in optionNames

/** Replaces a request's field names in a message by the options that set them. */
export function inAuditOptions(message: string): string {
  return message
    .replace(new RegExp(`^columns\\.(.+?)\\.(?=(?:${columnSettings.join('|')})\\b)`), '--column $1: ')
    .replace(/^columns\./, '--column ')
    .replace(
      new RegExp(`^(${Object.keys(optionNames).join('|')})\\b`),
      (_, name: string) => optionNames[name],
    )
    .replace(
      / Name (?:their metrics|those to audit) in columns\b.*/,
      ' Name them with --column, such as --column sales=revenue.',
    )
}
