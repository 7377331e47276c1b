import { expect, test } from 'bun:test'
import { judgeSweep } from '../../../src/backtest/report/verdict.ts'
import { paperExample } from './fixtures.ts'

// Bailey & Lopez de Prado (2014), The Deflated Sharpe Ratio: the worked example and its printed .9004 and .9505.

test('the paper’s 100 trials are not proven, by its printed numbers', () => {
  const { survives, headline, sentences } = judgeSweep(paperExample(100), 250)
  expect(survives).toBe(false)
  expect(headline).toBe(
    'Not proven: the luck of picking the best of 100 is not ruled out (Deflated Sharpe ratio 0.900; at least 0.95 is required).',
  )
  // SR* = .113172 a day is 1.79 a year; 1 - .900397 = 10.0 %.
  expect(sentences[0]).toContain('You tried 100 configurations')
  expect(sentences[0]).toContain('an annualised Sharpe ratio of about 1.79. Yours shows 2.50.')
  expect(sentences[1]).toBe(
    'If its true Sharpe ratio were only 1.79, the probability that a record of 1,250 periods shows 2.50 or better would be 10.0%. At most 5% is accepted.',
  )
})

test('its 46 trials pass', () => {
  const { survives, headline } = judgeSweep(paperExample(46), 250)
  expect(survives).toBe(true)
  expect(headline).toStartWith('Passed: the luck of picking the best of 46 would seldom')
})

test('no sentence calls the ratio a probability of skill, and the last one denies it', () => {
  for (const trials of [100, 46] as const) {
    const { headline, sentences } = judgeSweep(paperExample(trials), 250)
    const words = [headline, ...sentences].join(' ')
    expect(words).not.toMatch(/(chance|probability) (that|of) (it|the strategy)?\s*(is|has)?\s*(real|skill)/i)
    expect(sentences.at(-1)).toStartWith('None of these figures is the probability')
  }
})

test('a ratio just under the threshold is not rounded up to it', () => {
  const { headline, sentences } = judgeSweep({ ...paperExample(100), dsr: 0.9499996, survives: false }, 250)
  expect(headline).toContain('Deflated Sharpe ratio just under 0.95;')
  expect(headline).toStartWith('Not proven')
  expect(sentences[1]).toContain('would be just over 5.0%')
})

test('nothing is deducted for selection from a single trial', () => {
  const one = { ...paperExample(100), trials: 1, sharpe_threshold: 0, trials_effective: 1, pbo: null }
  const { headline, sentences } = judgeSweep(one, 250)
  expect(headline).not.toContain('picking the best')
  expect(sentences[0]).toContain('nothing is deducted')
  expect(sentences.join(' ')).not.toContain('overfitting')
})

test('where the ratio does not exist, nothing is claimed', () => {
  const none = { ...paperExample(100), dsr: null, survives: false, sharpe_per_period: null }
  const { headline, sentences } = judgeSweep(none, 250)
  expect(headline).toContain('does not exist')
  expect(sentences).toHaveLength(1)
})

test('a short record never passes', () => {
  const short = { ...paperExample(46), n_periods: 29 }
  const { survives, headline, sentences } = judgeSweep(short, 250)
  expect(survives).toBe(false)
  expect(headline).toStartWith('Too short to tell')
  expect(sentences[0]).toStartWith('The record has only 29 periods.')
  expect(judgeSweep({ ...short, n_periods: 30 }, 250).headline).toStartWith('Passed')
})
