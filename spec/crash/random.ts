/** Numbers that look random and are the same for the same seed. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** From 0 to 1, 1 excluded. The generator is mulberry32. */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = this.state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  /** An integer from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit)
  }

  /** Whether something that happens so often happens now. */
  chance(share: number): boolean {
    return this.fraction() < share
  }

  /** One of some things, at least one. */
  pick<T>(things: readonly T[]): T {
    const thing = things[this.below(things.length)]
    if (thing === undefined) throw new Error('nothing to pick from')
    return thing
  }
}
