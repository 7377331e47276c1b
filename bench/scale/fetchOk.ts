import type { Context } from './context.ts'

/** Fetches a path from the server. Throws unless the status is 200. */
export async function fetchOk(context: Context, path: string): Promise<{ tag: string | null; text: string }> {
  const { port } = await context.server()
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { Authorization: `Bearer ${context.key}`, 'Accept-Encoding': 'identity' },
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${text.slice(0, 300)}`)
  return { tag: response.headers.get('etag'), text }
}
