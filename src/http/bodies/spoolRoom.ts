import { Failure } from '../../errors.ts'

const megabyte = 1_024 * 1_024
/** The largest body that is kept in a file, before and after decompression. */
export const maxSpooledBytes = 4_096 * megabyte
/** The disk space of one caller, and of the whole server, for bodies that are arriving or being read. */
const maxOfCaller = maxSpooledBytes
const maxOfServer = 4 * maxSpooledBytes

/** Tracks the disk space of spooled bodies. */
export class SpoolRoom {
  readonly #callers = new Map<string, number>()
  #held = 0

  get held(): number {
    return this.#held
  }

  /** Reserves disk space, or fails with `compute_busy`. */
  take(caller: string, bytes: number): void {
    const ofCaller = (this.#callers.get(caller) ?? 0) + bytes
    if (ofCaller > maxOfCaller) throw noRoom('The large uploads of this key', maxOfCaller)
    if (this.#held + bytes > maxOfServer) throw noRoom('All large uploads to this server', maxOfServer)
    this.#callers.set(caller, ofCaller)
    this.#held += bytes
  }

  release(caller: string, bytes: number): void {
    const left = (this.#callers.get(caller) ?? 0) - bytes
    if (left > 0) this.#callers.set(caller, left)
    else this.#callers.delete(caller)
    this.#held -= bytes
  }
}

const noRoom = (whose: string, max: number) =>
  new Failure(
    'compute_busy',
    `${whose} may have ${(max / megabyte).toLocaleString('en')} MB together at a time, and this one would exceed that. Wait until another one has been answered, then send it again.`,
    { param: 'body', retryAfterSeconds: 30 },
  )
