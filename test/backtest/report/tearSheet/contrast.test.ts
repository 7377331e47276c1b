import { describe, expect, test } from 'bun:test'
import { styleText } from '../../../../src/backtest/report/tearSheet/policy.ts'

// WCAG 2.2, success criteria 1.4.3 (text, 4.5) and 1.4.11 (graphics, 3), relative luminance as defined there.

const pairs = [
  ...styleText.split('@media print')[0].matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g),
]
/** Light, then dark. */
const colours = [2, 3].map(scheme => new Map(pairs.map(pair => [pair[1], pair[scheme]])))

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map(i => {
    const part = Number.parseInt(hex.slice(i, i + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

const heats = ['p1', 'p2', 'p3', 'p4', 'p5', 'n1', 'n2', 'n3', 'n4', 'n5']
const texts: [string, string][] = [
  ['ink', 'paper'],
  ['ink', 'card'],
  ['muted', 'paper'],
  ['muted', 'card'],
  ['link', 'paper'],
  ['link', 'card'],
  ['amber', 'paper'],
  ['bad', 'paper'],
  ['fall', 'paper'],
  ['notice-ink', 'notice'],
  ['passed', 'paper'],
  ['failed', 'paper'],
  ...heats.map((heat): [string, string] => ['on-heat', heat]),
]

describe.each([
  ['light', 0],
  ['dark', 1],
])('%s colours', (_, scheme) => {
  const colour = (name: string) => colours[scheme].get(name) ?? 'missing'

  test.each(texts)('%s is legible on %s', (text, ground) => {
    expect(contrast(colour(text), colour(ground))).toBeGreaterThanOrEqual(4.5)
  })

  test.each(['link', 'amber', 'fall', 'rise', 'muted', 'control'])('%s is seen on paper', graphic => {
    expect(contrast(colour(graphic), colour('paper'))).toBeGreaterThanOrEqual(3)
  })
})

test('every colour is read', () => {
  const all = [...styleText.matchAll(/--[\w-]+: light-dark\(/g)]
  expect(all.length).toBeGreaterThan(25)
  expect(pairs).toHaveLength(all.length)
})
