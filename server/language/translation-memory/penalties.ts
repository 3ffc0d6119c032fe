import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { memorySets } from '#db/schema/translation-memory.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { actorOfPrincipal, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { isListed, lockSetById, requireSet, sentenceSetName } from './sets.ts';

/** A match never loses more points: with 70%, it is still a fuzzy match. */
const maxPenalty = 30;
const maxAgePenalty = 10;

const points = {
  penalty: z
    .int()
    .min(0)
    .max(maxPenalty)
    .describe('The points that each match of the TM loses, 0 to 30. Together with `age_penalty` at most 30.'),
  age_penalty: z
    .int()
    .min(0)
    .max(maxAgePenalty)
    .describe(
      'The points that a match loses for each full year since its last change, 0 to 10. A segment without a time of change loses none.',
    ),
};

export const setPenaltyRequest = z.object({ set_id: z.string().describe('The ID of the TM.'), ...points });

export const setPenalties = z.object({
  penalties: z
    .array(z.object({ set_id: z.string().describe('The ID of the TM.'), ...points }))
    .describe('The TMs with penalties. The others have none.'),
});

/**
 * SQL for the points that a match of a segment loses. A year is full on the day and at the time of the change, in UTC.
 * @param set the alias of `memory_sets`
 * @param segment the alias of `memory_segments`
 */
export function pointsLost(set: string, segment: string): SQL {
  const [penalty, agePenalty, changed] = [`${set}.penalty`, `${set}.age_penalty`, `${segment}.changed_at`];
  return sql.raw(`case when ${penalty} = 0 and ${agePenalty} = 0 then 0 else least(${maxPenalty}, ${penalty}
    + case when ${agePenalty} = 0 or ${changed} is null then 0 else ${agePenalty} * greatest(0, extract(year from
      age(now() at time zone 'UTC', ${changed} at time zone 'UTC'))::int) end) end`);
}

/** Returns a similarity from 0 to 1 without the points that the match loses. */
export function lessPenalty(similarity: number, { penalty }: { penalty: number }): number {
  return penalty === 0 ? similarity : Math.max(0, Math.round(1e6 * similarity - 1e4 * penalty) / 1e6);
}

export async function listPenalties(tx: Tx, tenantId: string): Promise<z.infer<typeof setPenalties>> {
  const penalties = await tx
    .select({
      set_id: memorySets.setId,
      penalty: memorySets.penalty,
      age_penalty: memorySets.agePenalty,
    })
    .from(memorySets)
    .where(
      and(
        eq(memorySets.tenantId, tenantId),
        isListed,
        or(sql`${memorySets.penalty} > 0`, sql`${memorySets.agePenalty} > 0`),
      ),
    )
    .orderBy(memorySets.setId);
  return { penalties };
}

/**
 * Sets the penalties of a TM, and of the sentences of a golden set. They apply to the next text. `updated_at` stays the
 * same, because it decides between segments with the same source.
 * @throws AppError 404 for an unknown set, also of another tenant
 */
export async function setPenalty(
  tx: Tx,
  principal: Principal,
  origin: Origin,
  { set_id: setId, penalty, age_penalty: agePenalty }: z.infer<typeof setPenaltyRequest>,
): Promise<z.infer<typeof setPenaltyRequest>> {
  const tenantId = principal.tenant.id;
  const set = requireSet(await lockSetById(tx, tenantId, setId));
  const names = set.origin === 'golden_approved' ? [set.name, sentenceSetName(set)] : [set.name];
  await tx
    .update(memorySets)
    .set({ penalty, agePenalty })
    .where(and(eq(memorySets.tenantId, tenantId), inArray(memorySets.name, names)));
  if (penalty !== set.penalty || agePenalty !== set.agePenalty)
    await recordEvent(tx, origin, {
      action: 'memory_penalty_changed',
      tenantId,
      actor: actorOfPrincipal(principal),
      target: setId,
      details: { name: set.name, penalty, age_penalty: agePenalty },
    });
  return { set_id: setId, penalty, age_penalty: agePenalty };
}
