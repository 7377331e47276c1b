import type { DataFormat } from '../formats/columns.ts'

const maxPartLength = 40
const maxListed = 3

/** `Content-Disposition` for rows that are served as a file, so that browsers and spreadsheets save them
 * under a meaningful name. JSON has none: it is read in place. A name contains only letters, digits and
 * `.-_`, because anything else could end the header or name a folder.
 *
 * @param parts what the rows are, whose they are, and for which day; a list is represented by its first
 *   members */
export function asFile(
  format: DataFormat | 'arrow',
  ...parts: readonly (string | readonly string[])[]
): Readonly<Record<string, string>> {
  if (format === 'json') return {}
  const name = ['asfiled', ...parts.map(part => (typeof part === 'string' ? part : shortened(part)))]
    .map(part => part.replaceAll(/[^\w.-]+/g, '_').slice(0, maxPartLength))
    .join('-')
  return { 'Content-Disposition': `attachment; filename="${name}.${format}"` }
}

function shortened(list: readonly string[]): string {
  const rest = list.length - maxListed
  return rest > 0 ? `${list.slice(0, maxListed).join('_')}_and_${rest}_more` : list.join('_')
}
