import { and, between, eq, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Tx } from '#db/client.ts';
import { usageTotals } from '#db/schema/metering.ts';

/** What was used: on a day, or on several. */
export interface UsageFigures {
  jobs: number;
  source_chars: number;
  billable_chars: number;
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
}

/** Exact up to 2^53, which is what the columns hold. */
const sum = (column: PgColumn) => sql<number>`sum(${column})::float8`;

/**
 * The usage of each day that has any, both ends counted: of one tenant, or, in platform scope, of all together. From the
 * running totals, however long the ledger is.
 */
export async function selectDays(
  tx: Tx,
  tenantId: string | null,
  { from, to }: { from: string; to: string },
): Promise<(UsageFigures & { date: string })[]> {
  return tx
    .select({
      date: usageTotals.day,
      jobs: sum(usageTotals.jobs),
      source_chars: sum(usageTotals.sourceChars),
      billable_chars: sum(usageTotals.billableChars),
      input_tokens: sum(usageTotals.inputTokens),
      output_tokens: sum(usageTotals.outputTokens),
      total_tokens: sum(usageTotals.totalTokens),
    })
    .from(usageTotals)
    .where(
      tenantId === null
        ? // As its index has it: one on the day itself would be taken for a single tenant's rows, too.
          sql`${usageTotals.day} + 0 between ${from}::date and ${to}::date`
        : and(eq(usageTotals.tenantId, tenantId), between(usageTotals.day, from, to)),
    )
    .groupBy(usageTotals.day);
}
