import type { Horizon } from '../../model/signal.ts'

const days = { '1d': 1, '3d': 3, '7d': 7 } as const

export function horizonDays(horizon: Horizon): 1 | 3 | 7 {
  return days[horizon]
}
