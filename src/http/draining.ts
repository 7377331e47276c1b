/** Whether this server is about to stop. Until it does it answers everything, but /ready says 503 and each answer closes its
 * connection: a proxy that kept one would send its next request into a closed socket. */
export class Draining {
  #active = false

  get active(): boolean {
    return this.#active
  }

  begin(): void {
    this.#active = true
  }
}
