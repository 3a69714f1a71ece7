import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { TidemarkError } from '../core/errors.ts'
import { refuseSpec } from '../pipeline/flow-spec-problems.ts'
import { parseFlowFile } from '../pipeline/flow-spec.ts'
import type { FlowFile } from '../pipeline/flow-spec-type.ts'
import { substitute, type Environment } from './environment.ts'
import { parseYaml } from './yaml-text.ts'

/**
 * Reads a flow file, YAML or JSON, and puts in values of the environment.
 *
 * @throws TidemarkError `NOT_FOUND`, `SPEC_INVALID` with the line of a syntax error or every problem
 *   by its path, `FLOWS_DISAGREE`; no message has a value of the environment
 */
export function loadFlowFile(path: string, env: Environment): FlowFile {
  const written = parseYaml(read(path), path)
  const { value, problems } = substitute(written, env)
  if (problems.length > 0) refuseSpec(problems, path)
  return parseFlowFile(value, dirname(resolve(path)), { file: path, written })
}

function read(path: string): string {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw new TidemarkError(
      'NOT_FOUND',
      `the flow file ${path} ${reasonOf(error)}`,
      { path },
      error,
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new TidemarkError('SPEC_INVALID', `${path} is not UTF-8 text`, { path }, error)
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  switch (code) {
    case 'ENOENT':
      return 'does not exist'
    case 'EISDIR':
      return 'is a directory'
    case 'EACCES':
    case 'EPERM':
      return 'may not be read'
    default:
      return `cannot be read (${String(code)})`
  }
}
