// Runs a command line, then says on stderr which packages for logs and figures it loaded.
import { createRequire } from 'node:module'
import { main } from '../../dist/cli/main.js'

await main(process.argv.slice(2))
const paths = Object.keys(createRequire(import.meta.url).cache)
const loaded = ['pino', 'prom-client'].filter((name) =>
  paths.some((path) => path.includes(`/node_modules/${name}/`)),
)
console.error(`loaded: ${loaded.join(', ') || 'nothing'}`)
