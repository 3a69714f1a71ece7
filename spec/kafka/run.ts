import { once } from 'node:events'
import { startBroker } from './kafka.ts'

/** `broker run [PORT]`: runs a broker until it is interrupted, and prints its address once it answers. */
const [port] = process.argv.slice(2)

await using broker = await startBroker(port === undefined ? {} : { port: Number(port) })
console.log(broker.bootstrap)

await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), broker.ended()])
