/** Helpers for routes beside the console: authentication, tenants, limits, instants, wire names. */
export { checkMembers } from './api/check-members.ts'
export { checkNames } from './api/check-names.ts'
export { otherMethods } from './api/other-methods.ts'
export { readInstant } from './api/read-instant.ts'
export { readLimit } from './api/read-limit.ts'
export { requireScope } from './api/require-scope.ts'
export { tenantFor } from './api/tenant-for.ts'
export { snakeCase } from './api/wire.ts'
