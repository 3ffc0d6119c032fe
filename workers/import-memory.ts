import type { Services } from '#server/context.ts';
import { runImport } from '#server/translation-memory/service.ts';

/** Stores what a large memory import has read (B 4.5). */
export async function importMemory(
  services: Services,
  { tenantId, importId }: { tenantId: string; importId: string },
): Promise<void> {
  await runImport(services, tenantId, importId);
}
