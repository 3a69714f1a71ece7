import { answerFetch } from './broker-fetch.ts'
import {
  answerDescribeGroups,
  answerFindCoordinator,
  answerHeartbeat,
  answerJoinGroup,
  answerLeaveGroup,
  answerListGroups,
  answerSyncGroup,
} from './broker-groups.ts'
import { answerMetadata } from './broker-metadata.ts'
import { answerListOffsets, answerOffsetCommit, answerOffsetFetch } from './broker-offsets.ts'
import type { ApiName } from './api-names.ts'
import type { Answer, Call, Versions } from './broker-call.ts'

type Api = {
  readonly number: number
  readonly name: ApiName
  readonly versions: Versions
  /** The first version in the flexible form. */
  readonly flexibleFrom?: number
  readonly answer: Answer
}

/**
 * The requests that are answered: those of kafkajs 2.2.4 in the versions that it chooses, and Metadata
 * and Fetch up to the versions that know topic ids.
 */
export const APIS: readonly Api[] = [
  { number: 1, name: 'Fetch', versions: [11, 13], flexibleFrom: 12, answer: answerFetch },
  { number: 2, name: 'ListOffsets', versions: [2, 3], answer: answerListOffsets },
  { number: 3, name: 'Metadata', versions: [5, 12], flexibleFrom: 9, answer: answerMetadata },
  { number: 8, name: 'OffsetCommit', versions: [5, 5], answer: answerOffsetCommit },
  { number: 9, name: 'OffsetFetch', versions: [3, 4], answer: answerOffsetFetch },
  { number: 10, name: 'FindCoordinator', versions: [1, 2], answer: answerFindCoordinator },
  { number: 11, name: 'JoinGroup', versions: [5, 5], answer: answerJoinGroup },
  { number: 12, name: 'Heartbeat', versions: [3, 3], answer: answerHeartbeat },
  { number: 13, name: 'LeaveGroup', versions: [3, 3], answer: answerLeaveGroup },
  { number: 14, name: 'SyncGroup', versions: [3, 3], answer: answerSyncGroup },
  { number: 15, name: 'DescribeGroups', versions: [1, 2], answer: answerDescribeGroups },
  { number: 16, name: 'ListGroups', versions: [1, 2], answer: answerListGroups },
  { number: 18, name: 'ApiVersions', versions: [0, 2], answer: answerApiVersions },
]

function answerApiVersions({ body, version, versions, asked }: Call): void {
  asked()
  body.int16(0)
  body.list(versions, ([api, [least, most]]) => body.int16(api).int16(least).int16(most))
  if (version > 0) body.int32(0)
}
