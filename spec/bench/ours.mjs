// Runs a command line of the built program in this process, then says what it took.
import { main } from '../../dist/cli/main.js'

const started = performance.now()
const code = await main(process.argv.slice(2))
const seconds = (performance.now() - started) / 1000
const peakMb = process.resourceUsage().maxRSS / 1024
process.stderr.write(`\n${JSON.stringify({ code, seconds, peakMb })}\n`)
