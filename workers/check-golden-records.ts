import type { Services } from '#server/context.ts';
import { checkGoldenRecords } from '#server/translations/golden/check.ts';

/** Compares the golden records with the jobs, over all tenants. */
export async function checkGolden(services: Services): Promise<void> {
  const { removed, rewritten } = await checkGoldenRecords(services);
  if (removed + rewritten > 0) services.log.info({ removed, rewritten }, 'golden records checked');
}
