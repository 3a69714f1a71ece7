/** All that reads topics, loaded once a flow does: it takes long. */
export { captureTopic } from './sources/kafka/capture.ts'
export { Cluster } from './sources/kafka/cluster.ts'
export { CODECS } from './sources/kafka/codecs.ts'
export { openKafka } from './sources/kafka/kafka.ts'
export { findTopics } from './sources/kafka/topic-finding.ts'
