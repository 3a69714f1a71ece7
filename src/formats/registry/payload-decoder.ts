import type { JsonNode } from '../../core/json.ts'

/**
 * Turns a payload into a tree by one schema, which was worked out beforehand.
 *
 * @param afterId what stood behind the schema's id in a header; null without one
 * @throws Malformed
 */
export type PayloadDecoder = (payload: Buffer, afterId: Buffer | null) => JsonNode
