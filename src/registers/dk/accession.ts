/** Addresses end in the name under which the register stores a document; it is kept by whoever downloads it. */
const documentName = /(?:^|[/\\!])([A-Za-z0-9._~=-]{1,200})\.(?:xml|xbrl)$/i

const cvrNumber = /^[1-9]\d{7}$/

/** A CVR number, by which the register knows a company; null for anything else. */
export function cvrOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return cvrNumber.test(text) ? text : null
}

/** What identifies a published report: its company and the name of its document, which the index's `dokumentUrl` and the
 * downloaded file have in common. Neither company nor period would do: a report that was replaced has both, too, and its
 * figures may not be dated by the first one's day. */
export function accessionOf(cvr: string, addressOrPath: string): string | null {
  const name = documentName.exec(addressOrPath)?.[1]
  return name === undefined ? null : `DK:${cvr}/${name}`
}
