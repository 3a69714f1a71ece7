/** A fault of one key, before it is said whose: the law that it breaks, and how. */
export type KeyFault = { readonly law: string; readonly message: string }
