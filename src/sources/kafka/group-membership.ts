import type { Cluster } from './cluster.ts'
import type { Membership } from './membership.ts'
import type { KafkaOptions } from './options.ts'

export class GroupMembership implements Membership {
  readonly assigned = null
  constructor(cluster: Cluster, groupId: string, options: KafkaOptions) {
    void cluster
    void groupId
    void options
  }
  offer(): void {
    return
  }
  onChange(): void {
    return
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.resolve()
  }
}
