import type { TermRow } from '#server/terminology/service.ts';
import type { MemoryHit } from '#server/translation-memory/service.ts';
import type { Provenance } from '../schema.ts';

/** Where a stored pair comes from. */
export function memoryProvenance({ setId, setName, origin, tuid, changedAt }: MemoryHit): Provenance {
  return { set_id: setId, set_name: setName, origin, tuid, changedate: changedAt };
}

/** Where a term comes from. */
export function termProvenance({ setId, setName }: TermRow): Provenance {
  return { set_id: setId, set_name: setName, origin: 'terminology', tuid: null, changedate: null };
}
