import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server'
import type { Static, TObject } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { type PerformRequest, type ToolCall, ToolRefusal } from './api.ts'
import { readArguments } from './arguments.ts'
import { protocolSchema } from './schemas.ts'

export interface ToolAnswer<Structured> {
  readonly structured: Structured
  readonly text: string
}

interface ToolParts<Input extends TObject, Output extends TObject> {
  readonly name: string
  readonly title: string
  /** Tells a model that chooses among tools what this one returns and when to use another. */
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly annotations?: ToolAnnotations
  readonly run: (args: Static<Input>, call: ToolCall) => Promise<ToolAnswer<Static<Output>>>
}

/** How tools reach the API and where defects are reported. */
export interface ToolDeps {
  readonly perform: PerformRequest
  readonly report: (error: unknown) => void
}

export interface Tool {
  readonly name: string
  readonly register: (server: McpServer, deps: ToolDeps) => void
}

const readOnly: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Defines a tool. Everything that its connections share is built once. */
export function defineTool<Input extends TObject, Output extends TObject>(
  parts: ToolParts<Input, Output>,
): Tool {
  const { name, title, description, input, output, annotations = readOnly, run } = parts
  const check = TypeCompiler.Compile<TObject>(input)
  const config = {
    title,
    description,
    inputSchema: protocolSchema(input, 'input'),
    outputSchema: protocolSchema(output, 'output'),
    annotations,
  }
  return {
    name,
    register: (server, deps) =>
      void server.registerTool(name, config, async (sent, context): Promise<CallToolResult> => {
        try {
          const args = readArguments(name, input, check, sent)
          const { structured, text } = await run(args, toolCall(deps, context))
          return { content: [{ type: 'text', text }], structuredContent: { ...structured } }
        } catch (error) {
          return refused(deps, context, error)
        }
      }),
  }
}

function toolCall({ perform }: ToolDeps, context: ServerContext): ToolCall {
  const { signal, _meta, notify } = context.mcpReq
  const progressToken = _meta?.progressToken
  return {
    signal,
    request: request => perform(request, signal),
    requestAnyway: request => perform(request, AbortSignal.timeout(tidyTimeoutMs)),
    reportProgress: async (progress, total, message) => {
      if (progressToken === undefined || signal.aborted) return
      const params = { progressToken, progress, message, ...(total === null ? {} : { total }) }
      // The client may no longer be listening.
      await notify({ method: 'notifications/progress', params }).catch(() => {})
    },
  }
}

const tidyTimeoutMs = 5_000

/**
 * Turns an error into a refusal in our words. Unexpected errors are reported, and their text never reaches a
 * client.
 */
function refused({ report }: ToolDeps, context: ServerContext, error: unknown): CallToolResult {
  const failure = error instanceof ToolRefusal ? error : unforeseen(report, context, error)
  const { code, message, near, retryAfterSeconds } = failure
  const hints = [
    `code: ${code}`,
    ...(near.length > 0 ? [`near: ${near.join(', ')}`] : []),
    ...(retryAfterSeconds === null ? [] : [`try again after ${retryAfterSeconds} s`]),
  ]
  return { isError: true, content: [{ type: 'text', text: `${message} (${hints.join('; ')})` }] }
}

function unforeseen(report: ToolDeps['report'], { mcpReq }: ServerContext, error: unknown): ToolRefusal {
  if (mcpReq.signal.aborted) return new ToolRefusal('cancelled', 'The call was cancelled.')
  report(error)
  return new ToolRefusal('internal', 'An internal error occurred in the tool. Its log has the details.')
}
