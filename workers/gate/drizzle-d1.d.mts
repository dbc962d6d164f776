export { drizzle } from 'drizzle-orm/d1'
