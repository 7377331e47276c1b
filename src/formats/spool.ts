/** Bytes that each stream may buffer without drawing on the shared budget. */
const freeBytes = 256 * 1024
const stallTimeoutMs = 15_000

/** Bytes that all streams together may buffer for clients that are slower than the database. */
export class SpoolBudget {
  usedBytes = 0
  readonly maxBytes: number

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }
}

const sharedBudget = new SpoolBudget(64 * 1024 * 1024)

/** Turns chunks from the database into a response body. A slow client must not hold a database connection, so
 * chunks that it has not read yet are buffered, within a budget that all streams share. Reading from the
 * database pauses only when the budget is used up, and a client that reads nothing for `stallMs` loses its
 * stream.
 *
 * @param stop called when the client disconnects or reading fails */
export function spool(
  chunks: AsyncIterable<Uint8Array>,
  stop: () => void,
  budget: SpoolBudget = sharedBudget,
  stallMs: number = stallTimeoutMs,
): ReadableStream<Uint8Array> {
  const queue: Uint8Array[] = []
  let queuedBytes = 0
  let isDone = false
  let hasLeft = false
  let failure: unknown
  let wakeReader = () => {}
  let wakeClient = () => {}

  const count = (bytes: number) => {
    queuedBytes += bytes
    budget.usedBytes += bytes
  }
  const hasRoom = () => queuedBytes < freeBytes || budget.usedBytes < budget.maxBytes

  const waitForRoom = () =>
    new Promise<void>((fulfil, reject) => {
      const timer = setTimeout(() => reject(new Error('The client stopped reading.')), stallMs)
      wakeReader = () => {
        if (!hasRoom() && !hasLeft) return
        clearTimeout(timer)
        fulfil()
      }
    })

  const read = async () => {
    try {
      for await (const chunk of chunks) {
        if (hasLeft) break
        queue.push(chunk)
        count(chunk.length)
        wakeClient()
        if (!hasRoom()) await waitForRoom()
      }
    } catch (error) {
      failure = error
      stop()
    } finally {
      isDone = true
      wakeClient()
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start() {
        void read()
      },
      async pull(controller) {
        if (queue.length === 0 && !isDone) {
          await new Promise<void>(fulfil => {
            wakeClient = fulfil
          })
        }
        const chunk = queue.shift()
        if (chunk !== undefined) {
          count(-chunk.length)
          controller.enqueue(chunk)
          wakeReader()
        } else if (failure !== undefined) controller.error(failure)
        else controller.close()
      },
      cancel() {
        hasLeft = true
        count(-queuedBytes)
        queue.length = 0
        stop()
        wakeReader()
        wakeClient()
      },
    },
    { highWaterMark: 0 },
  )
}
