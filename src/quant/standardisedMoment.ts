import { sampleMoments } from './sampleMoments.ts'

/** Mean of (x - mean)^power, divided by T: a population moment. */
function centralMoment(values: Float64Array, mean: number, power: number): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += (values[i] - mean) ** power
  return sum / values.length
}

/** Population moment m_power over m_2^(power / 2); null where `sampleMoments` finds no deviation. */
export function standardisedMoment(values: Float64Array, power: number): number | null {
  const { mean, deviation } = sampleMoments(values)
  if (deviation === null) return null
  return centralMoment(values, mean, power) / centralMoment(values, mean, 2) ** (power / 2)
}
