import { runServer } from './boot/runServer.ts'
import { readConfig } from './config.ts'
import { Failure } from './errors.ts'

const today = () => new Date().toISOString().slice(0, 10)

// A server that was started by npx or npm ends when they do; npm_execpath is set in that case.
try {
  await runServer(readConfig(process.env), today, process.env.npm_execpath)
} catch (error) {
  if (!(error instanceof Failure)) throw error
  console.error(`asfiled: ${error.message}`)
  process.exit(1)
}
