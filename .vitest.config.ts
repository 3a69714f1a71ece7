import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['**/*.spec.ts', '**/*.prop.ts'],
    exclude: ['**/node_modules/**', 'dist/**', '.*/**'],
    testTimeout: 60_000,
  },
})
