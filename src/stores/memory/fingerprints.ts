import { FingerprintPacker, type FingerprintPage } from '../../core/fingerprint.ts'
import { BugError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type { FingerprintDraft, Fingerprints, FingerprintsHead } from '../../ports/fingerprints.ts'

/** Fingerprints of a target, and its version when they were saved. */
export type SavedFingerprints = { readonly version: number; readonly fingerprints: Fingerprints }

/** Fingerprints in memory. */
export class MemoryFingerprintDraft implements FingerprintDraft {
  private readonly full: FingerprintPage[] = []
  private readonly packer = new FingerprintPacker()
  private added = 0

  get count(): number {
    return this.added
  }

  add(words: Uint32Array, at: number, shape: number, key: Key): void {
    this.added += 1
    this.keep(this.packer.add(words, at, shape, key))
  }

  pages(): readonly FingerprintPage[] {
    this.keep(this.packer.rest())
    return this.full
  }

  [Symbol.dispose](): void {
    // Whoever saved the pages goes on with them.
  }

  private keep(page: FingerprintPage | null): void {
    if (page !== null) this.full.push(page)
  }
}

/** What a draft came to. */
export function fingerprintsOf(head: FingerprintsHead, draft: FingerprintDraft): Fingerprints {
  const pages = [...draft.pages()]
  return {
    head,
    count: draft.count,
    pages: pages.length,
    page: (index) => pages[index] ?? missing(index),
  }
}

function missing(index: number): never {
  throw new BugError(`there is no page ${index} of fingerprints`)
}
