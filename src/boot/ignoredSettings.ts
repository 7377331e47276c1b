import type { Config } from '../config.ts'

/** Tells an operator which settings of an earlier version are still set. */
export function announceIgnored({ ignoredSettings }: Config, announce: (line: string) => void): void {
  if (ignoredSettings.length === 0) return
  announce(
    `These settings were removed and have no effect: ${ignoredSettings.join(', ')}. The changelog says what replaces them.`,
  )
}
