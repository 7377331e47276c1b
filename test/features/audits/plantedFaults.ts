import { expect, test } from 'bun:test'
import {
  adjustedColumns,
  announcedRows,
  auditFaults,
  emptyOutcome,
  type Outcome,
  perShareColumns,
  printOutcome,
  requireNothingWrong,
  restatedRows,
  splitRows,
  timedRows,
} from './plantedPanels.ts'
import type { RealFigures } from './realFigures.ts'
import { type FaultKind, faultKinds, monthlyRows, randomOf } from './realPanel.ts'

/* The guarantees of an audit, on panels of real figures. What each cell has to be comes from the plain rule in judge.ts. */

export interface Size {
  /** Panels of random columns; a panel has 20. */
  readonly panels: number
  /** Months from one row of a company to the next. */
  readonly everyMonths: number
  /** The least number of faults of each kind, and of honest cells. */
  readonly faults: Readonly<Record<FaultKind, number>>
  readonly honest: number
}

const isAccused = (state: string) => ['restated', 'early', 'other_company'].includes(state)

function requireNoAccusation({ honestStates }: Outcome): void {
  expect([...honestStates.keys()].filter(isAccused)).toEqual([])
}

export function testPlantedFaults(figuresOf: () => RealFigures, size: Size): void {
  const { panels, everyMonths } = size

  test('every planted fault is found, in its state and with its filing', async () => {
    const figures = figuresOf()
    const outcome = emptyOutcome()
    const rows = monthlyRows(figures, false, everyMonths)
    await auditFaults(figures, { seed: 1, panels, rows, share: 0.25 }, outcome)
    const inclusiveRows = monthlyRows(figures, true, everyMonths)
    const inclusive = { rows: inclusiveRows, settings: { inclusive: true } }
    await auditFaults(figures, { seed: 2, panels: 1, share: 0.1, columns: 10, ...inclusive }, outcome)
    const each = Math.max(1, 2 * panels)
    const restated = restatedRows(figures, randomOf(3), each)
    await auditFaults(figures, { seed: 3, panels, rows: restated, share: 0.9, kinds: ['final'] }, outcome)
    const perShare = { columnsFor: perShareColumns, columns: 10 }
    const ofSplits = splitRows(figures, panels === 1 ? 5 : 1)
    await auditFaults(
      figures,
      { seed: 4, panels: 1, rows: ofSplits, share: 0.15, kinds: ['split'], ...perShare },
      outcome,
    )
    printOutcome('Planted faults', outcome)
    requireNothingWrong(outcome)
    requireNoAccusation(outcome)
    const planted = Object.fromEntries([...outcome.faults].map(([kind, tally]) => [kind, tally.planted]))
    for (const kind of faultKinds) expect([kind, planted[kind] >= size.faults[kind]]).toEqual([kind, true])
  })

  test('a column in which most cells look ahead is read correctly, and each of them is found', async () => {
    const figures = figuresOf()
    const outcome = emptyOutcome()
    const rows = monthlyRows(figures, false, everyMonths)
    const own = rows.filter(({ ticker }) => ticker === 'AAPL' || ticker === 'GOOGL')
    const kinds: FaultKind[] = ['shifted', 'final']
    await auditFaults(figures, { seed: 5, panels, rows, share: 0.95, kinds }, outcome)
    await auditFaults(figures, { seed: 6, panels, rows: own, share: 0.95, kinds }, outcome)
    const adjusted = { columnsFor: adjustedColumns, columns: 10 }
    await auditFaults(
      figures,
      { seed: 7, panels, rows: own, share: 0.2, ...adjusted, kinds: ['shifted'] },
      outcome,
    )
    await auditFaults(
      figures,
      { seed: 8, panels, rows: own, share: 0.9, ...adjusted, kinds: ['shifted'] },
      outcome,
    )
    printOutcome('Columns that look ahead', outcome)
    requireNothingWrong(outcome)
    expect(outcome.faults.get('shifted')?.asPlanted).toBeGreaterThan(1_000)
  })

  test('no honest cell is called early, restated or of another company', async () => {
    const figures = figuresOf()
    const outcome = emptyOutcome()
    const rows = monthlyRows(figures, false, everyMonths)
    await auditFaults(figures, { seed: 9, panels, rows, share: 0 }, outcome)
    const inclusive = { settings: { inclusive: true } }
    const inclusiveRows = monthlyRows(figures, true, everyMonths)
    await auditFaults(figures, { seed: 10, panels: 1, rows: inclusiveRows, share: 0, ...inclusive }, outcome)
    const adjusted = { columnsFor: adjustedColumns, columns: 10 }
    await auditFaults(figures, { seed: 11, panels: 1, rows, share: 0, ...adjusted }, outcome)
    const announced = { panels: 3 * panels, share: 0, announces: true }
    await auditFaults(figures, { seed: 12, rows: announcedRows(figures, false), ...announced }, outcome)
    const sameDay = announcedRows(figures, true)
    await auditFaults(figures, { seed: 13, rows: sameDay, ...announced, ...inclusive }, outcome)
    await auditFaults(figures, { seed: 14, rows: timedRows(figures), ...announced }, outcome)
    printOutcome('Honest cells', outcome)
    requireNothingWrong(outcome)
    requireNoAccusation(outcome)
    expect(outcome.honest).toBeGreaterThanOrEqual(size.honest)
    expect(outcome.honestStates.get('announced')).toBeGreaterThan(500)
  })

  test('at the second of acceptance a figure is known, and a second before it is announced or early', async () => {
    const figures = figuresOf()
    const rows = timedRows(figures)
    const outcome = await auditFaults(figures, {
      seed: 15,
      panels,
      rows,
      share: 0.3,
      kinds: ['shifted', 'stale'],
    })
    printOutcome('Rows with times', outcome)
    requireNothingWrong(outcome)
    requireNoAccusation(outcome)
    expect(outcome.faults.get('shifted')?.planted).toBeGreaterThan(500)
  })
}
