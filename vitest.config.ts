import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { include: ['spec/**/*.spec.ts', 'property-tests/**/*.prop.ts'], testTimeout: 60_000 },
})
