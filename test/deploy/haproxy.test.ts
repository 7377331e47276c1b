import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePorts, until } from '../../deploy/cluster/processes.ts'

const haproxy = Bun.which('haproxy')
if (haproxy === null) console.log('skipped: there is no haproxy (Debian: apt-get install haproxy)')

const ids = `${'a1'.repeat(16)}-${'b2'.repeat(8)}`

/** Returns the `traceparent` header that the shipped configuration passes on. */
async function passedOn(name: string, sent: readonly string[]): Promise<(string | null)[]> {
  const text = await Bun.file(resolve(import.meta.dir, '../../deploy', name)).text()
  const rules = /^frontend clients\n[\s\S]*?(?=^backend )/m
    .exec(text)?.[0]
    .split('\n')
    .filter(line => line.includes('http-request') || line.includes('option forwardfor'))
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-haproxy-'))
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: request => Response.json(request.headers.get('traceparent')),
  })
  const [port] = freePorts(1)
  const times = 'timeout connect 2s\n    timeout client 9s\n    timeout server 9s'
  const front = `frontend clients\n    bind 127.0.0.1:${port}\n${rules?.join('\n')}\n    default_backend one`
  const back = `backend one\n    server one 127.0.0.1:${server.port}`
  const file = join(folder, 'haproxy.cfg')
  await Bun.write(file, `defaults\n    mode http\n    ${times}\n\n${front}\n\n${back}\n`)
  const proxy = Bun.spawn(['haproxy', '-db', '-f', file], { stdout: 'ignore', stderr: 'inherit' })
  try {
    const ask = (traceparent: string) =>
      fetch(`http://127.0.0.1:${port}/`, { headers: { traceparent } }).then(response => response.json())
    await until('HAProxy answers', () =>
      ask('x')
        .then(() => true)
        .catch(() => false),
    )
    return await Promise.all(sent.map(ask))
  } finally {
    proxy.kill()
    await proxy.exited
    rmSync(folder, { recursive: true, force: true })
  }
}

describe.skipIf(haproxy === null)(
  'a stranger behind the shipped proxy has no trace followed (HAProxy)',
  () => {
    test.each(['haproxy.cfg', 'container/haproxy.cfg'])(
      '%s',
      async name => {
        const sent = [`00-${ids}-01`, `00-${ids}-00`, `00-${ids}-ff`, `cc-${ids}-01-more`, 'none']
        const none = `00-${ids}-00`
        expect(await passedOn(name, sent)).toEqual([none, none, none, `cc-${ids}-00-more`, 'none'])
      },
      30_000,
    )
  },
)
