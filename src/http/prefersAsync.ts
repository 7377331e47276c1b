/** Whether a Prefer header asks for an answer at once and the result later (RFC 7240). Preferences that are not known
 * are no errors. */
export function prefersAsync(header: string | null): boolean {
  if (header === null) return false
  return header.split(',').some(item => item.split(';')[0].trim().toLowerCase() === 'respond-async')
}
