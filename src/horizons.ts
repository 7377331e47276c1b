import { type Static, Type } from '@sinclair/typebox'

export const horizons = ['1d', '3d', '7d'] as const

export const Horizon = Type.Union([Type.Literal('1d'), Type.Literal('3d'), Type.Literal('7d')], {
  description: 'Days from the observation date to the realised return.',
})
export type Horizon = Static<typeof Horizon>

const days = { '1d': 1, '3d': 3, '7d': 7 } as const

export function horizonDays(horizon: Horizon): 1 | 3 | 7 {
  return days[horizon]
}
