import { parseArgs } from 'node:util'
import { lacks } from '../../kafka/lacks.ts'
import { soak } from './soak.ts'
import { verdictOf } from './verdict.ts'

const USAGE = `npm run soak -- [--minutes N] [--rate N] [--smoke]

Follows a topic of a real broker that is written to all the time, one message in ten late and one in
twenty told twice, into an SCD 1 and an SCD 2 table. Prints memory and lag over time, and ends with 1
if memory has grown, the lag has, or counts and tables are not right.

  --minutes N   30 unless given
  --rate N      messages per second, 2,000 unless given
  --smoke       20 seconds, too short to judge whether memory grows
`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rate: { type: 'string', default: '2000' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const seconds = values.smoke ? 20 : Number(values.minutes) * 60
const rate = Number(values.rate)
const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

if (values.help) say(USAGE)
else if (!(seconds >= 10 && rate >= 1)) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else if (!(await lacks('broker'))) {
  say(`${rate} messages per second for ${seconds} s, Node ${process.version}`)
  const soaked = await soak({ seconds, rate, say })
  const { lines, isGood } = verdictOf(soaked, {
    growth: values.smoke ? null : 1.15,
    peakMb: 700,
    cacheMb: 64,
    // Ten seconds: a batch waits for one, and grows with what waits on a busy machine.
    lag: rate * 10,
  })
  for (const line of lines) say(line)
  if (!isGood) process.exitCode = 1
}
