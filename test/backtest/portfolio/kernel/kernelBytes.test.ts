import { expect, test } from 'bun:test'
import { asModule, compileKernel, target } from '../../../../kernel/build.ts'

test('the kernel’s bytes are what its sources compile to (else: bun run build:kernel)', async () => {
  expect(await Bun.file(target).text()).toBe(asModule(await compileKernel()))
}, 180_000)
