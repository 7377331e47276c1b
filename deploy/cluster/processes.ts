import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'

/** Ports of the loopback interface that are free now. */
export function freePorts(count: number): number[] {
  const listeners = Array.from({ length: count }, () =>
    Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } }),
  )
  const ports = listeners.map(({ port }) => port)
  for (const listener of listeners) listener.stop(true)
  return ports
}

export async function until(
  what: string,
  isTrue: () => Promise<boolean>,
  timeoutMs = 60_000,
  pauseMs = 50,
): Promise<void> {
  const end = performance.now() + timeoutMs
  while (performance.now() < end) {
    if (await isTrue().catch(() => false)) return
    await Bun.sleep(pauseMs)
  }
  throw new Error(`After ${timeoutMs / 1_000} s it is not so: ${what}.`)
}

const maxRestarts = 20

export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(child => {
      try {
        // The program's name may contain spaces; the fields after it do not.
        return Number(readFileSync(`/proc/${child}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]) === pid
      } catch {
        return false
      }
    })
}

/** A program of the cluster that can be started, killed and started again. Its output goes to a file. */
export class Part {
  readonly name: string
  readonly #command: readonly string[]
  readonly #environment: Readonly<Record<string, string>>
  readonly #log: string
  #child: Bun.Subprocess | null = null
  #isWanted = false
  #startedAt = 0
  /** For each unexpected exit, the seconds since the start. The process was then restarted, as a supervisor would. */
  readonly endedAfter: number[] = []

  constructor(
    name: string,
    command: readonly string[],
    environment: Readonly<Record<string, string>>,
    log: string,
  ) {
    this.name = name
    this.#command = command
    this.#environment = environment
    this.#log = log
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null
  }

  start(): void {
    this.#isWanted = true
    this.#startedAt = performance.now()
    const log = openSync(this.#log, 'a')
    this.#child = Bun.spawn([...this.#command], {
      cwd: new URL('../..', import.meta.url).pathname,
      env: { ...process.env, ...this.#environment },
      ...{ stdin: 'ignore', stdout: log, stderr: log },
    })
    closeSync(log)
    void this.#supervise(this.#child)
  }

  /** Restarts it one second after an unexpected exit, up to a maximum number of times. */
  async #supervise(child: Bun.Subprocess): Promise<void> {
    await child.exited
    if (!this.#isWanted || this.#child !== child) return
    this.endedAfter.push(Math.round((performance.now() - this.#startedAt) / 1_000))
    await Bun.sleep(1_000)
    if (this.#isWanted && this.endedAfter.length < maxRestarts) this.start()
  }

  /** Ends the process and waits for its exit. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#isWanted = false
    if (this.#child === null) return
    this.#child.kill(signal)
    await this.#child.exited
  }

  /** Everything that it has written since its first start. */
  output(): string {
    return readFileSync(this.#log, 'utf8')
  }

  /** Resident memory in megabytes; null if it is not running. */
  memoryMb(): number | null {
    if (!this.isRunning || this.pid === null) return null
    try {
      return (Number(readFileSync(`/proc/${this.pid}/statm`, 'utf8').split(' ')[1]) * 4_096) / 1e6
    } catch {
      return null
    }
  }
}
