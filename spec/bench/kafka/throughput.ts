import { join } from 'node:path'
import { startBroker } from '../../kafka/kafka.ts'
import { agree } from '../agreement.ts'
import type { Extent } from '../extent.ts'
import { generate } from '../generate.ts'
import { lineOf, type Line } from '../line.ts'
import { inFolder, median, ours, script, type Measured } from '../measure.ts'
import { fillTopic, writeTopicFlows, type Format } from './topic.ts'

/** The cases of {@link throughput}, and the format that each reads. */
export const THROUGHPUT: Readonly<Record<string, Format>> = {
  'kafka-json': 'json',
  'kafka-debezium': 'debezium-json',
}

/** How long does a topic take to become a table, measured by a consumer that does nothing with the same records? */
export async function throughput(
  { feeds, events: all, runs, batch }: Extent,
  isChosen: (name: string) => boolean,
): Promise<Line[]> {
  const events = Math.floor(all / 5)
  const keyCount = Math.max(1, Math.floor(events / 5))
  const feed = await generate(feeds, { events, keys: 'random', keyCount, late: 0, sparse: false })
  await using broker = await startBroker()
  const lines: Line[] = []
  for (const [name, format] of Object.entries(THROUGHPUT).filter(([each]) => isChosen(each))) {
    await fillTopic(broker, name, { file: feed.file, format })
    const mine: Measured[] = []
    const other: Measured[] = []
    let rows = 0
    for (let run = 0; run < runs; run += 1) {
      await inFolder(async (folder) => {
        const source = batch === null ? {} : { max_batch_records: batch }
        const flow = writeTopicFlows(folder, [{ broker, topic: name, format, source }])
        const base = () => script('baselines/consumer.mjs', broker.bootstrap, name, `${events}`)
        if (run % 2 === 1) other.push(await base())
        mine.push(await ours('run', flow))
        if (run % 2 === 0) other.push(await base())
        if (run > 0) return
        const right = join(folder, 'loop.db')
        await script('baselines/scd1.mjs', feed.file, right)
        rows = agree(
          name,
          { store: join(folder, 'ours.db'), rows: 'latest' },
          { store: right, rows: 'loopLatest' },
        )
      })
    }
    const perSecond = Math.round(events / median(mine.map(({ wall }) => wall)))
    const note = `${events} events, ${perSecond} a second, ${rows} rows alike`
    const question = `a topic of ${format} to an SCD 1 table`
    lines.push(lineOf({ name, question, against: 'consumer', aim: null, note }, mine, other))
  }
  return lines
}
