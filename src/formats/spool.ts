/** Bytes that may wait in one stream for its client before the budget is asked. */
const ownBytes = 256 * 1024
const stallTimeoutMs = 15_000

/** Bytes that all streams together may hold for clients slower than the database. */
export class SpoolBudget {
  held = 0
  readonly most: number

  constructor(most: number) {
    this.most = most
  }
}

const sharedBudget = new SpoolBudget(64 * 1024 * 1024)

/** Turns chunks that were read from the database into the body of a response. A slow client must not keep a
 * connection: what it has not taken yet waits in memory within a shared budget, and only when that is spent
 * does reading pause, for a bounded time. `stop` is called when the client leaves. */
export function spool(
  chunks: AsyncIterable<Uint8Array>,
  stop: () => void,
  budget: SpoolBudget = sharedBudget,
  stallMs: number = stallTimeoutMs,
): ReadableStream<Uint8Array> {
  const queue: Uint8Array[] = []
  let queued = 0
  let isOver = false
  let hasLeft = false
  let failure: unknown
  let wakeReader = () => {}
  let wakeClient = () => {}

  const hold = (bytes: number) => {
    queued += bytes
    budget.held += bytes
  }
  const hasRoom = () => queued < ownBytes || budget.held < budget.most

  const roomOrStall = () =>
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
        hold(chunk.length)
        wakeClient()
        if (!hasRoom()) await roomOrStall()
      }
    } catch (error) {
      failure = error
      stop()
    } finally {
      isOver = true
      wakeClient()
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start() {
        void read()
      },
      async pull(controller) {
        if (queue.length === 0 && !isOver) {
          await new Promise<void>(fulfil => {
            wakeClient = fulfil
          })
        }
        const chunk = queue.shift()
        if (chunk !== undefined) {
          hold(-chunk.length)
          controller.enqueue(chunk)
          wakeReader()
        } else if (failure !== undefined) controller.error(failure)
        else controller.close()
      },
      cancel() {
        hasLeft = true
        hold(-queued)
        queue.length = 0
        stop()
        wakeReader()
        wakeClient()
      },
    },
    { highWaterMark: 0 },
  )
}
