/** Text order by code point, which is the order of its UTF-8 bytes and not that of `<` on strings. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0
  const shared = Math.min(a.length, b.length)
  let i = 0
  while (i < shared && a.charCodeAt(i) === b.charCodeAt(i)) i += 1
  if (i === shared) return a.length - b.length
  return codeUnitWeight(a.charCodeAt(i)) - codeUnitWeight(b.charCodeAt(i))
}

/** Moves surrogates above U+E000–U+FFFF, where the code points that they spell belong. */
function codeUnitWeight(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800
  if (unit >= 0xd800) return unit + 0x2000
  return unit
}
