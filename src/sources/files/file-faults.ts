import { TidemarkError } from '../../core/errors.ts'

/** A file that was read before is no longer what it was. */
export function fileChanged(
  name: string,
  how: string,
  details: Record<string, unknown> = {},
): TidemarkError {
  return new TidemarkError(
    'FILE_CHANGED',
    `${name} ${how}; give the file as it is now a new name, or put back what was there`,
    { file: name, ...details },
  )
}

/** A file that cannot be read to its end. */
export function fileBroken(name: string, how: string, cause: unknown): TidemarkError {
  return new TidemarkError('FILE_BROKEN', `${name} ${how}`, { file: name }, cause)
}

/** A file that the operating system will not give out. */
export function unavailable(path: string, cause: unknown): TidemarkError {
  return new TidemarkError(
    'SOURCE_UNAVAILABLE',
    `${path} cannot be read: ${codeOf(cause)}`,
    { path },
    cause,
  )
}

/** Whether an error of the file system says that nothing is there. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error))
}

/** The code of a system's error, or its text. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code)
  return String(error)
}
