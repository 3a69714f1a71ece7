/**
 * Writes every published version of mime-db as an extract, and a flow file over them:
 *
 *     npx tsx spec/real-data/run.ts media-types
 *     npx tidemark run media-types/flow.yaml
 *     npx tidemark history media-types/flow.yaml media_types --key type=application/javascript
 */
import { writeFlow } from './media-types-flow.ts'
import { mimeDb } from './mime-db.ts'

const [place = 'media-types'] = process.argv.slice(2)
const { releases } = await mimeDb()
process.stdout.write(`${await writeFlow(place, releases)}\n`)
