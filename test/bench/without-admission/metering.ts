import { sql } from 'drizzle-orm';
import type { QueryBuilder } from '#db/client.ts';

export * from '#server/metering/service.ts';

/** Nobody's turn is waited for. */
export async function lockAdmissions(): Promise<void> {}

/** Nothing is added to: an expression that nothing reads is not run. */
export function addToTotals(db: QueryBuilder) {
  return { returning: () => db.select({ slot: sql<number>`0`.as('slot') }).from(sql`(select) nobody`) };
}
