import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

import { LineCounter, parseDocument } from 'yaml'

import { TidemarkError } from '../core/errors.ts'
import { parseFlowFile } from '../pipeline/flow-spec.ts'
import type { FlowFile } from '../pipeline/flow-spec-type.ts'
import { substitute, type Environment } from './environment.ts'

/**
 * Reads a flow file, YAML or JSON, and puts in values of the environment.
 *
 * @throws TidemarkError `NOT_FOUND`, `SPEC_INVALID` with the line of a syntax error or every problem by its path
 */
export function loadFlowFile(path: string, env: Environment): FlowFile {
  const written = parseYaml(path, read(path))
  const { value, problems } = substitute(written, env, '')
  if (problems.length > 0) {
    throw new TidemarkError('SPEC_INVALID', `${path}: ${problems.join('\n  ')}`, { path })
  }
  return parseFlowFile(value, dirname(resolve(path)), { file: path, written })
}

function read(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    if (error instanceof TypeError) {
      throw new TidemarkError('SPEC_INVALID', `${path} is not UTF-8 text`, { path }, error)
    }
    throw new TidemarkError('NOT_FOUND', `the flow file ${path} cannot be read`, { path }, error)
  }
}

function parseYaml(path: string, text: string): unknown {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    intAsBigInt: true,
    uniqueKeys: true,
    lineCounter: lines,
    prettyErrors: false,
  })
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0])
    throw new TidemarkError('SPEC_INVALID', `${path}:${line}:${col}: ${error.message}`, { path })
  }
  return safeIntegers(document.toJS({ maxAliasCount: 100 }))
}

/** Integers that a double holds exactly become numbers; longer ones stay exact. */
function safeIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  }
  if (Array.isArray(value)) return value.map(safeIntegers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, safeIntegers(item)]))
}
