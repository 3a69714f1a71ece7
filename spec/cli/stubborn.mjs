// A process that is asked to stop and does not.
import { StopSignals } from '../../dist/cli/stop-signals.js'

const signals = new StopSignals((name) => {
  setImmediate(() => {
    console.error(`asked to stop by ${name}, aborted ${signals.signal.aborted}`)
  })
})
setInterval(() => undefined, 1_000)
console.error('ready')
