/** Whether an Accept header would rather have a page than JSON. A browser would; one that takes anything would not. */
export function prefersHtml(accept: string | null): boolean {
  if (accept === null || accept === '') return false
  const weights = new Map<string, number>()
  for (const item of accept.toLowerCase().split(',')) {
    const [type, ...parameters] = item.split(';').map(part => part.trim())
    const q = parameters.find(parameter => /^q\s*=/.test(parameter))?.split('=')[1]
    const weight = q === undefined ? 1 : Number(q)
    if (weight >= 0 && weight <= 1) weights.set(type, weight)
  }
  const weightOf = (type: string, group: string) =>
    weights.get(type) ?? weights.get(group) ?? weights.get('*/*') ?? 0
  return weightOf('text/html', 'text/*') > weightOf('application/json', 'application/*')
}
