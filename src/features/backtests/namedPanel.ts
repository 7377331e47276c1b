import type { NamedPanel } from '../../backtest/pipeline/runRequest.ts'
import { Failure } from '../../errors.ts'
import { openPanel, type PanelDeps } from '../panels/panels.ts'

/** Longer bodies are not searched: few of them name a panel, and searching must cost next to nothing. */
const maxSearchedBytes = 16_384

const namedPanel = /"panel"\s*:\s*"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/

/**
 * The rows of the stored panel that a JSON body seems to name, so that the thread that reads the body can run it at once
 * instead of asking for its rows. The body is only searched, not read: null if it seems to name none, or none that the key
 * has, and the thread then asks.
 */
export async function openNamedPanel(
  panels: PanelDeps,
  keyId: number,
  body: Uint8Array,
): Promise<NamedPanel | null> {
  if (body.length > maxSearchedBytes) return null
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')
  const panelId = namedPanel.exec(text)?.[1]
  if (panelId === undefined) return null
  try {
    return { panelId, data: await openPanel(panels, keyId, panelId) }
  } catch (error) {
    // The body may have another fault, which is reported first.
    if (error instanceof Failure) return null
    throw error
  }
}
