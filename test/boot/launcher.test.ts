import { afterAll, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { prepareDataDir } from '../database.ts'
import { makeDataDir, removeDataDir } from './serverProcess.ts'

const repository = resolve(import.meta.dir, '../..')
const dataDir = makeDataDir()
afterAll(() => removeDataDir(dataDir), 60_000)

/** The processes as npx makes them: npm, a shell, `bun start`, us. Here the test stands for npm. */
test('a server whose npx is signalled to end does not continue alone', async () => {
  await prepareDataDir(resolve(dataDir, 'data'))
  const shell = Bun.spawn(['sh', '-c', "'bun' run --silent serve-for-test; true"], {
    cwd: dataDir,
    env: {
      ...process.env,
      npm_execpath: '/usr/lib/node_modules/npm/bin/npm-cli.js',
      DATA_DIR: resolve(dataDir, 'data'),
      DATABASE_URL: '',
      PORT: '0',
      LOG_LEVEL: 'error',
    },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let said = ''
  const over = (async () => {
    for await (const chunk of shell.stdout) said += new TextDecoder().decode(chunk)
  })()
  const address = async () => {
    for (let tries = 0; tries < 400; tries++) {
      const found = /is ready at\s+(http:\S+)/.exec(said)?.[1]
      if (found !== undefined) return found
      await Bun.sleep(100)
    }
    throw new Error(`not ready within 40 s: ${said}`)
  }
  const health = `${await address()}/health`
  expect((await fetch(health)).status).toBe(200)
  shell.kill('SIGTERM')
  // Its output ends when the last process that holds it has ended.
  await over
  expect(said).toContain('asfiled: stopped.')
  await expect(fetch(health)).rejects.toThrow()
}, 90_000)

await Bun.write(
  resolve(dataDir, 'package.json'),
  JSON.stringify({ name: 'launched', scripts: { 'serve-for-test': `exec bun ${repository}/src/main.ts` } }),
)
