import { FormatRegistry } from '@sinclair/typebox'
import { isIsoDate } from './date.ts'

/** Formats that the schemas name. Whoever checks a value against a schema calls this first. */
export function registerFormats(): void {
  FormatRegistry.Set('date', isIsoDate)
}
