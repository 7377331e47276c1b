/** The lines of an NDJSON response that was requested with `parseAs: 'stream'`, parsed one by one as they arrive. */
export async function* jsonLines<Line>(stream: ReadableStream<Uint8Array>): AsyncGenerator<Line, void> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const lines = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split('\n')
      rest = done ? '' : (lines.pop() ?? '')
      for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as Line
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
