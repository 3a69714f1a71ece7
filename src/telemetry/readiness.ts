import type { TelemetryEvent } from '../ports/telemetry.ts'

/** Where a flow of a run stands: only `waiting`, `outage` and `failed` are not ready. */
export type FlowState = 'waiting' | 'connected' | 'outage' | 'failed' | 'ended'

/** What `/readyz` says. */
export type ReadinessReport = {
  readonly ready: boolean
  readonly flows: readonly { readonly flow: string; readonly state: FlowState }[]
}

/**
 * Whether a run does what it should: every flow has its source connected, none is in an outage or
 * has failed. A source is connected once it gave a batch or told its lag.
 */
export class Readiness {
  readonly #states = new Map<string, FlowState>()
  #isStarted = false

  /** Takes note of what happened. */
  note(event: TelemetryEvent): void {
    switch (event.event) {
      case 'run_started':
        this.#isStarted = true
        for (const flow of event.flows) this.#states.set(flow, 'waiting')
        return
      case 'source_outage_ended':
        this.#move(event.flow, ['waiting', 'outage'], 'connected')
        return
      case 'source_outage_began':
        this.#move(event.flow, ['waiting', 'connected'], 'outage')
        return
      case 'source_topics_found':
      case 'batch_committed':
      case 'snapshot_done':
      case 'snapshot_refused':
        this.reached(event.flow)
        return
      case 'flow_ended':
        this.#states.set(event.flow, 'ended')
        return
      case 'flow_failed':
        this.#states.set(event.flow, 'failed')
        return
      default:
    }
  }

  /** The flow's source answered. That ends no outage: the source itself says when one is over. */
  reached(flow: string): void {
    this.#move(flow, ['waiting'], 'connected')
  }

  /** Of each flow of the run, in order. Nothing is ready before the run has started. */
  report(): ReadinessReport {
    const flows = [...this.#states].map(([flow, state]) => ({ flow, state }))
    const ready =
      this.#isStarted && flows.every(({ state }) => state === 'connected' || state === 'ended')
    return { ready, flows }
  }

  #move(flow: string, from: readonly FlowState[], to: FlowState): void {
    const state = this.#states.get(flow) ?? 'waiting'
    if (from.includes(state)) this.#states.set(flow, to)
  }
}
