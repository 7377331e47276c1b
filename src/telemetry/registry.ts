import { Registry } from 'prom-client'
import { type DatabaseFigures, exposeDatabase } from './databaseFigures.ts'
import { exposeProcess, type ProcessParts } from './processFigures.ts'
import { exposeRequests, type RequestCounts } from './requestCounts.ts'
import { exposeService, type ServiceParts } from './serviceFigures.ts'

export interface RegistryParts {
  /** null: the process answers no requests. */
  readonly requests: RequestCounts | null
  readonly service: ServiceParts
  readonly process: ProcessParts
  readonly database: DatabaseFigures
}

/** All metrics of a process. Nothing of it is a global of the package: tests have several. */
export function makeRegistry({ requests, service, process, database }: RegistryParts): Registry {
  const registry = new Registry()
  exposeProcess(registry, process)
  if (requests !== null) exposeRequests(registry, requests)
  exposeService(registry, service)
  exposeDatabase(registry, database)
  return registry
}

/** Two scrapers that come at once, and a client that repeats its request, cost one reading. */
const maxAgeMs = 1_000

/** The text that Prometheus reads. */
export class Exposition {
  readonly #registry: Registry
  readonly #elapsedMs: () => number
  #made: { readonly at: number; readonly text: Promise<string> } | null = null

  constructor(registry: Registry, elapsedMs: () => number) {
    this.#registry = registry
    this.#elapsedMs = elapsedMs
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  text(): Promise<string> {
    const now = this.#elapsedMs()
    if (this.#made !== null && now - this.#made.at < maxAgeMs) return this.#made.text
    const made = { at: now, text: this.#registry.metrics() }
    this.#made = made
    // A failure is not remembered.
    made.text.catch(() => {
      if (this.#made === made) this.#made = null
    })
    return made.text
  }
}
