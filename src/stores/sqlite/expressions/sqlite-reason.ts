/** What SQLite objects to, without the words on the generated column in which we let it judge. */
export function reasonOf(error: Error): string {
  return error.message.replace(/ in (?:a generated column|generated columns)$/, '')
}
