import { kernelBytes } from './kernelBytes.ts'

/** The compiled functions; kernel/assembly says what each does. Every address is in bytes. */
interface KernelCalls {
  readonly equalTarget: KernelCall
  readonly rankTarget: KernelCall
  readonly scoreTarget: KernelCall
  readonly addConvictions: KernelCall
  readonly dropMissing: KernelCall
  readonly scoreStats: KernelCall
  readonly pickLegs: KernelCall
  readonly walk: KernelCall
  readonly walkDrifting: KernelCall
  readonly countUnpaid: KernelCall
  readonly orderBySharpe: KernelCall
  readonly bestTrial: KernelCall
  readonly countBelow: KernelCall
}
type KernelCall = (...args: number[]) => number

/** The compiled functions over memory of their own, in which whoever opened it places what they work on. */
export interface Kernel {
  readonly calls: KernelCalls
  /** The whole memory, as doubles and as whole numbers: element i is at byte 8 i, or 4 i. */
  readonly doubles: Float64Array
  readonly integers: Int32Array
}

const pageBytes = 65_536
const module = new WebAssembly.Module(Uint8Array.from(atob(kernelBytes), char => char.charCodeAt(0)))
/** Kept between runs up to this size: fresh memory costs a page fault for every 4 KiB. */
const keptBytes = 64 * 1024 * 1024
let kept: WebAssembly.Memory | null = null

/** A kernel with `bytes` of zeroes. It is the thread's only one until it asks again: nothing of it may be kept. */
export function openKernel(bytes: number): Kernel {
  const pages = Math.max(1, Math.ceil(bytes / pageBytes))
  const fits = kept !== null && kept.buffer.byteLength >= bytes
  const memory = fits && kept ? kept : new WebAssembly.Memory({ initial: pages })
  if (!fits) kept = memory.buffer.byteLength <= keptBytes ? memory : null
  const { exports } = new WebAssembly.Instance(module, { env: { memory } })
  const doubles = new Float64Array(memory.buffer)
  if (fits) doubles.fill(0, 0, Math.ceil(bytes / 8))
  return {
    calls: exports as Record<keyof KernelCalls, KernelCall>,
    doubles,
    integers: new Int32Array(memory.buffer),
  }
}

/** Hands out places, one after the other, each at a multiple of 16. */
export class Layout {
  bytes = 64

  place(bytes: number): number {
    const at = this.bytes
    this.bytes = at + Math.ceil(bytes / 16) * 16
    return at
  }
}
