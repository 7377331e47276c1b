import { expect, test } from 'bun:test'
import { explainSweep, headlineOf } from '../../../src/backtest/report/verdict.ts'
import { verdictLevels } from '../../../src/backtest/resultVerdict.ts'
import { madeResult, paperExample } from './fixtures.ts'

// Bailey & Lopez de Prado (2014), The Deflated Sharpe Ratio: the worked example and its printed .9004.

test('the paper’s 100 trials are explained by its printed numbers', () => {
  const sentences = explainSweep(paperExample(100), 250)
  // SR* = .113172 a day is 1.79 a year; 1 - .900397 = 10.0 %.
  expect(sentences[0]).toContain('100 configurations were tried')
  expect(sentences[0]).toContain('an annualised Sharpe ratio of about 1.79. This one shows 2.50.')
  expect(sentences[1]).toBe(
    'If its true Sharpe ratio were only 1.79, the probability that a record of 1,250 periods shows 2.50 or better would be 10.0%. At most 5% is accepted.',
  )
})

test('no sentence calls the ratio a probability of skill, and the last one denies it', () => {
  for (const trials of [100, 46] as const) {
    const sentences = explainSweep(paperExample(trials), 250)
    expect(sentences.join(' ')).not.toMatch(
      /(chance|probability) (that|of) (it|the strategy)?\s*(is|has)?\s*(real|skill)/i,
    )
    expect(sentences.at(-1)).toStartWith('None of these figures is the probability')
  }
})

test('a ratio just under the threshold is not rounded up to it', () => {
  const sentences = explainSweep({ ...paperExample(100), dsr: 0.9499996, survives: false }, 250)
  expect(sentences[1]).toContain('would be just over 5.0%')
})

test('nothing is deducted for selection from a single trial', () => {
  const one = { ...paperExample(100), trials: 1, sharpe_threshold: 0, trials_effective: 1, pbo: null }
  const sentences = explainSweep(one, 250)
  expect(sentences[0]).toContain('nothing is deducted')
  expect(sentences.join(' ')).not.toContain('overfitting')
})

test('where the ratio does not exist, nothing is explained', () => {
  const none = { ...paperExample(100), dsr: null, survives: false, sharpe_per_period: null }
  expect(explainSweep(none, 250)).toEqual([])
})

test('each level has its own sentence, and one test that is missing is not one that failed', () => {
  const { verdict } = madeResult([0.01])
  const headlines = verdictLevels.map(level => headlineOf({ ...verdict, level }))
  expect(new Set(headlines).size).toBe(verdictLevels.length)
  expect(headlineOf({ ...verdict, level: 'weak', superior: null })).toContain(
    'the one test that was computed',
  )
})
