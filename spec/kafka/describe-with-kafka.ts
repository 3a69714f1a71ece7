import { describe } from 'vitest'
import { classPath, type JarSet } from './jars.ts'

/**
 * `describe` for what needs a real broker. Without Java, or without the jars, the tests are skipped
 * and the reason is printed; under CI that is an error instead, so that it cannot pass unseen.
 */
export const describeWithKafka = (await lacks('broker')) ? describe.skip : describe

/** The same for what needs real Debezium as well, with Kafka Connect and PostgreSQL. */
export const describeWithDebezium = (await lacks('debezium')) ? describe.skip : describe

async function lacks(set: JarSet): Promise<boolean> {
  try {
    await classPath(set)
    return false
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error
    console.warn(`SKIPPED: no jars of ${set} to test with: ${String(error)}`)
    return true
  }
}
