import type { CallToolResult, McpServer, ServerContext, ToolAnnotations } from '@modelcontextprotocol/server'
import type { Static, TObject } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { ValueErrorType } from '@sinclair/typebox/errors'
import { type PerformRequest, type ToolCall, ToolRefusal } from './api.ts'
import { protocolSchema } from './schemas.ts'

export interface ToolAnswer<Structured> {
  readonly structured: Structured
  readonly text: string
}

interface ToolParts<Input extends TObject, Output extends TObject> {
  readonly name: string
  readonly title: string
  /** For a model that picks one of the tools: what it answers, and when to use another. */
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly annotations?: ToolAnnotations
  readonly run: (args: Static<Input>, call: ToolCall) => Promise<ToolAnswer<Static<Output>>>
}

/** How tools reach the API, and where a defect is reported. */
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

/** A tool, with everything that is the same for all connections made once. */
export function defineTool<Input extends TObject, Output extends TObject>(
  parts: ToolParts<Input, Output>,
): Tool {
  const { name, title, description, input, output, annotations = readOnly, run } = parts
  const check = TypeCompiler.Compile<TObject>(input)
  const config = {
    title,
    description,
    inputSchema: protocolSchema(input),
    outputSchema: protocolSchema(output),
    annotations: { title, ...annotations },
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
      // A client that no longer listens has no use for it.
      await notify({ method: 'notifications/progress', params }).catch(() => {})
    },
  }
}

const tidyTimeoutMs = 5_000

/** A refusal in our words. What was not foreseen is reported, and its text reaches no client. */
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

const maxShown = 60

/** The arguments as the tool reads them. `null` counts as left out: some models send it for what they do not set. */
function readArguments<Input extends TObject>(
  tool: string,
  input: Input,
  check: TypeCheck<TObject>,
  sent: unknown,
): Static<Input> {
  const args: unknown =
    typeof sent === 'object' && sent !== null && !Array.isArray(sent)
      ? Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
      : (sent ?? {})
  if (isInput(input, check, args)) return args
  throw new ToolRefusal('parameter_invalid', faultOf(tool, input, check, args))
}

const isInput = <Input extends TObject>(
  _: Input,
  check: TypeCheck<TObject>,
  args: unknown,
): args is Static<Input> => check.Check(args)

function faultOf(tool: string, input: TObject, check: TypeCheck<TObject>, args: unknown): string {
  const fault = check.Errors(args).First()
  const name = (fault?.path ?? '').slice(1).replaceAll('/', '.')
  const top = name.split('.')[0] ?? ''
  if (fault === undefined || name === '')
    return `${tool} takes an object of arguments: ${Object.keys(input.properties).join(', ')}.`
  if (fault.type === ValueErrorType.ObjectAdditionalProperties)
    return `${tool} has no argument ${shown(name)}. It takes ${Object.keys(input.properties).join(', ')}.`
  const about = Object.hasOwn(input.properties, top) ? (input.properties[top].description ?? '') : ''
  if (fault.type === ValueErrorType.ObjectRequiredProperty && fault.value === undefined)
    return `${tool} needs ${shown(name)}. ${about}`
  return `${shown(name)} cannot be ${shown(JSON.stringify(fault.value) ?? 'nothing')}. ${about}`
}

const shown = (text: string) => {
  const plain = text.toWellFormed().replaceAll(/\p{C}/gu, '?')
  return plain.length > maxShown ? `${plain.slice(0, maxShown)}...` : plain
}
