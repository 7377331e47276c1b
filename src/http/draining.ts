/** Whether this server is about to stop. Until then it answers every request, but /ready is 503 and each answer closes its
 * connection: a proxy that reused one would send its next request into a closed socket. */
export class Draining {
  #active = false

  get active(): boolean {
    return this.#active
  }

  begin(): void {
    this.#active = true
  }
}
