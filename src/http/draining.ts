/** Whether this server is about to stop. It still answers every request, but /ready returns 503 and each
 * response closes its connection. A proxy that reused the connection would send its next request into a
 * closed socket. */
export class Draining {
  #active = false

  get active(): boolean {
    return this.#active
  }

  begin(): void {
    this.#active = true
  }
}
