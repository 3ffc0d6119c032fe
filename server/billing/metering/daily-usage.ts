import type { Database, Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import type { Administrator, WithNamedTenant } from '#server/identity/access/guards/admin.ts';
import { type DateRange, daysOf, readDateRange } from './periods.ts';
import type { DailyUsage } from './schema.ts';
import {
  foldDays,
  selectDays,
  selectDaysOfAll,
  selectMonthlyLimit,
  type UsageFigures,
} from './usage-totals.ts';

/** The parts of an administrator's request context that the report needs. */
interface AdminContext {
  services: Pick<Services, 'database'>;
  credentials: { tenantId: string | null };
  asAdministrator: <T>(work: (admin: Administrator, tx: Tx | null) => Promise<T>) => Promise<T>;
  withNamedTenant: WithNamedTenant;
}

interface DailyQuery {
  from?: string | undefined;
  to?: string | undefined;
  tenant_id?: string | undefined;
}

/**
 * Reports usage per day. An administrator gets the usage of the administrator's own tenant, without tokens. An operator
 * gets the usage of the tenant in `tenant_id` or X-Tenant-ID; if both are missing, the sum over all tenants.
 * @throws AppError 400 for more than 366 days, 404, 422
 */
export async function reportDaily(ctx: AdminContext, query: DailyQuery): Promise<DailyUsage> {
  const { services, credentials, asAdministrator, withNamedTenant } = ctx;
  const range = readDateRange(query);
  const named = query.tenant_id ?? credentials.tenantId ?? undefined;
  if (named !== undefined)
    return withNamedTenant({ named, foreign: 'ignored', missing: '' }, (tx, tenantId, { operator }) =>
      reportTenant(tx, tenantId, range, operator),
    );
  // End this transaction before the platform's transaction begins: requests that hold one connection and wait for a
  // second one could block each other.
  const own = await asAdministrator(async (admin, tx) =>
    admin.operator ? undefined : reportTenant(tx as Tx, (admin.tenant as { id: string }).id, range, false),
  );
  return (
    own ??
    services.database.inPlatform(async (tx) => report(null, range, await selectDaysOfAll(tx, range), true))
  );
}

async function reportTenant(tx: Tx, tenantId: string, range: DateRange, operator: boolean) {
  const [days] = await Promise.all([
    selectDays(tx, tenantId, range),
    // The tenant in the operator's request may not exist: then this throws the 404.
    selectMonthlyLimit(tx, tenantId),
  ]);
  return report(tenantId, range, days, operator);
}

/** Returns a report with every day of the range; days without usage have zeros. */
function report(
  tenantId: string | null,
  range: DateRange,
  used: (UsageFigures & { date: string })[],
  operator: boolean,
): DailyUsage {
  const byDate = new Map(used.map((day) => [day.date, day]));
  return {
    tenant_id: tenantId,
    ...range,
    days: daysOf(range).map((date) => ({ date, ...visible(byDate.get(date) ?? sumOf([]), operator) })),
    totals: visible(sumOf(used), operator),
  };
}

/** Returns the figures that a caller may see: only an operator sees tokens. */
function visible(figures: UsageFigures, operator: boolean): DailyUsage['totals'] {
  const { jobs, billable_chars, input_tokens, output_tokens, total_tokens } = figures;
  return { jobs, billable_chars, ...(operator && { input_tokens, output_tokens, total_tokens }) };
}

/** Returns the sum of the figures of several days. */
export function sumOf(days: readonly UsageFigures[]): UsageFigures {
  const sum = (name: keyof UsageFigures) => days.reduce((total, day) => total + day[name], 0);
  return {
    jobs: sum('jobs'),
    source_chars: sum('source_chars'),
    billable_chars: sum('billable_chars'),
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    total_tokens: sum('total_tokens'),
  };
}

/**
 * Adds up the usage of all past days; each transaction adds up a month. Repeating this, or running it in two processes,
 * has no further effect.
 */
export async function foldUsage(database: Database): Promise<void> {
  while (await database.inPlatform(foldDays));
}
