import type { Cluster } from '../../deploy/cluster/cluster.ts'
import type { Part } from '../../deploy/cluster/processes.ts'
import type { mountDisk } from './disk.ts'

export interface SoakEvent {
  readonly name: string
  readonly happen: () => Promise<void>
}

const awayMs = 5_000

/** Yields the disturbances in turn. At half time the primary's disk is full for a while. In the second half the first server
 * is not killed, so that a leak has time to show in its memory. */
export function* makeEvents(
  cluster: Cluster,
  disk: ReturnType<typeof mountDisk>,
  totalMs: number,
  everyMs: number,
): Generator<SoakEvent> {
  const [one, two] = cluster.servers
  const [addressOne, addressTwo] = cluster.serverAddresses
  const restart = (part: Part, address: string | null) => async () => {
    await part.end('SIGKILL')
    await Bun.sleep(awayMs)
    part.start()
    if (address !== null) await cluster.untilReady(address)
  }
  const serverOne = { name: 'the first server: kill -9, back after 5 s', happen: restart(one, addressOne) }
  const serverTwo = { name: 'the second server: kill -9, back after 5 s', happen: restart(two, addressTwo) }
  const events: readonly SoakEvent[] = [
    serverOne,
    {
      name: 'the replica: kill -9, back after 5 s',
      happen: async () => {
        await cluster.replica.end('SIGKILL')
        await Bun.sleep(awayMs)
        await cluster.replica.start()
      },
    },
    { name: 'the worker: kill -9, back after 5 s', happen: restart(cluster.worker, null) },
    {
      name: 'the primary: kill -9, back after 5 s',
      happen: async () => {
        await cluster.primary.end('SIGKILL')
        await Bun.sleep(awayMs)
        await cluster.primary.start()
        await cluster.untilReady()
      },
    },
    serverTwo,
    {
      name: 'the replica hangs for 5 s (SIGSTOP)',
      happen: async () => {
        cluster.replica.signalAll('SIGSTOP')
        await Bun.sleep(awayMs)
        cluster.replica.signalAll('SIGCONT')
      },
    },
  ]
  const half = Math.floor(totalMs / everyMs / 2)
  for (let place = 0; ; place++) {
    if (place === half && disk !== null)
      yield { name: 'the disk of the primary is full for 15 s', happen: () => fillUp(cluster, disk) }
    const event = events[place % events.length]
    yield place >= half && event === serverOne ? serverTwo : event
  }
}

async function fillUp(cluster: Cluster, disk: NonNullable<ReturnType<typeof mountDisk>>): Promise<void> {
  const end = performance.now() + 15_000
  while (performance.now() < end) {
    disk.fill()
    await Bun.sleep(500)
  }
  disk.free()
  // PostgreSQL stops if there is no room for its WAL. Its supervisor would start it again.
  if (!cluster.primary.isRunning) await cluster.primary.start()
  await cluster.untilReady()
}
