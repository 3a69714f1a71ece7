import { parseExactJson } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Codec } from './envelope.ts'
import { MAX_DEPTH } from './json-scan.ts'
import { utf8Fault } from './utf8.ts'

/** Reads keys and values that are JSON, every digit of their numbers kept. */
export class JsonCodec implements Codec {
  decode(part: 'key' | 'value', bytes: Buffer): { readonly node: JsonNode } | Refusal {
    const fault = utf8Fault(bytes)
    if (fault !== null) return refuse('UNDECODABLE', `the ${part} has ${fault}`)
    const parsed = parseExactJson(bytes.toString('utf8'), MAX_DEPTH)
    if (!('error' in parsed)) return parsed
    return refuse(
      'UNDECODABLE',
      `the ${part} is broken JSON: ${parsed.error}, at character ${parsed.at + 1}`,
    )
  }
}
