import { defineConfig } from 'vitest/config'

/** What judges the mutants of the core: its own specs and the laws that come near it, not what tests files or processes. */
export default defineConfig({
  test: {
    include: [
      'spec/core/**/*.spec.ts',
      'property-tests/{condition,registers,sequence,tables,values,weave}.prop.ts',
    ],
    bail: 1,
    testTimeout: 60_000,
  },
})
