import { jsonText } from '../../index.ts'
import type { KeyLife, LifeEvent, LifeVersion, OutputRow } from '../../index.ts'
import { arrayText, objectText, rowText } from './json.ts'

/** The life of a key as one JSON object on one line, names in snake_case. */
export function historyJson({ target, key, events, versions }: KeyLife): string {
  return `${objectText({
    target: JSON.stringify(target.name),
    kind: JSON.stringify(target.kind),
    key: rowText(key),
    events: arrayText(events.map(eventText)),
    versions: arrayText(versions.map(versionText)),
  })}\n`
}

function eventText({ op, sequence, origin, flow, commit, written, row }: LifeEvent): string {
  return objectText({
    op: JSON.stringify(op),
    sequence: jsonText(sequence),
    origin: JSON.stringify(origin),
    flow: JSON.stringify(flow),
    commit: String(commit),
    written: JSON.stringify(written),
    row: rowOrNull(row),
  })
}

function versionText(version: LifeVersion): string {
  return objectText({
    start_at: jsonText(version.startAt),
    end_at: jsonText(version.endAt),
    start_time: jsonText(version.startTime),
    end_time: jsonText(version.endTime),
    system_start_at: jsonText(version.systemStartAt),
    system_end_at: jsonText(version.systemEndAt),
    row: rowText(version.row),
    writers: JSON.stringify(version.writers),
  })
}

function rowOrNull(row: OutputRow | null): string {
  return row === null ? 'null' : rowText(row)
}
