/**
 * Prints `PASSED FAILED` of a vitest JSON report. A file that could not be loaded has no tests
 * and counts as one failure, so that it cannot go missing.
 */
import { readFileSync } from 'node:fs'

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const broken = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
)
process.stdout.write(`${report.numPassedTests} ${report.numFailedTests + broken.length}\n`)
