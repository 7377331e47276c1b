import { McpServer } from '@modelcontextprotocol/server'
import { registerResources } from './resources.ts'
import type { ToolDeps } from './tool.ts'
import { auditRows } from './tools/audit.ts'
import { runBacktest } from './tools/backtest.ts'
import { compareAsOf } from './tools/comparison.ts'
import { getCoverage } from './tools/coverage.ts'
import { getFundamentalsHistory, getLatestFundamentals } from './tools/fundamentals.ts'
import { getRestatements } from './tools/restatements.ts'
import { screen } from './tools/screen.ts'
import { searchCompanies } from './tools/search.ts'
import { getStatement } from './tools/statement.ts'
import { getTag } from './tools/tag.ts'

export const tools = [
  searchCompanies,
  getLatestFundamentals,
  getFundamentalsHistory,
  getCoverage,
  compareAsOf,
  getRestatements,
  getStatement,
  getTag,
  screen,
  auditRows,
  runBacktest,
]

const instructions = `Company figures from official filings, each with the day on which it was filed. as_of D sees only what was filed on or before D, as it stood then; without it, today. Days in the past and data_version need a licence, except for the flagship companies of a free key. Start with search_companies for the ID. Values are full amounts in the unit of the row, ratios are fractions (0.2 is 20%). Cite the day of filing with a figure. The same metric can mean different things in different markets: manifest://{market} says what. Answers are cut to 8,000 characters: left_out says what is missing, next continues. Not investment advice.`

export interface ToolServerInfo {
  readonly version: string
  /** Address of the service. */
  readonly website: string
}

/** A server of the tools: one per connection or, over HTTP, per message. */
export function toolServer(deps: ToolDeps, { version, website }: ToolServerInfo): McpServer {
  const server = new McpServer(
    { name: 'asfiled', title: 'asfiled: company figures as filed', version, websiteUrl: website },
    // These lists never change while a server runs.
    { instructions, capabilities: { tools: { listChanged: false }, resources: { listChanged: false } } },
  )
  for (const tool of tools) tool.register(server, deps)
  registerResources(server, deps)
  return server
}
