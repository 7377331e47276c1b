export interface MarketSize {
  readonly market: string
  /** Entities in the full service. */
  readonly entities: number
  /** Minimum and maximum number of fiscal years per entity. */
  readonly years: readonly [number, number]
  readonly isQuarterly: boolean
  readonly unit: string
  /** MMDD. */
  readonly yearEnd: string
  /** Share of filings that restate the previous year. */
  readonly restated: number
  readonly legalForms: readonly string[]
}

const size = (
  market: string,
  entities: number,
  years: readonly [number, number],
  unit: string,
  more: Partial<MarketSize> = {},
): MarketSize => ({
  market,
  entities,
  years,
  unit,
  isQuarterly: false,
  yearEnd: '1231',
  restated: 0.05,
  legalForms: [],
  ...more,
})

/** The sizes of the specification. */
export const marketSizes: readonly MarketSize[] = [
  size('US', 9_713, [4, 15], 'USD', { isQuarterly: true, restated: 0.1 }),
  size('TW', 1_946, [2, 8], 'TWD', { isQuarterly: true }),
  size('KR', 3_961, [4, 10], 'KRW', { restated: 0.1 }),
  size('JP', 4_960, [5, 10], 'JPY', { yearEnd: '0331' }),
  size('NZ', 45_245, [3, 12], 'NZD', { yearEnd: '0331' }),
  size('DK', 549_000, [1, 4], 'DKK', { legalForms: ['ApS', 'A/S', 'Holding ApS', 'I/S', ''] }),
  size('BE', 674_000, [1, 4], 'EUR', { legalForms: ['BV', 'NV', 'SRL', 'SA', 'VZW', ''] }),
  size('FR', 1_490_000, [1, 5], 'EUR', { legalForms: ['SARL', 'SAS', 'SCI', 'EURL', 'SA', ''] }),
]

export const allEntities = marketSizes.reduce((sum, { entities }) => sum + entities, 0)
