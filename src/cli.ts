#!/usr/bin/env bun
import { makeContext, runProgram } from './commands/context.ts'
import { makeProgram } from './commands/program.ts'
import { readConfig } from './config.ts'

await runProgram(() => makeProgram(makeContext(readConfig(process.env))))
