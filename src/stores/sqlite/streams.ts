import type { Stream } from '../../core/change.ts'
import { BugError } from '../../core/errors.ts'
import type { Connection } from './connection.ts'
import { PREFIX } from './names.ts'
import { numberOf } from './stamp-codec.ts'

/** Streams by number and by name, one object for each. */
export class Streams {
  private readonly connection: Connection
  private byId = new Map<number, Stream>()
  private byName = new Map<string, Stream>()

  constructor(connection: Connection) {
    this.connection = connection
    this.reload()
  }

  reload(): void {
    const before = this.byId
    this.byId = new Map()
    this.byName = new Map()
    for (const [id, flow, name, partition] of this.connection.all(
      `SELECT id, flow, name, partition FROM ${PREFIX}streams`,
    )) {
      const stream = {
        id: numberOf(id),
        flow: String(flow),
        name: String(name),
        partition: numberOf(partition),
      }
      this.remember(before.get(stream.id) ?? stream)
    }
  }

  of(id: number): Stream {
    const stream = this.byId.get(id)
    if (stream === undefined) throw new BugError(`no stream has the number ${id}`)
    return stream
  }

  ofFlow(name: string): readonly Stream[] {
    return [...this.byId.values()].filter(({ flow }) => flow === name)
  }

  named(flow: string, name: string, partition: number): Stream {
    const known = this.byName.get(nameKey(flow, name, partition))
    if (known !== undefined) return known
    this.connection.run(
      `INSERT INTO ${PREFIX}streams (flow, name, partition) VALUES (?, ?, ?)`,
      flow,
      name,
      partition,
    )
    const id = numberOf(this.connection.get('SELECT last_insert_rowid()')?.[0])
    return this.remember({ id, flow, name, partition })
  }

  private remember(stream: Stream): Stream {
    this.byId.set(stream.id, stream)
    this.byName.set(nameKey(stream.flow, stream.name, stream.partition), stream)
    return stream
  }
}

function nameKey(flow: string, name: string, partition: number): string {
  return JSON.stringify([flow, name, partition])
}
