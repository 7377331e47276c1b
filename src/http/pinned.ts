import { Type } from '@sinclair/typebox'
import type { Answer, RequestContext } from './context.ts'

const maxDataVersion = 2_147_483_647

/** The parameter of every route that reads data. */
export const DataVersionParameter = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: maxDataVersion,
    description:
      'Answers as the data stood at this data version, whatever was imported or corrected since: the `data_version` of an earlier answer. Send `as_of`, too, if the answer must not depend on the day of the request. Requires a licence that includes `as_of`. How far back is up to the operator.',
    examples: [1],
  }),
)

/** The store at one data version; the caller must release it. */
interface OpenPin<Store> {
  readonly store: Store
  release(): void
}

export interface Pins<Store> {
  /** Fails for a version that is no longer kept, with the versions that are. */
  open(version: number, signal?: AbortSignal): Promise<OpenPin<Store>>
}

/** What a route must provide to support `data_version`. */
export interface Pinnable<Store> {
  readonly pins: Pins<Store>
}

/** Answers a request with dependencies that read the requested data version, or with the route's own if none
 * is requested. A pinned version is held until the response has been sent. */
export function answerPinned<Store extends object, Deps extends Store & Pinnable<Store>>(
  deps: Deps,
  context: RequestContext,
  version: number | undefined,
  answer: (deps: Deps) => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  return version === undefined ? answer(deps) : answerHeld(deps, context, version, answer)
}

async function answerHeld<Store extends object, Deps extends Store & Pinnable<Store>>(
  deps: Deps,
  { request: { signal } }: RequestContext,
  version: number,
  answer: (deps: Deps) => Answer | Promise<Answer>,
): Promise<Answer> {
  const { store, release } = await deps.pins.open(version, signal)
  try {
    const given = await answer({ ...deps, ...store })
    if (!(given.body instanceof ReadableStream)) {
      release()
      return given
    }
    return { ...given, body: releasing(given.body, release) }
  } catch (error) {
    release()
    throw error
  }
}

/** Passes the bytes through and calls `release` at the end, on a failure, or when the client disconnects. */
function releasing(body: ReadableStream<Uint8Array>, release: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          release()
          controller.close()
        } catch (error) {
          release()
          controller.error(error)
        }
      },
      async cancel(reason) {
        try {
          await reader.cancel(reason)
        } finally {
          release()
        }
      },
    },
    { highWaterMark: 0 },
  )
}
