import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import { findPodman, migrationsOf, type Podman } from './containers.ts'

setDefaultTimeout(600_000)

const root = resolve(import.meta.dir, '../..')
const image = 'localhost/asfiled-tested'
const isLong = process.env.LONG !== undefined
if (!isLong) console.log('skipped: the container is built and run with LONG=1')
const podman = isLong ? await findPodman(root, image) : null

describe.skipIf(podman === null)('the container (LONG=1, podman)', () => {
  const name = `asfiled-test-${process.pid}`
  const volume = `${name}-data`
  let host: Podman
  let port = 0

  beforeAll(() => {
    if (podman !== null) host = podman
    port = 20_000 + (process.pid % 20_000)
  })
  afterAll(async () => {
    await host.run('rm', '--force', '--volumes', name)
    await host.run('volume', 'rm', '--force', volume)
  })

  const start = () =>
    host.start(
      '--name',
      name,
      '--network',
      'host',
      '--read-only',
      '--cap-drop',
      'all',
      ...['--security-opt', 'no-new-privileges', '--volume', `${volume}:/data`],
      ...['--env', 'HOST=127.0.0.1', '--env', `PORT=${port}`, '--env', 'COMPUTE_THREADS=1', image],
    )
  const inside = (...words: string[]) => host.run('exec', name, ...words)
  const isHealthy = async () =>
    (await inside('bun', '--no-env-file', '/app/deploy/container/healthcheck.ts')).code === 0
  const becomesHealthy = async () => {
    for (let n = 0; n < 240; n++) {
      if (await isHealthy()) return true
      await Bun.sleep(500)
    }
    return false
  }

  test('runs without root on a read-only root, and its health check fails until it can serve', async () => {
    expect(await start()).toMatchObject({ code: 0 })
    expect(await isHealthy()).toBe(false)
    expect(await becomesHealthy()).toBe(true)
    expect((await inside('id', '-u')).out.trim()).toBe('10001')
    expect((await inside('touch', '/app/x')).code).not.toBe(0)
    expect((await inside('grep', 'CapEff', '/proc/1/status')).out).toMatch(/\t0+$/m)
    const answer = await fetch(
      `http://127.0.0.1:${port}/api/v1/fundamentals?ticker=AAPL&metric=revenue&view=latest&as_of=2009-12-31`,
      { headers: { Authorization: 'Bearer demo' } },
    )
    expect(answer.status).toBe(200)
  })

  test('shows no owner key in its log: it is in a file of the volume', async () => {
    const logs = await host.run('logs', name)
    expect(logs.out + logs.err).toContain('/data/owner-key')
    expect(logs.out + logs.err).not.toContain('asf_live_')
    expect((await inside('stat', '-c', '%a', '/data/owner-key')).out.trim()).toBe('600')
  })

  test('ends with exit code 0 after SIGTERM, having answered what was under way', async () => {
    // A request whose body arrives slowly is in progress until the body is complete.
    const pieces = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('{'))
        await Bun.sleep(2_500)
        controller.enqueue(new TextEncoder().encode('}'))
        controller.close()
      },
    })
    const key = (await inside('cat', '/data/owner-key')).out.trim()
    const slow = fetch(`http://127.0.0.1:${port}/api/v1/backtest`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: pieces,
    })
    await Bun.sleep(1_000)
    const stopped = host.run('stop', '--time', '90', name)
    expect((await slow).status).toBe(200)
    await stopped
    expect((await host.run('inspect', name, '--format', '{{.State.ExitCode}}')).out.trim()).toBe('0')
  })

  test('finds its data in the volume when it is a new container', async () => {
    expect((await host.run('rm', name)).code).toBe(0)
    expect(await start()).toMatchObject({ code: 0 })
    expect(await becomesHealthy()).toBe(true)
    expect((await inside('asfiled', 'keys', 'list')).out).toContain('asf_live_')
    const status = await inside('asfiled', 'status', '--json', '--max-backup-age', '0')
    expect(JSON.parse(status.out)).toMatchObject({
      healthy: true,
      schema: { number: await migrationsOf(root) },
    })
  })

  test('buries the processes of a PostgreSQL that was killed, and serves again', async () => {
    await inside('sh', '-c', 'kill -9 $(head -1 /data/database/cluster/postmaster.pid)')
    await Bun.sleep(3_000)
    expect(await becomesHealthy()).toBe(true)
    const states = await inside('sh', '-c', 'cat /proc/[0-9]*/stat | grep -c " Z " || true')
    expect(states.out.trim()).toBe('0')
  })
})
