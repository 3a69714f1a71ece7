import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { setTimeout } from 'node:timers/promises'
import { Kafka, logLevel, type Admin } from 'kafkajs'
import { freePort, isFree } from './free-port.ts'
import { classPath, type JarSet } from './jars.ts'
import { ServerProcess } from './server-process.ts'

const LOGGING = fileURLToPath(new URL('log4j2.properties', import.meta.url))

const PATIENCE_MS = 60_000

/** What may be asked of a broker. */
export type BrokerOptions = {
  /** Port of 127.0.0.1 that clients connect to. Any free one if not given. */
  readonly port?: number
  /** More properties of the server, or others than usual: `{'log.retention.ms': '1000'}`. */
  readonly properties?: Readonly<Record<string, string>>
}

/**
 * A broker of Apache Kafka on 127.0.0.1, alone in its cluster, with its data in a temporary folder.
 * Topics are made only on request. Disposal ends it and removes the data.
 */
export class Broker implements AsyncDisposable {
  readonly bootstrap: string
  private readonly folder: string
  private readonly port: number
  private server: ServerProcess | null = null

  /** Use {@link startBroker}. `folder` holds server.properties and formatted data. */
  constructor(folder: string, port: number) {
    this.folder = folder
    this.port = port
    this.bootstrap = `127.0.0.1:${port}`
  }

  /** The last warnings and errors that the broker printed. */
  get output(): string {
    return this.server?.output ?? ''
  }

  /** Ends the broker if it runs, in good order, and starts it again at the same address with the data it has. */
  async restart(): Promise<void> {
    await this.kill('SIGTERM')
    const server = new ServerProcess(
      await java('broker', ['kafka.Kafka', join(this.folder, 'server.properties')]),
    )
    this.server = server
    await server.listening(this.port)
    await this.leading()
  }

  /** Ends the broker and waits until it is gone. Its data stay, for {@link Broker.restart}. */
  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await this.server?.kill(signal)
  }

  /** Resolves once the broker is gone. */
  async ended(): Promise<void> {
    await this.server?.ended
  }

  /**
   * Resolves once the broker leads every partition and takes consumer groups. Right after its start
   * it does neither, and kafkajs does not wait for that.
   */
  private async leading(): Promise<void> {
    await using admin = await adminOf(this)
    await eventually(() => admin.describeGroups(['nobody']))
    for (const topic of await admin.listTopics()) {
      await eventually(() => admin.fetchTopicOffsets(topic))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGKILL')
    await rm(this.folder, { recursive: true })
  }
}

/**
 * Starts a broker and waits until it answers, some three seconds. Several may run side by side.
 *
 *     await using broker = await startBroker()
 *     const kafka = clientOf(broker)
 *
 * @throws Error when the jars are missing (see describe-with-kafka.ts), the port is taken or the broker does not start
 */
export async function startBroker(options: BrokerOptions = {}): Promise<Broker> {
  const port = options.port ?? (await freePort())
  if (!(await isFree(port))) throw new Error(`port ${port} is taken`)
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-kafka-'))
  const broker = new Broker(folder, port)
  try {
    const file = join(folder, 'server.properties')
    const properties = { ...(await serverProperties(folder, port)), ...options.properties }
    await writeFile(file, lines(properties))
    await format(file)
    await broker.restart()
    return broker
  } catch (error) {
    await broker[Symbol.asyncDispose]()
    throw error
  }
}

/** A client of a broker that prints nothing. */
export function clientOf({ bootstrap }: Pick<Broker, 'bootstrap'>): Kafka {
  return new Kafka({ brokers: [bootstrap], logLevel: logLevel.NOTHING })
}

/** An administrator that is connected until it is disposed of. */
export async function adminOf(broker: Pick<Broker, 'bootstrap'>): Promise<Admin & AsyncDisposable> {
  const admin = clientOf(broker).admin()
  await eventually(() => admin.connect())
  return { ...admin, [Symbol.asyncDispose]: () => admin.disconnect() }
}

/**
 * Asks until the answer is not an error: a partition or a consumer group that is new has no leader
 * for a moment.
 *
 * @throws the last error after a minute
 */
export async function eventually<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await setTimeout(100)
    }
  }
}

/** How to run a class of the jars of a set. */
export async function java(
  set: JarSet,
  words: readonly string[],
): Promise<{ program: string; args: string[] }> {
  return {
    program: 'java',
    args: [
      // One client and a few megabytes of data: what matters is how soon it starts.
      '-Xmx256m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      `-Dlog4j2.configurationFile=${LOGGING}`,
      '-classpath',
      await classPath(set),
      ...words,
    ],
  }
}

/** Lines of a properties file of Java. Names and values must need no escapes. */
export function lines(properties: Readonly<Record<string, string>>): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

async function format(file: string): Promise<void> {
  const id = randomBytes(16).toString('base64url')
  const words = [
    'kafka.tools.StorageTool',
    'format',
    '--standalone',
    `--cluster-id=${id}`,
    '-c',
    file,
  ]
  const tool = new ServerProcess(await java('broker', words))
  await tool.ended
  if (!tool.output.includes('Formatting')) throw new Error(tool.output)
}

async function serverProperties(folder: string, port: number): Promise<Record<string, string>> {
  const controller = `127.0.0.1:${await freePort()}`
  const broker = `127.0.0.1:${port}`
  return {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.bootstrap.servers': controller,
    listeners: `PLAINTEXT://${broker},CONTROLLER://${controller}`,
    'advertised.listeners': `PLAINTEXT://${broker}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': join(folder, 'data'),
    'num.partitions': '1',
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '1',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    // A broker that was killed may come back only once this has passed; usually 9 s.
    'broker.session.timeout.ms': '6000',
    'broker.heartbeat.interval.ms': '500',
    // Tests wait for none of these.
    'group.initial.rebalance.delay.ms': '0',
    'log.cleaner.backoff.ms': '200',
    'log.retention.check.interval.ms': '1000',
    'log.initial.task.delay.ms': '0',
    'log.segment.delete.delay.ms': '100',
  }
}
