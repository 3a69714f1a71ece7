import type { CompiledExpressions, Expressions, ExpressionSpec } from '../ports/expressions.ts'
import type { FlowSpec, SequenceSpec } from './flow-spec-type.ts'
import { plainColumn } from '../core/condition.ts'

/** What `select` computes: the names in order, their compiled expressions, and which columns it renames away. */
export type Selection = {
  readonly names: readonly string[]
  readonly compiled: CompiledExpressions | null
  readonly renamed: ReadonlySet<string>
}

/** The SQL of a flow, compiled, and which result means what. */
export type FlowExpressions = {
  readonly selection: Selection
  /** One statement for all conditions, null where the flow has none. */
  readonly conditions: CompiledExpressions | null
  /** Index of each result, null where the flow does not have it. */
  readonly where: number | null
  readonly truncates: number | null
  readonly deletes: number | null
  readonly expectations: readonly number[]
  /** Results of computed sequence parts by part; null for parts that are columns. */
  readonly sequence: readonly (number | null)[]
  readonly system: readonly (number | null)[]
}

/** Compiles all of a flow's SQL: `select` in one statement, everything judged after it in another. */
export function compileFlow(flow: FlowSpec, expressions: Expressions): FlowExpressions {
  const selects = Object.entries(flow.select ?? {})
  const collector = new Collector()
  const where = collector.add('where', flow.where, 'condition')
  const truncates = collector.add(
    'apply_as_truncates',
    flow.apply_as_truncates === false ? null : flow.apply_as_truncates,
    'condition',
  )
  const deletes = collector.add('apply_as_deletes', flow.apply_as_deletes, 'condition')
  const expectations = flow.expectations.flatMap(({ name, expect }) => {
    const index = collector.add(`expectation ${name}`, expect, 'condition')
    return index === null ? [] : [index]
  })
  const sequence = computedParts(collector, 'sequence_by', flow.sequence_by)
  const system = computedParts(collector, 'system_sequence_by', flow.system_sequence_by)

  return {
    selection: {
      names: selects.map(([name]) => name),
      compiled:
        selects.length === 0
          ? null
          : expressions.compile(
              selects.map(([name, sql]) => ({ name: `select ${name}`, sql, kind: 'value' })),
            ),
      renamed: new Set(selects.flatMap(([name, sql]) => renamedColumn(name, sql))),
    },
    conditions: collector.specs.length === 0 ? null : expressions.compile(collector.specs),
    where,
    truncates,
    deletes,
    expectations,
    sequence,
    system,
  }
}

/** Every column that a flow names anywhere, each once. */
export function namedColumns(flow: FlowSpec, compiled: FlowExpressions): string[] {
  const parts = [...flow.sequence_by.parts, ...(flow.system_sequence_by?.parts ?? [])]
  return [
    ...new Set([
      ...flow.keys,
      ...parts.flatMap(({ column }) => column ?? []),
      ...(flow.time_by === null ? [] : [flow.time_by]),
      ...(flow.columns_to_update === null ? [] : [flow.columns_to_update]),
      ...(compiled.selection.compiled?.columns ?? []),
      ...(compiled.conditions?.columns ?? []),
      ...Object.keys(flow.columns),
      ...(flow.column_list ?? []),
      ...(flow.except_column_list ?? []),
      ...(flow.ignore_null_updates_column_list ?? []),
      ...(flow.ignore_null_updates_except_column_list ?? []),
      ...(flow.track_history_column_list ?? []),
      ...(flow.track_history_except_column_list ?? []),
    ]),
  ]
}

/** Gathers expressions, so that one round trip to SQLite evaluates them all. */
class Collector {
  readonly specs: ExpressionSpec[] = []

  add(name: string, sql: string | null, kind: ExpressionSpec['kind']): number | null {
    if (sql === null) return null
    return this.specs.push({ name, sql, kind }) - 1
  }
}

function computedParts(
  collector: Collector,
  name: string,
  spec: SequenceSpec | null,
): (number | null)[] {
  return (spec?.parts ?? []).map(({ expr }) => collector.add(name, expr, 'value'))
}

/** `select: { id: user_id }` renames: the old name is gone. */
function renamedColumn(name: string, sql: string): string[] {
  const column = plainColumn(sql)
  return column === null || column === name ? [] : [column]
}
