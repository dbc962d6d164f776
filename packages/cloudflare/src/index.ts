/** Answer caches and decision logs on Cloudflare. Durable Objects have their own entry point, for Workers only. */
export {
  type AnswerCacheFault,
  type CacheApiAnswerCacheOptions,
  createCacheApiAnswerCache,
  type ResponseStore,
} from './cache-api-answer-cache.ts'
export { createKvAnswerCache, type KvAnswerCacheOptions, type KvStore } from './kv-answer-cache.ts'
export { createDecisionConsumer, type DecisionConsumerOptions, type DecisionMessage } from './decision-consumer.ts'
export {
  createQueueDecisionLog,
  type DecisionQueue,
  type QueuedDecision,
  type QueueDecisionLogOptions,
} from './queue-decision-log.ts'
export { createZoneAnswerPurges, type ZoneAnswerPurgesOptions } from './zone-answer-purges.ts'
