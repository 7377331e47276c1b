/**
 * Rewrites what the API tells programs (addresses and parameters) for a model that calls tools: refusals and
 * notes name tools and their arguments. Sentences that make sense only to callers of the API are dropped.
 */

const phrases: readonly (readonly [RegExp, string])[] = [
  [
    /GET \/api\/search\?q= finds the ID for a name, GET \/api\/v1\/coverage\/\{id\} for a register number\./g,
    'search_companies finds the ID for a name or a number.',
  ],
  [
    /GET \/api\/v1\/reported\?ticker=\S+ shows every axis of a tag\./g,
    'get_tag with dimensions all shows every axis of a tag.',
  ],
  [/GET \/api\/search\?q= finds/g, 'search_companies finds'],
  [
    /Send names separated by commas; GET \/api\/v1\/fundamentals without ticker lists all metrics\./g,
    'get_coverage without tickers lists all metrics.',
  ],
  [/GET \/api\/v1\/fundamentals without ticker lists/g, 'get_coverage without tickers lists'],
  [/GET \/api\/v1\/fundamentals lists the markets that report it\./g, 'get_coverage lists its metrics.'],
  [/POST \/api\/v1\/panels\b/g, 'the API'],
  [/; the headers show how many requests are left/g, ''],
  [/`next` continues/g, 'call again with cursor'],
  [/\(?`?\b(min|max)_<metric>`?\)?/g, 'filters'],
]

/** API parameters that have other names as arguments. */
const argumentNames: Readonly<Record<string, string>> = {
  ticker: 'tickers',
  metric: 'metrics',
  holdDays: 'hold_days',
  returnDays: 'return_days',
  costBps: 'cost_bps',
  borrowBps: 'borrow_bps',
  maxAgeDays: 'max_age_days',
  meanBlock: 'mean_block',
  testGroups: 'test_groups',
}

/** Matches `as_of=2030-01-01` and `min_roe=0.1`, but not equations, which have spaces around the sign. */
const assignment = /\b([A-Za-z][A-Za-z_.]*)=(?=[^\s=])/g
const camelCase = /\b(holdDays|returnDays|costBps|borrowBps|maxAgeDays|meanBlock|testGroups)\b/g
const subject =
  /(^|[.:;] |\bOmit |\bomit |\bSend |\bsend |\bin )(ticker|metric)(?= (?:names|has|lists|is|of)\b|[.,:;])/g

const ofHttp =
  /\b(?:GET|POST|PUT|PATCH|DELETE) \/|\/api\/|\bHTTP\b|[?&]\w+=|\b[Hh]eaders?\b|\b[Qq]uery parameter/

function nameOf(parameter: string): string {
  const bound = /^(?:min|max)_(.+)$/.exec(parameter)
  if (bound !== null && parameter !== 'max_age_days' && parameter !== 'max_characters')
    return `filters of ${bound[1]}`
  return argumentNames[parameter] ?? parameter
}

export function inToolWords(text: string): string {
  let said = text
  for (const [phrase, words] of phrases) said = said.replace(phrase, words)
  said = said
    .replace(assignment, (_, parameter: string) => `${nameOf(parameter)} `)
    .replace(camelCase, name => argumentNames[name] ?? name)
    .replace(subject, (_, before: string, name: string) => `${before}${argumentNames[name] ?? name}`)
  if (!ofHttp.test(said)) return said
  const sentences = said.split(/(?<=[.!?])\s+/).filter(sentence => !ofHttp.test(sentence))
  return sentences.length === 0 ? withoutWords : sentences.join(' ')
}

const withoutWords = 'The service refused this call. Check the arguments against the description of the tool.'
