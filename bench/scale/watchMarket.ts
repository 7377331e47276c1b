import { ask } from './ask.ts'
import type { Context } from './Context.ts'

const restMs = 250

export interface WatchedPaths {
  readonly page: string
  readonly batch: string
}

/** Answers that tell of many companies at once, where one company's answer could not be mixed. */
export interface Watched {
  readonly pages: string[]
  readonly batches: string[]
}

/** Asks for a page of a cross-section and for several companies by turns, until `until`. */
export async function watchMarket(
  context: Context,
  paths: WatchedPaths,
  until: Promise<unknown>,
): Promise<Watched> {
  let going = true
  const stop = () => {
    going = false
  }
  until.then(stop, stop)
  const watched: Watched = { pages: [], batches: [] }
  while (going) {
    watched.pages.push((await ask(context, paths.page)).text)
    watched.batches.push((await ask(context, paths.batch)).text)
    await Bun.sleep(restMs)
  }
  return watched
}
