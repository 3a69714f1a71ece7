/** A promise that is kept from outside. */
export class Signalled<T = void> {
  readonly promise: Promise<T>
  resolve: (value: T) => void = () => undefined

  constructor() {
    this.promise = new Promise((resolve) => {
      this.resolve = resolve
    })
  }
}
