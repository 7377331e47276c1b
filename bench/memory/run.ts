import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { withService } from '../service/server.ts'
import { residentMb, runLoad, send } from './load.ts'
import { largeRequests } from './requests.ts'

const help = `The memory of a server before, during and after a load of its largest requests: bun bench/memory/run.ts [OPTIONS]

  --rounds    how often every request is sent (default 2)
  --clients   clients that send them (default 4)
  --scale     size of the bodies: 1 is joins of one and five million rows and backtests of two million (default 1)
  --wait      seconds to look at the memory afterwards (default 60)

Only the process of the server counts, not PostgreSQL.
`

const firstRequests = ['page of a company', 'batch', 'join of a Parquet file to Parquet', 'backtest of a CSV']

async function measure(rounds: number, clients: number, scale: number, waitSeconds: number): Promise<void> {
  await withService(async service => {
    const key = await service.newKey()
    const requests = largeRequests(scale)
    const show = (what: string) => console.log(`${what}: ${residentMb(service.pid).toFixed(0)} MB`)
    // Fills the caches of small answers, and compiles the code.
    await runLoad(service, { key, requests: requests.filter(isSmall), clients: 1, rounds: 1 })
    await Bun.sleep(5_000)
    show('before')
    const report = (line: string) => console.log(`  ${line}`)
    const { failures, highestMb } = await runLoad(service, { key, requests, clients, rounds, report })
    console.log(`highest: ${highestMb.toFixed(0)} MB; ${failures.length} requests failed`)
    for (let second = 0; second <= waitSeconds; second += 5) {
      show(`${second} s after the load`)
      await Bun.sleep(5_000)
    }
    for (const name of firstRequests) {
      const request = requests.find(request => request.name === name)
      if (request === undefined) throw new Error(`There is no request ${name}.`)
      const times: string[] = []
      for (let run = 0; run < 4; run++) {
        const startedMs = performance.now()
        await send(service.port, key, request)
        times.push(`${(performance.now() - startedMs).toFixed(0)} ms`)
      }
      console.log(`${name}, first and then again: ${times.join(', ')}`)
    }
  })
}

const isSmall = ({ body }: { readonly body?: unknown }) => body === undefined

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '2' },
      clients: { type: 'string', default: '4' },
      scale: { type: 'string', default: '1' },
      wait: { type: 'string', default: '60' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) console.log(help)
  else {
    const { rounds, clients, scale, wait } = values
    await measure(Number(rounds), Number(clients), Number(scale), Number(wait))
    console.log(`load average ${loadavg()[0].toFixed(1)}`)
  }
}
