import type { Services } from '#server/context.ts';
import { embedSet } from '#server/translation-memory/service.ts';

/** Makes the vectors that a golden set's pairs lack. */
export async function embedMemory(
  services: Services,
  { tenantId, setId }: { tenantId: string; setId: string },
): Promise<void> {
  await embedSet(services, tenantId, setId);
}
