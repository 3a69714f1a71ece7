import { TidemarkError } from '../core/errors.ts'

const FIRST = 1_000
const WINDOW = 10_000

/**
 * Watches the share of refused records (semantics 8): of the first 1,000 of a run, and of any
 * 10,000 in a row. Where most is refused, the flow points at something that it cannot read.
 */
export class RefusalMeter {
  private readonly flow: string
  private readonly limit: number | null
  private readonly window = new Uint8Array(WINDOW)
  private read = 0
  private refused = 0

  constructor(flow: string, limit: number | null) {
    this.flow = flow
    this.limit = limit
  }

  /** @throws TidemarkError `TOO_MANY_REFUSED` */
  count(isRefused: boolean): void {
    if (this.limit === null) return
    const at = this.read % WINDOW
    this.refused += Number(isRefused) - (this.window[at] ?? 0)
    this.window[at] = Number(isRefused)
    this.read += 1
    if (this.read === FIRST) this.judge(FIRST, this.limit)
    if (this.read >= WINDOW) this.judge(WINDOW, this.limit)
  }

  private judge(of: number, limit: number): void {
    if (this.refused <= limit * of) return
    throw new TidemarkError(
      'TOO_MANY_REFUSED',
      `flow "${this.flow}": ${this.refused} of ${of} records in a row were refused, more than ${limit} of them (max_refused_fraction); does it point at the right input?`,
      { flow: this.flow, refused: this.refused, of },
    )
  }
}
