import { describe } from 'vitest'
import { lacks } from './lacks.ts'

/**
 * `describe` for what needs a real broker. Without Java, or without the jars, the tests are skipped
 * and the reason is printed; under CI that is an error instead, so that it cannot pass unseen.
 */
export const describeWithKafka = (await lacks('broker')) ? describe.skip : describe

/** The same for what needs real Debezium as well, with Kafka Connect and PostgreSQL. */
export const describeWithDebezium = (await lacks('debezium')) ? describe.skip : describe
