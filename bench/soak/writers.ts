import type { Cluster } from '../../deploy/cluster/cluster.ts'
import { importedCompanies, importRandomFiling } from '../../deploy/cluster/imports.ts'

/** How many writes of one kind the service acknowledged, and how many of those were missing at the end. */
export interface WriteTally {
  readonly what: string
  readonly acknowledged: number
  /** Writes that failed because the database was down or its disk was full. None is retried. */
  readonly refused: number
  readonly lost: number
}

type Written = 'imports' | 'panels' | 'keys' | 'jobs'

const maxPanelsOfKey = 20

/** Stores panels, keys, jobs and imports while it runs, and at the end looks for everything that was acknowledged. */
export class Writers {
  readonly #cluster: Cluster
  readonly #panels: { readonly key: string; readonly id: string }[] = []
  readonly #keys: string[] = []
  readonly #jobs: { readonly key: string; readonly id: string }[] = []
  readonly #imports: number[] = []
  readonly #refused = { panels: 0, keys: 0, jobs: 0, imports: 0 }
  #isOpen = true
  readonly #working: readonly Promise<void>[]

  constructor(cluster: Cluster, firstKey: string) {
    this.#cluster = cluster
    this.#keys.push(firstKey)
    this.#working = [
      this.#repeat('imports', 700, serial => this.#import(serial)),
      this.#repeat('panels', 3_000, serial => this.#storePanel(serial)),
      this.#repeat('keys', 9_000, () => this.#makeKey()),
      this.#repeat('jobs', 12_000, serial => this.#submitJob(serial)),
    ]
  }

  async stop(): Promise<void> {
    this.#isOpen = false
    await Promise.all(this.#working)
  }

  /** Counts the acknowledged writes that are missing. Jobs that are still running get five minutes to finish. */
  async count(): Promise<WriteTally[]> {
    const tallies = [
      { what: 'imports', acknowledged: this.#imports.length, lost: await this.#lostImports() },
      { what: 'panels', acknowledged: this.#panels.length, lost: await this.#lostPanels() },
      { what: 'keys', acknowledged: this.#keys.length, lost: await this.#lostKeys() },
      { what: 'jobs', acknowledged: this.#jobs.length, lost: await this.#lostJobs() },
    ] as const
    return tallies.map(tally => ({ ...tally, refused: this.#refused[tally.what] }))
  }

  async #repeat(what: Written, everyMs: number, write: (serial: number) => Promise<void>) {
    for (let serial = 1; this.#isOpen; serial++) {
      await write(serial).catch(() => {
        this.#refused[what]++
      })
      await Bun.sleep(everyMs)
    }
  }

  async #import(serial: number): Promise<void> {
    const { version } = await importRandomFiling(this.#cluster.sql, 1 + (serial % importedCompanies), serial)
    this.#imports.push(version)
  }

  async #storePanel(serial: number): Promise<void> {
    // Moves on to the next key once this one has reached its limit of panels.
    const key = this.#keys[Math.floor(this.#panels.length / maxPanelsOfKey) % this.#keys.length]
    const { id } = await this.#send('/api/v1/panels', key, panelRows(serial), 201, {
      'Content-Type': 'text/csv',
    })
    this.#panels.push({ key, id })
  }

  async #makeKey(): Promise<void> {
    this.#keys.push(await this.#cluster.newKey())
  }

  async #submitJob(serial: number): Promise<void> {
    const key = this.#keys[serial % this.#keys.length]
    const body = JSON.stringify({
      source: { market: 'US' },
      sweep: { holdDays: [1, 2, 1 + (serial % 5) + 2] },
    })
    const more = { Prefer: 'respond-async', 'Idempotency-Key': `soak-${serial}` }
    const { id } = await this.#send('/api/v1/backtest', key, body, 202, more)
    this.#jobs.push({ key, id })
  }

  async #send(
    path: string,
    key: string,
    body: string,
    status: number,
    more: Readonly<Record<string, string>>,
  ): Promise<{ id: string }> {
    const response = await fetch(this.#cluster.address + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...more },
      body,
      signal: AbortSignal.timeout(30_000),
    })
    if (response.status !== status) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }

  /** Retries refusals: nothing is killed at the end of the test, so the service recovers. */
  async #read(path: string, key: string): Promise<Response> {
    const init = { headers: { Authorization: `Bearer ${key}` } }
    for (let left = 60; ; left--) {
      const response = await fetch(this.#cluster.address + path, init).catch(() => null)
      if (response !== null && (response.status < 500 || left === 0)) return response
      if (left === 0) throw new Error(`${path} is not answered.`)
      await Bun.sleep(500)
    }
  }

  async #lostImports(): Promise<number> {
    const rows = await this.#cluster.sql<{ version: string }[]>`
      select version from import_batch where version = any(${this.#imports}::bigint[])`
    const stored = new Set(rows.map(({ version }) => Number(version)))
    return this.#imports.filter(version => !stored.has(version)).length
  }

  async #lostPanels(): Promise<number> {
    let lost = 0
    for (const key of new Set(this.#panels.map(panel => panel.key))) {
      const { data }: { data: { id: string }[] } = await (await this.#read('/api/v1/panels', key)).json()
      const stored = new Set(data.map(({ id }) => id))
      lost += this.#panels.filter(panel => panel.key === key && !stored.has(panel.id)).length
    }
    return lost
  }

  async #lostKeys(): Promise<number> {
    let lost = 0
    for (const key of this.#keys) if (!(await this.#read('/api/v1/me', key)).ok) lost++
    return lost
  }

  async #lostJobs(): Promise<number> {
    const end = performance.now() + 5 * 60_000
    let open = this.#jobs
    while (open.length > 0 && performance.now() < end) {
      const still: typeof open = []
      for (const job of open) {
        const response = await this.#read(`/api/v1/backtests/${job.id}`, job.key)
        const { state }: { state?: string } = response.ok ? await response.json() : {}
        if (state !== 'succeeded') still.push(job)
      }
      open = still
      if (open.length > 0) await Bun.sleep(1_000)
    }
    return open.length
  }
}

function panelRows(seed: number): string {
  const lines = ['date,asset,score,forward_return']
  for (let day = 0; day < 40; day++) {
    const date = new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)
    for (let i = 0; i < 20; i++)
      lines.push(`${date},A${i},${Math.sin(i * seed + day)},${Math.cos(i * 7 + day * seed) / 50}`)
  }
  return lines.join('\n')
}
