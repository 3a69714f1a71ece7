import { BugError, TidemarkError } from '../../core/errors.ts'

/** Something that may be over in a moment: a broker that is away, a leader that moved. */
export class Transient extends Error {
  override readonly name = 'Transient'
}

/** Names of kafkajs's errors that say that a broker cannot be reached now. */
const PASSING = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSLockTimeout',
  'KafkaJSBrokerNotFound',
])

/** Whether trying again can help. */
export function isTransient(error: unknown): error is Error {
  return error instanceof Error && (error instanceof Transient || PASSING.has(error.name))
}

/** What an operator should be told of an error. Says nothing of who we are and how we prove it. */
export function faultOf(error: unknown): TidemarkError | BugError {
  if (error instanceof TidemarkError || error instanceof BugError) return error
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Error && error.name === 'KafkaJSSASLAuthenticationError') {
    return loginRefused()
  }
  if (isTransient(error)) return new TidemarkError('SOURCE_UNAVAILABLE', message, {}, error)
  return new TidemarkError('CLIENT_CRASH', `the Kafka client failed: ${message}`, {}, error)
}

/** The error for a user or secret that the brokers do not take. */
export function loginRefused(): TidemarkError {
  return new TidemarkError(
    'SOURCE_UNAVAILABLE',
    'the brokers refuse the login; check sasl, and that the user may connect',
  )
}
