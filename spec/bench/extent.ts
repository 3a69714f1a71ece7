/** How much is measured, and where the feeds lie. */
export type Extent = {
  readonly feeds: string
  readonly events: number
  readonly runs: number
  /** Records per batch where a case does not say; null for what a flow has unless told. */
  readonly batch: number | null
}
