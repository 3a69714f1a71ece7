import fc from 'fast-check'
import type { Delivery, Scenario } from '../models/scenario.ts'
import { draw, placeOf } from './draw.ts'
import { cleanFeeds, faultyFeeds, feeds, MAX_RECORDS, type Feed } from './feeds.ts'

/** When each published record arrives, once or twice: in which batch, and how far behind in it. Plain JSON. */
export type Plan = readonly (readonly { readonly batch: number; readonly place: number }[])[]

/**
 * Any order, repetition and cut into batches of up to {@link MAX_RECORDS} records. Five batches
 * and three places: enough for every kind of disorder among three records, few enough for
 * batches with several. Shrinks to all at once, in order, each once.
 */
export const plans: fc.Arbitrary<Plan> = fc.array(
  fc.array(fc.record({ batch: fc.nat({ max: 4 }), place: fc.nat({ max: 2 }) }), {
    minLength: 1,
    maxLength: 2,
  }),
  { minLength: MAX_RECORDS, maxLength: MAX_RECORDS },
)

/** With the first batch, once. */
const IN_ORDER: Plan[number] = [{ batch: 0, place: 0 }]

/** A feed as delivered by a plan. A batch is of one flow, since a commit is; none is empty. */
export function arrange({ flows, published }: Feed, plan: Plan): Scenario {
  const arrivals = published.flatMap((delivery, i) =>
    (plan[i] ?? IN_ORDER).map(({ batch, place }) => ({ delivery, batch, place })),
  )
  const batches = new Map<string, Delivery[]>()
  for (const { delivery, batch } of arrivals.toSorted(
    (a, b) => a.batch - b.batch || a.place - b.place,
  )) {
    const name = `${batch} ${delivery.flow ?? ''}`
    batches.set(name, [...(batches.get(name) ?? []), delivery])
  }
  return drawable({ flows, deliveries: [...batches.values()] })
}

/** A feed delivered in order of its positions, one record a batch. */
export function oneByOne({ flows, published }: Feed): Scenario {
  return drawable({ flows, deliveries: published.map((delivery) => [delivery]) })
}

/** What the sources of a scenario published, as far as it was delivered: each record once. */
export function feedIn({ flows, deliveries }: Scenario): Feed {
  const published = new Map<string, Delivery>()
  for (const delivery of deliveries.flat()) published.set(placeOf(delivery), delivery)
  return { flows, published: [...published.values()] }
}

/** Any scenario in which a refusal is a record's own fault. */
export const scenarios: fc.Arbitrary<Scenario> = scenariosOf(feeds)

/** Any scenario without a refusal. */
export const cleanScenarios: fc.Arbitrary<Scenario> = scenariosOf(cleanFeeds)

/** Any scenario, also with refusals that depend on arrival and with flows that stop at one. */
export const faultyScenarios: fc.Arbitrary<Scenario> = scenariosOf(faultyFeeds)

function scenariosOf(published: fc.Arbitrary<Feed>): fc.Arbitrary<Scenario> {
  return fc.tuple(published, plans).map(([feed, plan]) => arrange(feed, plan))
}

/** Lets a failing property print the drawing; the scenario stays plain JSON. */
export function drawable(scenario: Scenario): Scenario {
  return Object.defineProperty(scenario, fc.toStringMethod, { value: () => draw(scenario) })
}
