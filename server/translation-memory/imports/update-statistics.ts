import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { refreshStatistics } from '../queries/statistics.ts';

/** After an import, which is stored whatever becomes of this. */
export async function updateStatistics(
  { database, log }: Services,
  tenantId: string,
  segments: number,
): Promise<void> {
  await database
    .inTenant(tenantId, (tx) => refreshStatistics(tx, segments))
    .catch((error: unknown) =>
      log.warn({ error: describeForLog(error) }, 'statistics of the memory were not refreshed'),
    );
}
