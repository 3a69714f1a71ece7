import type { JsonNode } from '../../core/json.ts'

/**
 * Turns plain values into those that Kafka Connect's name for their type says that they are:
 * `io.debezium.time.MicroTimestamp` makes a timestamp of a number. Bytes come tagged, or as base64 text where they were JSON.
 *
 * @returns null for a name that says nothing of the value
 */
export type ConnectTypes = (
  name: string,
  parameters: ReadonlyMap<string, JsonNode>,
) => ((plain: JsonNode) => JsonNode) | null

/** For those who want values as they are written. */
export const NO_CONNECT_TYPES: ConnectTypes = () => null
