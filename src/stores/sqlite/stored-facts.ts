import { storedJson } from '../../core/stored-json.ts'
import type { FeedFacts, TargetFacts } from '../../core/target.ts'

/** The facts of a target as they were stored, also by a Tidemark that knew less of feeds. */
export function storedFacts(text: string): TargetFacts {
  const stored = storedJson<Omit<TargetFacts, 'feed'> & { readonly feed?: StoredFeed }>(text)
  return { ...stored, feed: feedOf(stored.feed ?? null) }
}

/** Stores used to keep the origin of the highest epoch only, and before that nothing of feeds. */
type StoredFeed = FeedFacts | { readonly epoch: number; readonly origin: string | null } | null

function feedOf(stored: StoredFeed): FeedFacts | null {
  if (stored === null || 'logs' in stored) return stored
  const { epoch, origin } = stored
  return { logs: [{ epoch, order: null, log: null, origin }] }
}
