import type { Config } from '../config.ts'
import type { IsoDate } from '../dates.ts'
import { explainToOperator } from '../postgres/errors.ts'
import { banner } from './banner.ts'
import { endOnSignal, stopTimeoutMs, watchLauncher } from './shutdown.ts'
import { startServer } from './startServer.ts'

/** Serves until SIGINT or SIGTERM, then drains and exits. A second signal makes it exit immediately. */
export async function runServer(
  config: Config,
  today: () => IsoDate,
  npmPath: string | undefined,
): Promise<void> {
  const opened = new AsyncDisposableStack()
  const announce = (line: string) => console.log(`asfiled: ${line}`)
  const end = endOnSignal(opened, 'finishing the requests in progress ...', stopTimeoutMs(config), announce)
  const unwatch = watchLauncher(npmPath, () => void end('the npx process that started this has ended'))
  opened.defer(async () => unwatch())
  try {
    console.log(banner(await startServer(config, today, announce, opened)))
  } catch (error) {
    await opened.disposeAsync()
    throw explainToOperator(error) ?? error
  }
}
