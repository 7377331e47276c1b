import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const folder = resolve(import.meta.dir, '../../kernel')
const installed = existsSync(resolve(folder, 'node_modules/assemblyscript'))
if (!installed) console.warn('skipped: the kernel’s compiler is not installed (bun install in kernel/)')

test.skipIf(!installed)(
  'the kernel’s bytes are what its sources compile to',
  async () => {
    // By path, so that the type check does not need the compiler either.
    const { asModule, compileKernel, target } = await import(resolve(folder, 'build.ts'))
    expect(await Bun.file(target).text()).toBe(asModule(await compileKernel()))
  },
  60_000,
)
