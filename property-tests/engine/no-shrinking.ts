import fc from 'fast-check'

// Who only asks whether a law fails, as mutation testing does, need not wait for the smallest example.
fc.configureGlobal({ endOnFailure: true })
