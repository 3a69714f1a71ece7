const SHORT = 512

/** Copies the bytes between two places of `from` to a place of `to`. */
export function copyBytes(
  from: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
  to: Buffer,
  at: number,
): void {
  // A call into the runtime costs more than copying a short record.
  if (end - start > SHORT) from.copy(to, at, start, end)
  else for (let i = start; i < end; i += 1) to[at + i - start] = from[i] ?? 0
}
