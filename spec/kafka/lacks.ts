import { classPath, type JarSet } from './jars.ts'

/**
 * Whether Java or the jars of a set are missing, and says so.
 *
 * @throws Error under CI instead, so that what needs them cannot be left out unseen
 */
export async function lacks(set: JarSet): Promise<boolean> {
  try {
    await classPath(set)
    return false
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error
    console.warn(`SKIPPED: no jars of ${set} to test with: ${String(error)}`)
    return true
  }
}
