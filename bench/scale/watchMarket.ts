import type { Context } from './context.ts'
import { fetchOk } from './fetchOk.ts'

const restMs = 250

export interface WatchedPaths {
  readonly page: string
  readonly batch: string
}

/** Responses on many companies, which could mix data versions of different companies. */
export interface Watched {
  readonly pages: string[]
  readonly batches: string[]
}

/** Fetches a page of a cross-section and a batch of companies alternately, until `until` settles. */
export async function watchMarket(
  context: Context,
  paths: WatchedPaths,
  until: Promise<unknown>,
): Promise<Watched> {
  let running = true
  const stop = () => {
    running = false
  }
  until.then(stop, stop)
  const watched: Watched = { pages: [], batches: [] }
  while (running) {
    watched.pages.push((await fetchOk(context, paths.page)).text)
    watched.batches.push((await fetchOk(context, paths.batch)).text)
    await Bun.sleep(restMs)
  }
  return watched
}
