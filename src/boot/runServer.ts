import type { Config } from '../config.ts'
import type { IsoDate } from '../model/date.ts'
import { banner } from './banner.ts'
import { watchLauncher } from './launcher.ts'
import { startServer } from './startServer.ts'

/** A signal reaches us twice under `bun run`: once from the terminal, once passed on. */
const sameSignalMs = 1_000

/** Serves until SIGINT or SIGTERM, then drains and ends the process. A second signal does not wait. */
export async function runServer(
  config: Config,
  today: () => IsoDate,
  npmCommand: string | undefined,
): Promise<void> {
  const opened = new AsyncDisposableStack()
  let stoppingSince: number | null = null
  const end = async (reason: string) => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince > sameSignalMs) process.exit(1)
      return
    }
    stoppingSince = performance.now()
    console.log(`asfiled: ${reason}; finishing the requests under way ...`)
    await opened.disposeAsync()
    console.log('asfiled: stopped.')
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(signal))
  const unwatch = watchLauncher(npmCommand, () => void end('the npx that started this is gone'))
  opened.defer(async () => unwatch())
  console.log(banner(await startServer(config, today, line => console.log(`asfiled: ${line}`), opened)))
}
