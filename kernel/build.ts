import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import asc from 'assemblyscript/asc'

/** Compiles the kernel; `bun run build:kernel` then writes its bytes as a module. The same sources give the
 * same bytes, which kernelBytes.test.ts verifies. */
export async function compileKernel(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-'))
  const out = join(folder, 'kernel.wasm')
  try {
    const { error, stderr } = await asc.main([
      resolve(import.meta.dir, 'assembly/index.ts'),
      '--outFile',
      out,
      '-O3',
      '--runtime',
      'stub',
      '--importMemory',
      '--noAssert',
      '--enable',
      'simd',
    ])
    if (error) throw new Error(stderr.toString(), { cause: error })
    return new Uint8Array(await Bun.file(out).arrayBuffer())
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const target = resolve(import.meta.dir, '../src/backtest/portfolio/kernel/kernelBytes.ts')

export function asModule(bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,100}/g) ?? []
  return `/** kernel/assembly, compiled: \`bun run build:kernel\` writes this file. */
export const kernelBytes =
${lines.map(line => `  '${line}'`).join(' +\n')}
`
}

if (import.meta.main) await Bun.write(target, asModule(await compileKernel()))
