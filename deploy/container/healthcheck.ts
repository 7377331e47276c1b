/** The health check of the container: 0 where /ready of its server answers 200, else 1 with the reason. */
const port = process.env.PORT ?? '3000'
try {
  const answer = await fetch(`http://127.0.0.1:${port}/ready`, { signal: AbortSignal.timeout(4_000) })
  if (answer.status !== 200) throw new Error(`/ready answers ${answer.status}: ${await answer.text()}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : 'No answer.')
  process.exit(1)
}

export {}
