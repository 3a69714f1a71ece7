import { defineConfig } from 'vitest/config'

/** What judges the mutants of snapshots: their specs and their laws. */
export default defineConfig({
  test: {
    include: [
      'spec/pipeline/{code-snapshots,snapshot-guards,snapshot-scopes,snapshots}.spec.ts',
      'property-tests/laws-snapshots.prop.ts',
    ],
    setupFiles: ['property-tests/engine/no-shrinking.ts'],
    bail: 1,
    testTimeout: 60_000,
  },
})
