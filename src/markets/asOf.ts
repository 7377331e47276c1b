import { Type } from '@sinclair/typebox'
import { dayNumber, type IsoDate, isIsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { type AsOf, formatInstant, isInstant } from '../instants.ts'
import { type Zone, zoneOf } from '../zones.ts'
import type { Markets } from './markets.ts'
import type { SessionPoint } from './sessions.ts'

/** `as_of` as sent, before its market is known. */
export type SentAsOf =
  | { readonly kind: 'day'; readonly day: IsoDate }
  | { readonly kind: 'instant'; readonly ms: number }
  | { readonly kind: 'local'; readonly local: number; readonly zone: Zone | null; readonly sent: string }
  | { readonly kind: 'session'; readonly day: IsoDate; readonly point: SessionPoint }

/** Exactly the parameters of a request. */
export interface AsOfParameters {
  readonly as_of?: string | undefined
  readonly tz?: string | undefined
}

const examples = '2010-01-25, 2010-01-25T16:00:00-05:00 or 2010-01-25@close'

/** Year, hour and minute, perhaps seconds with a fraction, perhaps an offset. A `+` may arrive as a space. */
const timePattern =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(Z|[+ -](?:0\d|1[0-4]):?[0-5]\d)?$/

/** The schema of the parameter. What it means is checked by `parseAsOf`. */
export const asOfParameter = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[0-9][0-9TZ:.,@a-zA-Z +-]{0,39}$',
      allowed: `a day or an instant, like ${examples}`,
      description: `${description} A day, an instant with its offset (\`2010-01-25T16:00:00-05:00\`), a time in the market's own zone (\`2010-01-25T16:00\`) or in that of \`tz\`, or a session (\`2010-01-25@open\`, \`2010-01-25@close\`). As of an instant, the answer has what was public by then: a filing counts from the time at which its register accepted it or, if that is not known, from the end of its day.`,
      examples: [example],
    }),
  )

export const zoneParameter = Type.Optional(
  Type.String({
    pattern: '^[A-Za-z][A-Za-z0-9_+/-]{1,63}$',
    allowed: 'the name of a time zone, like America/New_York',
    description:
      "The time zone of an `as_of` without an offset. Default: the market's own. `as_of` in the answer shows the offset that was used.",
    examples: ['America/New_York'],
  }),
)

/** Why a row counts as of an instant. */
export const KnownBySchema = Type.Optional(
  Type.Union([Type.Literal('time'), Type.Literal('day')], {
    description:
      'Only if as_of is an instant. time: the row counts from the time at which the register accepted its filing. day: that time is not known, so the row counts from the end of the filing day in the market.',
  }),
)

/** Reads the parameters; null if no as_of was sent. */
export function parseAsOf({ as_of: sent, tz }: AsOfParameters): SentAsOf | null {
  if (tz !== undefined && !isLocal(sent)) {
    throw refused(
      'tz',
      sent === undefined
        ? 'tz is the zone of a time in as_of. Send as_of=2010-01-25T16:00 with it, or omit tz.'
        : `tz is for an as_of that is a time without an offset, which ${sent.slice(0, 40)} is not. Omit tz.`,
    )
  }
  if (sent === undefined) return null
  if (isIsoDate(sent)) return { kind: 'day', day: sent }
  const [, day, point] = /^(.{10})@(open|close)$/.exec(sent) ?? []
  if (isIsoDate(day ?? '')) return { kind: 'session', day, point: point === 'open' ? 'open' : 'close' }
  const time = parseTime(sent)
  if (time === null) throw refused('as_of', notRead(sent))
  if (time.offset !== null) return { kind: 'instant', ms: time.local - time.offset }
  return { kind: 'local', local: time.local, zone: tz === undefined ? null : readZone(tz), sent }
}

const isLocal = (sent: string | undefined): boolean => {
  const time = sent === undefined ? null : parseTime(sent)
  return time !== null && time.offset === null
}

const notRead = (sent: string): string =>
  isInstant(sent)
    ? `as_of=${sent.slice(0, 40)} is not a valid day or instant. Send one like ${examples}.`
    : `as_of=${sent.slice(0, 40)} is not a valid date. Send one as YYYY-MM-DD, for example 2010-02-01.`

/** A time as if it were UTC, and its offset. Fractions of a millisecond are truncated, so the instant is never later
 * than the one that was sent. */
export function parseTime(sent: string): { readonly local: number; readonly offset: number | null } | null {
  const [, day = '', hour, minute, second = '0', fraction = '', zone] = timePattern.exec(sent) ?? []
  if (!isIsoDate(day)) return null
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const local =
    dayNumber(day) * 86_400_000 + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000 + ms
  if (zone === undefined) return { local, offset: null }
  if (zone === 'Z') return { local, offset: 0 }
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
  return { local, offset: (zone.startsWith('-') ? -minutes : minutes) * 60_000 }
}

function readZone(tz: string): Zone {
  try {
    return zoneOf(tz)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw refused('tz', `tz=${tz} is not a time zone. Send its name, like America/New_York.`)
  }
}

export type AsOfMarkets = Pick<Markets, 'get' | 'sessions'>

/**
 * The as-of day or instant to serve for a market: the one that was sent, which must not be in the future, or today.
 */
export function readAsOf(
  markets: AsOfMarkets,
  market: string,
  parameters: AsOfParameters,
  today: IsoDate,
): AsOf {
  return resolveAsOf(markets, market, parseAsOf(parameters), today)
}

export function pastDay(day: IsoDate, today: IsoDate): IsoDate {
  if (day <= today) return day
  throw refused(
    'as_of',
    `as_of=${day} is in the future: today is ${today} (UTC). Send a day up to today, or omit as_of.`,
  )
}

/** The day as written or, for an instant, its day in UTC. The day in a market is this one or one next to it. */
export function writtenDay(sent: SentAsOf): IsoDate {
  if (sent.kind === 'day' || sent.kind === 'session') return sent.day
  return new Date(sent.kind === 'instant' ? sent.ms : sent.local).toISOString().slice(0, 10)
}

/** PostgreSQL has no year 0, which may contain the day before an earlier instant. */
export const firstInstant = Date.parse('0001-01-03T00:00:00Z')

/** Resolves what was sent to a day or an instant in a market. */
export function resolveAsOf(
  markets: AsOfMarkets,
  market: string,
  sent: SentAsOf | null,
  today: IsoDate,
): AsOf {
  if (sent === null) return today
  if (sent.kind === 'day') return pastDay(sent.day, today)
  const zone = marketZone(markets, market)
  const ms = instantOf(markets, market, zone, sent)
  if (ms < firstInstant)
    throw refused('as_of', `as_of=${writtenDay(sent)} is too early. Send an instant from 0001-01-03 on.`)
  if (ms < (dayNumber(today) + 1) * 86_400_000) return formatInstant(ms, zone)
  throw refused(
    'as_of',
    `as_of=${formatInstant(ms, zone)} is in the future: today is ${today} (UTC). Send an instant up to today, or omit as_of.`,
  )
}

function instantOf(
  markets: AsOfMarkets,
  market: string,
  zone: Zone,
  sent: Exclude<SentAsOf, { readonly kind: 'day' }>,
): number {
  switch (sent.kind) {
    case 'instant':
      return sent.ms
    case 'local':
      return localInstant(sent.zone ?? zone, sent.local, sent.sent)
    case 'session':
      return sessionInstant(markets, market, sent.day, sent.point, 'as_of')
    default:
      return sent satisfies never
  }
}

/** The instant of a local time. Fails if the clocks of its zone skip or repeat that time. */
function localInstant(zone: Zone, local: number, sent: string): number {
  const [first, ...others] = zone.instantsOf(local)
  if (first === undefined) {
    throw refused(
      'as_of',
      `as_of=${sent} does not exist in ${zone.name}: the clocks went forward over it. Send the time with its offset.`,
    )
  }
  if (others.length === 0) return first
  throw refused(
    'as_of',
    `as_of=${sent} occurred twice in ${zone.name}, because the clocks went back: ${[first, ...others].map(ms => formatInstant(ms, zone)).join(' and ')}. Send it with its offset.`,
  )
}

/** The instant at which a session of a market's exchange opens or closes. */
export function sessionInstant(
  markets: AsOfMarkets,
  market: string,
  day: IsoDate,
  point: SessionPoint,
  param: string,
): number {
  const sessions = markets.sessions.get(market)
  if (sessions !== undefined) return sessions.requireInstant(day, point, param)
  throw refused(
    param,
    `${param}=${day}@${point}: the sessions of market ${market} are not known. Send a time instead, like ${day}T16:00.`,
  )
}

/** The zone in which days end last. */
const lastZone = 'Etc/GMT+12'

/** The zone in which a market counts its filing days. */
export const marketZone = (markets: Pick<Markets, 'get'>, market: string): Zone =>
  zoneOf(markets.get(market)?.calendar.timezone ?? lastZone)

const refused = (param: string, message: string) => new Failure('parameter_invalid', message, { param })
