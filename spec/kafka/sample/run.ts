import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { tidemark } from '../../cli/captured.ts'
import { startBroker } from '../kafka.ts'
import { startDebezium } from '../debezium.ts'
import { startPostgres } from '../postgres.ts'

/** What `samples/05-kafka-debezium/start` runs in the project's folder; see there. */
const SAMPLE = 'samples/05-kafka-debezium'
const FLOWS = `${SAMPLE}/flow.yaml`
const STORE = 'shop.db'
const isOnce = process.argv.includes('--once')

// Kafka and PostgreSQL begin anew each time, so the tables do too.
for (const name of [STORE, `${STORE}-wal`, `${STORE}-shm`, `.${STORE}-writer`]) {
  await rm(`${SAMPLE}/${name}`, { force: true })
}

const port = Number((process.env['KAFKA_BROKERS'] ?? '127.0.0.1:19092').split(':')[1])
await using broker = await startBroker({ port })
await using postgres = await startPostgres()
await postgres.run(await scriptOf('shop.sql'))
const tables = String.raw`shop\..*`
await using debezium = await startDebezium({
  broker,
  postgres,
  prefix: 'srv',
  tables,
  schemas: true,
})
await debezium.caughtUp()
await postgres.run(await scriptOf('changes.sql'))
await debezium.caughtUp()

if (isOnce) {
  for (const words of ['run', 'show customers', 'show orders', 'show order_states']) {
    const [command = '', ...rest] = words.split(' ')
    const { code, out, err } = await tidemark([command, FLOWS, ...rest], {
      columns: 110,
      env: process.env,
    })
    process.stdout.write(`$ npx tidemark ${command} ${[FLOWS, ...rest].join(' ')}\n${out}${err}`)
    if (code !== 0) process.exitCode = code
  }
} else {
  console.log(`Kafka       ${broker.bootstrap}`)
  console.log(`PostgreSQL  psql -h 127.0.0.1 -p ${postgres.port} -U ${postgres.user}`)
  await continuously()
}

/** Runs the sample until this process is interrupted; a terminal interrupts both. */
async function continuously(): Promise<void> {
  const args = ['--import', 'tsx', 'src/cli/bin.ts', 'run', FLOWS, '--continuous']
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  const pass = (signal: NodeJS.Signals): void => {
    child.kill(signal)
  }
  process.on('SIGINT', pass).on('SIGTERM', pass)
  await once(child, 'exit')
  process.exitCode = child.exitCode ?? 1
}

function scriptOf(name: string): Promise<string> {
  return readFile(`${SAMPLE}/${name}`, 'utf8')
}
