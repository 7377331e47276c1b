import { kernelBytes } from './kernelBytes.ts'

/** The exports of the WebAssembly module, described in kernel/assembly. Every address is in bytes. */
interface KernelCalls {
  readonly equalTarget: KernelCall
  readonly rankTarget: KernelCall
  readonly scoreTarget: KernelCall
  readonly addConvictions: KernelCall
  readonly dropMissing: KernelCall
  readonly scoreStats: KernelCall
  readonly pickLegs: KernelCall
  readonly walk: KernelCall
  readonly driftPeriod: KernelCall
  readonly countUnpaid: KernelCall
  readonly orderBySharpe: KernelCall
  readonly bestTrial: KernelCall
  readonly countBelow: KernelCall
  readonly drawBlocks: KernelCall
  readonly addBlocks: KernelCall
}
type KernelCall = (...args: number[]) => number

/** The compiled functions and the memory they work in. The caller reserves its arrays there with a
 * `Layout`. */
export interface Kernel {
  readonly calls: KernelCalls
  /** The whole memory, as doubles and as 32-bit integers: element i is at byte 8 i or 4 i. */
  readonly doubles: Float64Array
  readonly integers: Int32Array
}

const pageBytes = 65_536
const module = new WebAssembly.Module(Uint8Array.from(atob(kernelBytes), char => char.charCodeAt(0)))
/** Memory up to this size is kept for the next run: fresh memory costs a page fault per 4 KiB. */
const maxReusedBytes = 64 * 1024 * 1024
let reusable: Kernel | null = null

/** A kernel with `bytes` of zeroed memory. The next call on this thread may reuse that memory, so no array in
 * it may be used afterwards. The module has no state besides its memory, so a reused kernel is as good as a new one. */
export function openKernel(bytes: number): Kernel {
  if (reusable !== null && reusable.doubles.byteLength >= bytes) {
    reusable.doubles.fill(0, 0, Math.ceil(bytes / 8))
    return reusable
  }
  const memory = new WebAssembly.Memory({ initial: Math.max(1, Math.ceil(bytes / pageBytes)) })
  const { exports } = new WebAssembly.Instance(module, { env: { memory } })
  const kernel = {
    calls: exports as Record<keyof KernelCalls, KernelCall>,
    doubles: new Float64Array(memory.buffer),
    integers: new Int32Array(memory.buffer),
  }
  reusable = memory.buffer.byteLength <= maxReusedBytes ? kernel : null
  return kernel
}

/** Frees the memory that the next run would reuse. */
export function releaseKernelMemory(): void {
  reusable = null
}

/** Assigns consecutive addresses, each a multiple of 16. */
export class Layout {
  bytes = 64

  place(bytes: number): number {
    const at = this.bytes
    this.bytes = at + Math.ceil(bytes / 16) * 16
    return at
  }
}
