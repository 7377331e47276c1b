/** Prefixes of taxonomies that many companies use. All others are a company's own. */
const sharedPrefix =
  /^(us-gaap|srt|dei|country|currency|exch|invest|naics|sic|stpr|ecd|cyd|ifrs[\w-]*|dart|jp[\w-]+)$/

/**
 * Equal for tags that mean the same. For a company's own tag, data sets write `custom:Streams` where the filing's documents
 * have the company's prefix, `nflx:Streams`. OpenDART writes `ifrs-full_Assets`.
 */
export function tagKey(tag: string): string {
  const colon = tag.indexOf(':')
  if (colon < 0 && /^(ifrs[a-z-]*|dart)_/.test(tag)) return tag.replace('_', ':')
  return isOwnTag(tag) ? `own:${tag.slice(colon + 1)}` : tag
}

/** `tagKey(tag) === key`, at once for nearly all tags that have another key. */
export const hasTagKey = (tag: string, key: string): boolean =>
  tag === key || (tag.endsWith(localName(key)) && tagKey(tag) === key)

/** Whether the company defined the tag itself. */
export const isOwnTag = (tag: string): boolean =>
  !tag.startsWith('us-gaap:') && !sharedPrefix.test(tag.slice(0, Math.max(0, tag.indexOf(':'))))

/** The part of a tag after its prefix. */
export const localName = (tag: string): string => tag.slice(tag.indexOf(':') + 1)

/**
 * Equal for axes that are the same: data sets write `Geographical` where documents have
 * `srt:StatementGeographicalAxis`, and taxonomies move axes from one prefix to another.
 */
export const axisKey = (axis: string): string =>
  localName(axis)
    .replace(/Axis$/, '')
    .replace(/^Statement(?=.)/, '')
