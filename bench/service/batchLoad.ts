/** Sends one batch over and over and counts the lines that arrive. It runs in its own process, so that it does not use the
 * measured server's time. Reads its task as JSON from standard input and prints the outcome as JSON. */

export interface BatchLoadTask {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly clients: number
  readonly ms: number
}

export interface BatchLoadOutcome {
  readonly lines: number
  readonly seconds: number
  /** The processor time that this process used during the load. */
  readonly cpuSeconds: number
}

const lineEnd = 0x0a

async function load({ url, headers, body, clients, ms }: BatchLoadTask): Promise<BatchLoadOutcome> {
  const left = new AbortController()
  let lines = 0
  const send = async () => {
    while (!left.signal.aborted) {
      const response = await fetch(url, { method: 'POST', headers, body, signal: left.signal })
      if (!response.ok || response.body === null)
        throw new Error(`The batch was answered ${response.status}: ${await response.text()}`)
      for await (const chunk of response.body)
        for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) lines++
    }
  }
  const sending = Promise.all(Array.from({ length: clients }, send))
  const cpuBefore = process.cpuUsage()
  const startedMs = performance.now()
  await Promise.race([Bun.sleep(ms), sending])
  const { user, system } = process.cpuUsage(cpuBefore)
  const seconds = (performance.now() - startedMs) / 1_000
  left.abort()
  await sending.catch(() => {})
  return { lines, seconds, cpuSeconds: (user + system) / 1e6 }
}

if (import.meta.main) {
  const outcome = await load(await Bun.stdin.json())
  console.log(JSON.stringify(outcome))
  process.exit(0)
}
