import { expect, test } from 'bun:test'

test('a stop that does not end is cut off after its time, and says so', async () => {
  const program = `
    import { endOnSignal } from './src/boot/shutdown.ts'
    const opened = new AsyncDisposableStack()
    opened.defer(() => new Promise(() => {}))
    endOnSignal(opened, 'finishing', 500, line => console.log(line))
    setInterval(() => {}, 1_000)
    console.log('up')`
  const child = Bun.spawn(['bun', '-e', program], { stdout: 'pipe', stderr: 'inherit' })
  let said = ''
  const cut = setTimeout(() => child.kill('SIGKILL'), 15_000)
  for await (const chunk of child.stdout) {
    const text = new TextDecoder().decode(chunk)
    if (text.includes('up')) child.kill('SIGTERM')
    said += text
  }
  expect(await child.exited).toBe(1)
  clearTimeout(cut)
  expect(said).toContain('not everything has closed after 0.5 s')
}, 20_000)
