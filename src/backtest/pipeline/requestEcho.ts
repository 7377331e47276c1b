import type { BacktestSettings } from '../codec/settings.ts'
import type { BacktestRequestUsed, BacktestSourceUsed } from '../result.ts'

/** The rows that a request turned out to use. */
interface UsedRows {
  /** Null for a panel. */
  readonly dataVersion: number | null
  /** Undefined for a panel. */
  readonly source?: BacktestSourceUsed | undefined
}

/** The request that reproduces this result bit for bit: as it was sent, plus the data version that it ran on.
 * Defaults are not filled in: a default may depend on the rows, and some warnings are only about omitted
 * settings. */
export function echoRequest(
  {
    config,
    include,
    pageOnly = [],
    sweep,
    evidence,
    benchmark,
    score,
    compare,
    scores,
    trialsAlreadyTried,
    factors,
    prices,
    panelId,
    dataVersion: sent,
  }: BacktestSettings,
  { dataVersion, source }: UsedRows,
): BacktestRequestUsed {
  const version = dataVersion ?? sent
  const sections = include.filter(section => !pageOnly.includes(section))
  return {
    ...versionOf(version),
    ...(source === undefined ? {} : { source: withoutNull(source) }),
    ...(typeof panelId !== 'string' ? {} : { panel: panelId }),
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(sweep ? { sweep } : {}),
    ...(sections.length === 0 ? {} : { include: [...sections] }),
    ...(evidence === undefined ? {} : { evidence }),
    ...(benchmark === undefined ? {} : { benchmark }),
    ...(score === undefined ? {} : { score }),
    ...(compare === undefined ? {} : { compare }),
    ...(scores === undefined ? {} : { scores: [...scores] }),
    ...(trialsAlreadyTried === undefined ? {} : { trials_already_tried: trialsAlreadyTried }),
    ...(factors === undefined ? {} : { factors }),
    ...(prices === undefined ? {} : { prices }),
  }
}

/** null represents a setting that was omitted. */
function withoutNull({
  market,
  horizon,
  from,
  to,
  limit,
  score,
  maxAgeDays,
  checks,
  prices,
}: BacktestSourceUsed) {
  return {
    ...(market === null ? {} : { market }),
    horizon,
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
    ...(limit === null ? {} : { limit }),
    ...(score === undefined ? {} : { score, maxAgeDays }),
    ...(checks === undefined ? {} : { checks }),
    ...(prices === undefined ? {} : { prices }),
  }
}

/** The field of a result; absent for the caller's own rows if the request has no version. */
export const versionOf = (version: number | undefined): { data_version?: number } =>
  version === undefined ? {} : { data_version: version }
