import { defineConfig } from 'vitest/config'

/** What judges the mutants of the core: its own specs and the laws, not the tests that start processes. */
export default defineConfig({
  test: {
    include: ['spec/core/**/*.spec.ts', 'property-tests/**/*.prop.ts'],
    testTimeout: 60_000,
  },
})
