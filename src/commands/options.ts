import { InvalidArgumentError } from 'commander'
import { type IsoDate, isIsoDate } from '../dates.ts'

/**
 * Parsers of option values, called while the command line is parsed: a fault ends the command with its
 * message.
 */
export function parseDay(text: string): IsoDate {
  if (isIsoDate(text)) return text
  throw new InvalidArgumentError('Write a date as YYYY-MM-DD.')
}

export function parseNumber(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value)) return value
  throw new InvalidArgumentError('A number is required.')
}

export function parseShare(text: string): number {
  const value = parseNumber(text)
  if (value >= 0 && value <= 1) return value
  throw new InvalidArgumentError('A number from 0 to 1 is required.')
}

export function parseDrawdown(text: string): number {
  const value = parseNumber(text)
  if (value >= -1 && value <= 0) return value
  throw new InvalidArgumentError('A fraction from -1 to 0 is required: -0.2 is a loss of 20%.')
}

export function parsePositiveInteger(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('A whole number from 1 to 999999999 is required.')
}
