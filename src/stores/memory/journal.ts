/** Remembers how to take back what was written since a transaction began. */
export class Journal {
  private undos: (() => void)[] | null = null

  /** Runs `work`; where it throws, nothing that it wrote stays. */
  transact<T>(work: () => T): T {
    const undos: (() => void)[] = []
    this.undos = undos
    try {
      return work()
    } catch (error) {
      for (const undo of undos.toReversed()) undo()
      throw error
    } finally {
      this.undos = null
    }
  }

  note(undo: () => void): void {
    this.undos?.push(undo)
  }
}

/** A map whose writes a transaction can take back. Keys may be walked while it is written. */
export class JournaledMap<K, V> {
  private readonly journal: Journal
  private readonly map = new Map<K, V>()

  constructor(journal: Journal) {
    this.journal = journal
  }

  get size(): number {
    return this.map.size
  }

  get(key: K): V | undefined {
    return this.map.get(key)
  }

  set(key: K, value: V): void {
    this.noteUndo(key)
    this.map.set(key, value)
  }

  delete(key: K): void {
    this.noteUndo(key)
    this.map.delete(key)
  }

  /** As they are now, whatever is written later. */
  keys(): K[] {
    return [...this.map.keys()]
  }

  values(): V[] {
    return [...this.map.values()]
  }

  private noteUndo(key: K): void {
    const before = this.map.get(key)
    this.journal.note(
      before === undefined ? () => this.map.delete(key) : () => this.map.set(key, before),
    )
  }
}
