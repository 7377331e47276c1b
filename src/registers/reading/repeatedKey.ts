/** Where an object of a JSON text names a key a second time: its parser would take the later value and say nothing. The
 * text must be JSON. */
export function repeatedKey(json: string): { readonly key: string; readonly at: number } | null {
  /** The keys of each object that is open; null for a list. */
  const open: (Set<string> | null)[] = []
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === 0x7b) open.push(new Set())
    else if (code === 0x5b) open.push(null)
    else if (code === 0x7d || code === 0x5d) open.pop()
    else if (code === 0x22) {
      const end = endOfText(json, at)
      const keys = open[open.length - 1]
      if (keys && isBeforeColon(json, end)) {
        const raw = json.slice(at + 1, end)
        const key: string = raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw
        if (keys.has(key)) return { key, at }
        keys.add(key)
      }
      at = end
    }
  }
  return null
}

function endOfText(json: string, open: number): number {
  let at = open + 1
  while (at < json.length && json.charCodeAt(at) !== 0x22) at += json.charCodeAt(at) === 0x5c ? 2 : 1
  return at
}

function isBeforeColon(json: string, end: number): boolean {
  let at = end + 1
  while (json.charCodeAt(at) <= 0x20) at++
  return json.charCodeAt(at) === 0x3a
}
