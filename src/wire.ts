import { resolve } from 'node:path'

import type { Clock } from './ports/clock.ts'
import type { Source } from './ports/source.ts'
import type { Store } from './ports/store.ts'
import type { FilesSourceSpec, FlowFile, FlowSpec } from './pipeline/flow-spec-type.ts'
import { csvOptionsOf } from './pipeline/flow-spec-source.ts'
import { TidemarkError } from './core/errors.ts'
import { openFiles } from './sources/files/files.ts'
import { MemoryStore } from './stores/memory/memory-store.ts'
import { SqliteStore } from './stores/sqlite/sqlite-store.ts'

/** The clock of the machine. */
export const systemClock: Clock = { micros: () => BigInt(Date.now()) * 1000n }

/** The store that a flow file names. @throws TidemarkError `STORE_BUSY`, `STORE_UNKNOWN`, `NOT_FOUND` */
export function openStore({ store, base }: FlowFile, mode: 'write' | 'read'): Store {
  if ('memory' in store) return new MemoryStore()
  return new SqliteStore(resolve(base, store.sqlite), mode)
}

/** The source that a flow names. @throws TidemarkError `USAGE` where events come from code */
export function openSource(flow: FlowSpec, base: string): Source {
  switch (flow.source.kind) {
    case 'files':
      return openFiles(fileOptions(flow.source, base))
    case 'events':
      throw new TidemarkError(
        'USAGE',
        `flow "${flow.name}" is fed from code; there is nothing to run`,
      )
  }
}

function fileOptions(source: FilesSourceSpec, base: string): Parameters<typeof openFiles>[0] {
  const { files, format, max_record_bytes } = source
  return {
    base,
    patterns: files,
    maxRecordBytes: max_record_bytes,
    ...(format === null ? {} : { format }),
    csv: csvOptionsOf(source),
  }
}
