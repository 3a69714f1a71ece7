/**
 * The text of a Protobuf schema without its options, which say nothing of how bytes are laid
 * out, but come in spellings that not every parser takes.
 *
 *     int64 id = 1 [(confluent.field_meta).params = [{ key: "a", value: "b" }]];  →  int64 id = 1 ;
 */
export function withoutOptions(text: string): string {
  let out = ''
  let isStart = true
  let depth = 0
  let isStatement = false
  for (const [token] of text.matchAll(TOKEN)) {
    if (depth === 0 && isStart && token === 'option') isStatement = true
    const isSpace = /^\s/.test(token) || COMMENT.test(token)
    if (isStatement || token === '[' || depth > 0) {
      depth += Number(OPENING.has(token)) - Number(CLOSING.has(token))
      if (depth === 0 && token === ';') isStatement = false
    } else out += isSpace ? ' ' : token
    if (!isSpace) isStart = depth === 0 && !isStatement && STATEMENT_ENDS.has(token)
  }
  return out
}

/** A comment, a text, a word, white space, or any other character. */
const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w.]+|\s+|[\s\S]/g
const COMMENT = /^\/[/*]/
const OPENING: ReadonlySet<string> = new Set(['[', '{', '('])
const CLOSING: ReadonlySet<string> = new Set([']', '}', ')'])
const STATEMENT_ENDS: ReadonlySet<string> = new Set([';', '{', '}'])
