// Preloaded into every process that is measured: at its end, tells on a pipe of its own what it used.
import { writeSync } from 'node:fs'

process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  const used = { peakMb: maxRSS / 1024, cpu: (userCPUTime + systemCPUTime) / 1e6 }
  writeSync(3, JSON.stringify(used))
})
