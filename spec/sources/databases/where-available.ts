/**
 * What a start gives, or null, told loudly, where the server is not installed on a machine of
 * somebody's own. Under CI nothing is passed over.
 */
export async function whereAvailable<T>(what: string, start: () => Promise<T>): Promise<T | null> {
  try {
    return await start()
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error
    process.stderr.write(`\nSKIPPED: no test with ${what} runs here: ${String(error)}\n\n`)
    return null
  }
}
