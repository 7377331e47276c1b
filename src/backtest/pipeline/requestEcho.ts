import type { BacktestSettings } from '../codec/settings.ts'
import type { BacktestRequestUsed, BacktestSourceUsed } from '../result.ts'

/** What the rows of a request turned out to be. */
interface UsedRows {
  /** Null for a panel. */
  readonly dataVersion: number | null
  /** Undefined for a panel. */
  readonly source?: BacktestSourceUsed | undefined
}

/** The request that gives this result again, to the bit: as it was sent, with the data version that it ran on. Settings are not
 * filled in: a default may depend on the rows, and some warnings are only about what was left out. */
export function echoRequest(
  {
    config,
    include,
    pageOnly = [],
    sweep,
    evidence,
    benchmark,
    score,
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
  }
}

/** null stands for what was left out. */
function withoutNull({ market, horizon, from, to, limit, score, maxAgeDays }: BacktestSourceUsed) {
  return {
    ...(market === null ? {} : { market }),
    horizon,
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
    ...(limit === null ? {} : { limit }),
    ...(score === undefined ? {} : { score, maxAgeDays }),
  }
}

/** The field of a result; none for rows of the caller's own without a version in the request. */
export const versionOf = (version: number | undefined): { data_version?: number } =>
  version === undefined ? {} : { data_version: version }
