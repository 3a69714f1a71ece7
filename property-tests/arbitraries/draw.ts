import { writeJson } from '../models/json.ts'
import type { Delivery, Scenario } from '../models/scenario.ts'

/**
 * A scenario for the eye:
 *
 *     main {"stored_as_scd_type":2,"keys":["id"],…}
 *     batch 1
 *       main feed-9.ndjson:1  {"id":1,"op":"U","s":3,"a":1}
 *     batch 2
 *       main feed-9.ndjson:1  again
 */
export function draw({ flows, deliveries }: Scenario): string {
  const seen = new Set<string>()
  const options = flows.map(({ name, ...rest }) => `${name ?? 'flow'} ${writeJson(rest)}`)
  const batches = deliveries.flatMap((batch, i) => [
    `batch ${i + 1}`,
    ...batch.map((delivery) => {
      const place = placeOf(delivery)
      const record = seen.has(place) ? 'again' : writeJson(delivery.record)
      seen.add(place)
      return `  ${place}  ${record}`
    }),
  ])
  return ['', ...options, ...batches, ''].join('\n')
}

/** The flow and position of a record, as one text. */
export function placeOf({ flow = 'flow', position }: Delivery): string {
  return `${flow} ${position.name}:${position.number}`
}
