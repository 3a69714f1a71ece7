import type { Store } from '../ports/store.ts'
import type { Finding } from './finding.ts'

/** Law 9: what a flow read is accounted for, record by record, and what it set aside is there. */
export function* countFaults(store: Store, flow: string): Iterable<Finding> {
  const record = store.flow(flow)
  if (record === null) return
  const { target, counts } = record
  const { read, accepted, ignored, dropped, quarantined } = counts
  if (read !== accepted + ignored + dropped + quarantined) {
    yield {
      target,
      law: '9',
      message: `flow ${flow}: read ${read} is not accepted ${accepted} + ignored ${ignored} + dropped ${dropped} + quarantined ${quarantined}`,
    }
  }
  let aside = 0
  for (const _ of store.quarantine(flow)) aside += 1
  if (aside !== dropped + quarantined) {
    yield {
      target,
      law: '9',
      message: `flow ${flow}: ${aside} records are set aside, ${dropped + quarantined} were counted`,
    }
  }
}
