import { withBody } from '../backtest/codec/bodyBytes.ts'
import type { SpooledBody } from '../backtest/panelFile/bodySpool.ts'
import {
  type BacktestSettings,
  makeFileBody,
  makePanelBody,
  type PanelBody,
  type PanelSource,
} from '../backtest/panelFile/panelBody.ts'
import { frameRows, type InputRows, loadRows } from './inputFile.ts'

/** The body of a backtest, and how to read it. */
export type OfflineBody = Omit<PanelBody, 'bytes' | 'head'> & { readonly body: SpooledBody }

/**
 * Builds the body of a backtest from the rows of a file.
 *
 * @param release receives the temporary files that are created
 */
export async function makeOfflineBody(
  { body: rows }: InputRows,
  name: string,
  source: Pick<PanelSource, 'format' | 'horizon'>,
  settings: BacktestSettings,
  release: InputRows[],
): Promise<OfflineBody> {
  if (!(rows instanceof Uint8Array)) {
    const made = await withBody(rows, file =>
      file instanceof Uint8Array ? null : makeFileBody(file, source, settings),
    )
    if (made !== null && made.frame === null) return { ...made, body: rows }
    if (made?.frame) {
      const framed = await frameRows(rows, made.frame)
      release.push(framed)
      return { ...made, body: framed.body }
    }
  }
  const bytes = await loadRows(rows, name)
  const { bytes: body, ...made } = await makePanelBody({ bytes, ...source }, settings)
  return { ...made, body }
}
