/** A message without the password of a URL, neither as it is written there nor as it is meant. */
export function withoutPassword(message: string, url: string): string {
  const written = /^[^:]*:\/\/[^:/?#]*:([^/?#]*)@/.exec(url)?.[1] ?? ''
  if (written === '') return message
  return [written, decoded(written)].reduce((text, each) => text.replaceAll(each, '***'), message)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
