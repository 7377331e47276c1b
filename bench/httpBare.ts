import { Elysia } from 'elysia'

/** The baseline of bench/http.ts: an Elysia route that returns the bytes of a file. Prints its port. */

const body = await Bun.file(Bun.argv[2]).bytes()
const app = new Elysia()
  .get('/', () => new Response(body, { headers: { 'Content-Type': 'application/json' } }))
  .listen({ hostname: '127.0.0.1', port: 0 })
console.log(app.server?.port)
