import type { Command } from 'commander'
import packageFile from '../../package.json'
import type { CliContext } from './context.ts'

const help = `An assistant starts this command itself, as its configuration says, and talks to it over standard input and output.
The tools call the HTTP API of a running server, so the limits and licence of the key apply.

Settings: ASFILED_URL (the server; default: that of HOST and PORT) and ASFILED_KEY (default: demo).

Assistants that connect by HTTP find the same tools at /mcp of every server.

Examples:
  ASFILED_URL=https://data.example.com ASFILED_KEY=asf_live_... ./asfiled mcp
  npx @modelcontextprotocol/inspector --cli ./asfiled mcp --method tools/list`

/** `mcp`: serves the agent tools to one assistant. */
export function addMcpCommand(program: Command, { config }: CliContext): void {
  program
    .command('mcp')
    .description('Serve the agent tools (MCP) on standard input and output')
    .addHelpText('after', help)
    .action(async () => {
      // Other commands need not wait until this is read.
      const { serveTools } = await import('../features/agentTools/stdio.ts')
      serveTools({
        address: config.agentUrl,
        key: config.agentKey,
        version: packageFile.version,
        report: line => console.error(`asfiled: ${line}`),
      })
    })
}
