import { BugError, TidemarkError } from '../core/errors.ts'
import type { FlowSpec } from './flow-spec-type.ts'

/** A fault as events tell it. */
export function toldFault(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof TidemarkError) return { code: error.code, message: error.plainMessage }
  return { code: 'BUG', message: error instanceof Error ? error.message : String(error) }
}

/** A fault and the flow that it stopped. */
export type FlowFault = { readonly flow: FlowSpec; readonly error: TidemarkError }

/** The first fault, with the others in its message, a line each. */
export function joinedFault(faults: readonly FlowFault[]): TidemarkError {
  const [first, ...others] = faults
  if (first === undefined) throw new BugError('no fault')
  if (others.length === 0) return first.error
  const { code, details, plainMessage } = first.error
  const rest = others.map(({ flow, error }) => `\n  flow "${flow.name}": ${error.message}`)
  return new TidemarkError(code, plainMessage + rest.join(''), details, first.error)
}
