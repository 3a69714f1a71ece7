import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { adminOf, eventually, java, lines, type Broker } from './kafka.ts'
import type { Postgres } from './postgres.ts'
import { ServerProcess } from './server-process.ts'

const CONNECTOR = 'source'

/** What Debezium reads and how it writes it. */
export type DebeziumOptions = {
  readonly broker: Pick<Broker, 'bootstrap'>
  readonly postgres: Postgres
  /** Begins the names of its topics: `PREFIX.SCHEMA.TABLE`. Also the name of its slot and publication. */
  readonly prefix: string
  /** Tables, comma-separated regular expressions: `shop\\..*`. */
  readonly tables: string
  /** Whether keys and values carry the schema block. */
  readonly schemas: boolean
  /** More properties of the connector, or others than usual. */
  readonly properties?: Readonly<Record<string, string>>
}

/**
 * Debezium's connector for PostgreSQL in a standalone Kafka Connect. It delivers at least once: after
 * a `SIGKILL` it repeats what it had written since it last kept its position, every two seconds.
 */
export class Debezium implements AsyncDisposable {
  private readonly folder: string
  private readonly options: DebeziumOptions
  private server: ServerProcess | null = null

  /** Use {@link startDebezium}. */
  constructor(folder: string, options: DebeziumOptions) {
    this.folder = folder
    this.options = options
  }

  /** The last warnings and errors that Kafka Connect printed. */
  get output(): string {
    return this.server?.output ?? ''
  }

  /** Ends Kafka Connect if it runs, in good order, and starts it with the position that it kept. Does not wait for it. */
  async restart(): Promise<void> {
    await this.kill('SIGTERM')
    const worker = join(this.folder, 'worker.properties')
    const connector = join(this.folder, 'connector.properties')
    await writeFile(worker, lines(await this.worker()))
    await writeFile(connector, lines(this.connector()))
    const program = 'org.apache.kafka.connect.cli.ConnectStandalone'
    this.server = new ServerProcess(await java('debezium', [program, worker, connector]))
  }

  /** Ends Kafka Connect and waits until it is gone. `SIGKILL` gives it no time to keep its position. */
  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await this.server?.kill(signal)
  }

  /**
   * Resolves once all that is committed by now is in Kafka. Leaves a message in the log (topic
   * `PREFIX.message`), since a reader confirms only where something is to be read.
   *
   * @throws Error when that takes over a minute
   */
  async caughtUp(): Promise<void> {
    // Up to the end of its snapshot Debezium has a slot, but does not read it.
    await this.slot('active')
    const end = await this.options.postgres.text(`pg_logical_emit_message(true, 'mark', 'here')`)
    await this.slot(`confirmed_flush_lsn >= '${end}'`)
  }

  /** Resolves once a condition holds for the slot. */
  private async slot(condition: string): Promise<void> {
    const found = `count(*) FROM pg_replication_slots WHERE slot_name = '${this.options.prefix}' AND ${condition}`
    await eventually(async () => {
      if ((await this.options.postgres.text(found)) === '1') return
      throw new Error(`the slot of Debezium has not come to ${condition}:\n${this.output}`)
    })
  }

  /**
   * Resolves once Kafka has more records of the tables than when this was asked: a `SIGKILL` now is one
   * between what was written and what was kept of the position, so that records come again.
   */
  async writing(): Promise<void> {
    const before = await this.written()
    await eventually(async () => {
      if ((await this.written()) === before)
        throw new Error(`Debezium writes nothing:\n${this.output}`)
    })
  }

  /** How many records of the tables there are in Kafka. */
  private async written(): Promise<bigint> {
    await using admin = await adminOf(this.options.broker)
    const topics = await admin.listTopics()
    let count = 0n
    for (const topic of topics.filter((name) => name.startsWith(`${this.options.prefix}.`))) {
      const partitions = await eventually(() => admin.fetchTopicOffsets(topic))
      for (const { high } of partitions) count += BigInt(high)
    }
    return count
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGKILL')
    await rm(this.folder, { recursive: true })
  }

  private async worker(): Promise<Record<string, string>> {
    const { broker, schemas } = this.options
    return {
      'bootstrap.servers': broker.bootstrap,
      listeners: `http://127.0.0.1:${await freePort()}`,
      'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'key.converter.schemas.enable': String(schemas),
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'value.converter.schemas.enable': String(schemas),
      'offset.storage.file.filename': join(this.folder, 'offsets'),
      'offset.flush.interval.ms': '2000',
      'plugin.discovery': 'service_load',
    }
  }

  private connector(): Record<string, string> {
    const { postgres, prefix, tables, properties } = this.options
    return {
      name: CONNECTOR,
      'connector.class': 'io.debezium.connector.postgresql.PostgresConnector',
      'tasks.max': '1',
      'plugin.name': 'pgoutput',
      'database.hostname': '127.0.0.1',
      'database.port': String(postgres.port),
      'database.user': postgres.user,
      'database.password': 'none',
      'database.dbname': postgres.database,
      'slot.name': prefix,
      'publication.name': prefix,
      'publication.autocreate.mode': 'filtered',
      'topic.prefix': prefix,
      'table.include.list': tables,
      'topic.creation.default.replication.factor': '1',
      'topic.creation.default.partitions': '1',
      'heartbeat.interval.ms': '500',
      'provide.transaction.metadata': 'true',
      // Usually truncates are left out.
      'skipped.operations': 'none',
      ...properties,
    }
  }
}

/** Starts Debezium, without waiting for its snapshot: {@link Debezium.caughtUp} does. */
export async function startDebezium(options: DebeziumOptions): Promise<Debezium> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-debezium-'))
  const debezium = new Debezium(folder, options)
  await debezium.restart()
  return debezium
}
