import { Elysia } from 'elysia'
import { openDatabase } from '../src/boot/database.ts'
import { readConfig } from '../src/config.ts'
import { type HitRequest, takeHits } from '../src/limits/queries.ts'
import { RateLimiter } from '../src/limits/rateLimiter.ts'

/** The bare route plus only the work that no request can avoid: it is counted against a limit in the environment's database
 * before it is answered, and its answer has as many headers as ours, six of which differ per answer. There are no keys, no
 * parameters and no log. The arguments are the file with the body and the shared headers as JSON. Prints its port. */

const body = new Blob([await Bun.file(Bun.argv[2]).bytes()])
const shared = new Headers(JSON.parse(Bun.argv[3]))
const limits = { perMinute: 900_000_000, perDay: null }
const { sql } = await openDatabase(readConfig(process.env), 0, () => {})
const limiter = new RateLimiter({
  takeHits: (hits: readonly HitRequest[]) => takeHits(sql, hits),
  elapsedMs: () => performance.now(),
  timeoutMs: 5_000,
})
const app = new Elysia()
  .get('/', async () => {
    const { minuteRemaining, minuteResetSeconds } = await limiter.take('bench:counted', limits)
    const response = new Response(body, { headers: shared })
    response.headers.set('X-Request-Id', String(minuteRemaining))
    response.headers.set('X-RateLimit-Limit', String(limits.perMinute))
    response.headers.set('X-RateLimit-Remaining', String(minuteRemaining))
    response.headers.set('X-RateLimit-Reset', String(minuteResetSeconds))
    response.headers.set('RateLimit-Policy', '"minute";q=900000000;w=60')
    response.headers.set('RateLimit', `"minute";r=${minuteRemaining};t=${minuteResetSeconds}`)
    return response
  })
  .listen({ hostname: '127.0.0.1', port: 0 })
console.log(app.server?.port)
