import type { BrokerScript } from './broker-script.ts'
import type { WireReader, WireWriter } from './wire-bytes.ts'

/** The least and the highest version of a request that is answered. */
export type Versions = readonly [least: number, most: number]

/** A request as an answer sees it. */
export type Call = {
  readonly reader: WireReader
  /** Where the answer is written. */
  readonly body: WireWriter
  readonly version: number
  readonly clientId: string
  readonly script: BrokerScript
  readonly host: string
  readonly port: number
  /** Logs the request in words, once it is read. */
  readonly asked: (...words: readonly string[]) => void
  /** By the number of the api. */
  readonly versions: readonly (readonly [api: number, versions: Versions])[]
}

/** Reads a request, says what was asked, and writes the answer. */
export type Answer = (call: Call) => void | Promise<void>
