/**
 * Text that a terminal shows as it stands: control and formatting characters, which could move the
 * cursor, colour or reorder what others wrote, are spelled as JSON spells them.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, spell)
}

/** The same for text of several lines, which stay lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

/** The number of terminal cells that a text takes: two for East Asian wide characters and emoji. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of GRAPHEMES.segment(text)) width += graphemeWidth(segment)
  return width
}

/** Cuts a text that is wider than `width` cells, its end then shown as `…`. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let out = ''
  let used = 1
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += graphemeWidth(segment)
    if (used > width) break
    out += segment
  }
  return `${out}…`
}

/** Fills a text up to `width` cells at its right. */
export function padRight(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}

/** Fills a text up to `width` cells at its left. */
export function padLeft(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text
}

const PLAIN = /^[ -~]*$/
/** Controls, direction marks and overrides, separators of lines, halves of surrogate pairs, and what else shows nothing. */
const HIDDEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })
const EMPTY = /^[\p{Mn}\p{Me}\p{Cf}]*$/u
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u

function spell(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function graphemeWidth(grapheme: string): number {
  if (EMPTY.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}
