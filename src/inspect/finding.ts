/**
 * Something that is wrong in a store: where, which law it breaks, and how.
 *
 * `target` is empty for the file as a whole. `law` is the number of a property in semantics 11;
 * or `file` for what SQLite finds, `tables` for tables that are not as the store makes them, `known`
 * for what is known of records without reading them, and `readable` for what cannot be read as a value.
 */
export type Finding = { readonly target: string; readonly law: string; readonly message: string }
