/** A weak ETag, because compression changes the bytes of the same response. Besides the data version,
 * `request` must contain everything that determines the response: otherwise a client gets a 304 for a
 * response that it does not have. */
export function entityTag(dataVersion: number, request: string): string {
  return `W/"${dataVersion}-${Bun.hash.xxHash64(request).toString(36)}"`
}

/** Whether If-None-Match matches the tag (weak comparison, RFC 9110 section 13.1.2). */
export function matchesTag(header: string | null, tag: string): boolean {
  if (header === null) return false
  if (header === tag || header.trim() === '*') return true
  const opaque = tag.slice(2)
  return header.split(',').some(candidate => {
    const text = candidate.trim()
    return text === opaque || text === tag
  })
}
