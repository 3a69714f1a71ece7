/** A fault of one key, before it is said whose: the law that it breaks, and how. */
export type KeyFault = { readonly law: string; readonly message: string }

/** A key that is there when keys are walked must be there when it is asked for. */
export const UNFOUND: KeyFault = { law: 'readable', message: 'nothing is found under this key' }
