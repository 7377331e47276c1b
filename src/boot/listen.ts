import type { Config } from '../config.ts'
import { Failure } from '../errors.ts'
import type { createApp } from '../http/createApp.ts'

type App = ReturnType<typeof createApp>

/** Serves `app` and returns its address. Closing waits for the requests under way as long as the settings allow,
 * then cuts them. */
export function listen(app: App, config: Config, opened: AsyncDisposableStack): string {
  const { host: hostname, port, drainTimeoutMs } = config
  try {
    // Elysia shares a port by default: a second server would take half of the first one’s requests unseen.
    app.listen({ hostname, port, reusePort: false })
  } catch (cause) {
    throw new Failure(
      'conflict',
      `Could not listen on ${hostname}:${port}; is another server there, and is ${hostname} of this machine? Set PORT to a free one, or 0 for any.`,
      { cause },
    )
  }
  const { server } = app
  if (server === null) throw new Failure('internal', `Nothing listens on ${hostname}:${port}.`)
  opened.defer(async () => {
    const drained = server.stop(false)
    const late = Bun.sleep(drainTimeoutMs).then(() => server.stop(true))
    await Promise.race([drained, late])
  })
  const shown = hostname === '0.0.0.0' || hostname === '::' ? 'localhost' : hostname
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${server.port}`
}
