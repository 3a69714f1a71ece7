import { defineConfig } from 'rolldown'

/**
 * The command line in a few files: finding and loading some six hundred modules one by one takes
 * longer than most commands do. What is read as it is: packages of native code, and those that are
 * loaded only for a flow that needs them.
 */
export default defineConfig({
  input: { bin: 'dist/cli/bin.js' },
  platform: 'node',
  external: [
    /^better-sqlite3/,
    /^(?:kafkajs|kafkajs-snappy|lz4js|fzstd)(?:\/|$)/,
    /^(?:pg|pg-cursor|mysql2)(?:\/|$)/,
    /^(?:hyparquet|hyparquet-compressors|protobufjs)(?:\/|$)/,
    /^(?:pino|prom-client)(?:\/|$)/,
  ],
  output: {
    dir: 'dist/cli',
    entryFileNames: '[name].js',
    chunkFileNames: 'parts/[name].js',
  },
})
