/** The lines of a UTF-8 stream. A line of more than a megabyte is cut there: no register writes one. */
export async function* textLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = (lines.pop() ?? '').slice(0, 1_000_000)
    if (lines.length > 0) yield lines.map(dropReturn)
  }
  rest += decoder.decode()
  if (rest !== '') yield [dropReturn(rest)]
}

const dropReturn = (line: string) => (line.endsWith('\r') ? line.slice(0, -1) : line)
