import type { Services } from '#server/context.ts';
import { indexSet } from '#server/translation-memory/service.ts';

/** Brings a set's segments into the fuzzy index. */
export async function indexMemory(
  services: Services,
  { tenantId, setId }: { tenantId: string; setId: string },
): Promise<void> {
  await indexSet(services, tenantId, setId);
}
