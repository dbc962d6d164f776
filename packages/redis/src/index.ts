/** Answers and purges in Redis or Valkey. */
export { createRedisAnswerCache, type RedisAnswerCacheOptions, type RedisStore } from './answer-cache.ts'
export { createRedisAnswerPurges, type RedisAnswerPurgesOptions, type RedisScripts } from './answer-purges.ts'
