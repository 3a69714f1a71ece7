#!/usr/bin/env node
import { main } from './main.ts'

// A reader that went away after the last write is no failure; until then Output hears of it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

process.exitCode = await main(process.argv.slice(2))
