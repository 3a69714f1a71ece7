// A consumer of kafkajs that reads so many records of a topic from its beginning and does nothing with them.
import { Kafka, logLevel } from 'kafkajs'

const [broker, topic, records] = process.argv.slice(2)
const kafka = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING })
const consumer = kafka.consumer({ groupId: `bench-${process.pid}`, allowAutoTopicCreation: false })
let left = Number(records)

await consumer.connect()
await consumer.subscribe({ topic, fromBeginning: true })
await new Promise((resolve, reject) => {
  consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
  const eachBatch = async ({ batch }) => {
    left -= batch.messages.length
    if (left <= 0) resolve()
  }
  consumer.run({ autoCommit: false, eachBatch }).catch(reject)
})
await consumer.disconnect()
if (left < 0) throw new Error(`${-left} records too many`)
