import { Failure } from '../../errors.ts'
import type { RegisterSettings, Source } from './source.ts'

/** A setting that there is. */
export function settingOf(settings: RegisterSettings, name: string): string {
  const value = settings[name]
  if (value === undefined || value === '') throw missing([name])
  return value
}

/** Says which settings a source lacks, before anything is asked. */
export function requireSettings(source: Source, settings: RegisterSettings): void {
  const names = source.required.filter(name => !settings[name])
  if (names.length > 0) throw missing(names)
}

const missing = (names: readonly string[]) =>
  new Failure(
    'parameter_invalid',
    `Set ${names.join(' and ')} in the environment or in .env: the register asks for it. .env.example says what it is.`,
    { param: names[0] },
  )
