import { isoDate } from '../../../dates.ts'
import type { StoredType } from './carriedColumn.ts'

/** Formats a number of a Parquet file for JSON or CSV according to its logical type. */
export type StoredText = (number: number | bigint) => string

/** Digits of a fractional second for each unit of Parquet. */
const fractionDigits = { MILLIS: 3, MICROS: 6, NANOS: 9 } as const
type Unit = keyof typeof fractionDigits

export function storedTextOf(type: StoredType, format: 'json' | 'csv'): StoredText {
  const quoted = (textOf: StoredText): StoredText =>
    format === 'json' ? number => JSON.stringify(textOf(number)) : textOf
  const logical = type.logical_type
  if (type.type === 'BOOLEAN') return number => (number === 0 ? 'false' : 'true')
  if (type.converted_type === 'DATE' || logical?.type === 'DATE') return quoted(dayText)
  const time = timeOf(type)
  if (time !== null) return quoted(number => clockText(BigInt(number), time.unit))
  const instant = instantOf(type)
  if (instant !== null) return quoted(number => instantText(BigInt(number), instant.unit, instant.isUtc))
  if (type.type === 'DOUBLE' || type.type === 'FLOAT') return floatText(type.type === 'FLOAT', format)
  return type.converted_type?.startsWith('UINT') === true ||
    (logical?.type === 'INTEGER' && !logical.isSigned)
    ? number => String(BigInt.asUintN(type.type === 'INT32' ? 32 : 64, BigInt(number)))
    : String
}

/** Days outside years 1 to 9999 are shown as raw numbers. */
function dayText(number: number | bigint): string {
  const day = Number(number)
  return day >= -719_162 && day <= 2_932_896 ? isoDate(day) : `${day} days since 1970`
}

function timeOf({ converted_type: converted, logical_type: logical }: StoredType): { unit: Unit } | null {
  if (logical?.type === 'TIME') return { unit: logical.unit }
  if (converted === 'TIME_MILLIS') return { unit: 'MILLIS' }
  return converted === 'TIME_MICROS' ? { unit: 'MICROS' } : null
}

function instantOf({ converted_type: converted, logical_type: logical }: StoredType) {
  if (logical?.type === 'TIMESTAMP') return { unit: logical.unit, isUtc: logical.isAdjustedToUTC }
  if (converted === 'TIMESTAMP_MILLIS') return { unit: 'MILLIS', isUtc: true } as const
  return converted === 'TIMESTAMP_MICROS' ? ({ unit: 'MICROS', isUtc: true } as const) : null
}

function instantText(number: bigint, unit: Unit, isUtc: boolean): string {
  const perDay = 86_400n * 10n ** BigInt(fractionDigits[unit])
  const ofDay = ((number % perDay) + perDay) % perDay
  const day = dayText((number - ofDay) / perDay)
  const zone = isUtc ? 'Z' : ''
  return `${day}T${clockText(ofDay, unit)}${zone}`
}

/** 09:30:00, with as many fractional digits as needed. */
function clockText(ofDay: bigint, unit: Unit): string {
  const digits = fractionDigits[unit]
  const perSecond = 10n ** BigInt(digits)
  const seconds = ofDay / perSecond
  const two = (value: bigint) => String(value).padStart(2, '0')
  const fraction = ofDay % perSecond
  const shown = fraction === 0n ? '' : `.${String(fraction).padStart(digits, '0')}`
  return `${two(seconds / 3_600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}${shown}`
}

/** JSON has no NaN or infinity. CSV spells them as pandas and NumPy read them. */
function floatText(isSingle: boolean, format: 'json' | 'csv'): StoredText {
  return sent => {
    const number = Number(sent)
    if (Number.isFinite(number)) {
      if (Object.is(number, -0)) return '-0.0'
      return isSingle ? shortest(number) : String(number)
    }
    if (format === 'json') return 'null'
    return Number.isNaN(number) ? '' : number > 0 ? 'inf' : '-inf'
  }
}

/** The shortest decimal that identifies this 32-bit float: 0.1, not 0.10000000149011612. */
function shortest(number: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(number.toPrecision(digits))
    if (Math.fround(short) === number) return String(short)
  }
  return String(Number(number.toPrecision(9)))
}
