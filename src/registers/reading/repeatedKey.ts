/** Where an object of a JSON text names a key a second time: its parser would take the later value and say nothing. The
 * text must be JSON. */
export function repeatedKey(json: string): { readonly key: string; readonly at: number } | null {
  /** The keys of each object that is open; null for a list, and for an object that has named none yet. */
  const open: (Keys | null)[] = []
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === 0x7b || code === 0x5b) open.push(null)
    else if (code === 0x7d || code === 0x5d) open.pop()
    else if (code === 0x22) {
      const end = endOfText(json, at)
      if (isBeforeColon(json, end)) {
        const raw = json.slice(at + 1, end)
        const key: string = raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw
        const keys = open[open.length - 1]
        if (keys == null) open[open.length - 1] = [key]
        else if (keys instanceof Set ? keys.has(key) : keys.includes(key)) return { key, at }
        else if (keys instanceof Set) keys.add(key)
        else if (keys.push(key) > fewKeys) open[open.length - 1] = new Set(keys)
      }
      at = end
    }
  }
  return null
}

/** Most objects have few keys, which a list finds sooner than a set. */
type Keys = string[] | Set<string>
const fewKeys = 12

/** Where the quotation mark stands that ends a text: the first one that no odd run of backslashes precedes. */
function endOfText(json: string, open: number): number {
  let at = json.indexOf('"', open + 1)
  while (at >= 0 && json.charCodeAt(at - 1) === 0x5c) {
    let before = at - 1
    while (json.charCodeAt(before) === 0x5c) before--
    if ((at - before) % 2 === 1) return at
    at = json.indexOf('"', at + 1)
  }
  return at < 0 ? json.length : at
}

function isBeforeColon(json: string, end: number): boolean {
  let at = end + 1
  while (json.charCodeAt(at) <= 0x20) at++
  return json.charCodeAt(at) === 0x3a
}
