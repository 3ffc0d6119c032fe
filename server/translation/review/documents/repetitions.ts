import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { type InlineContent, isSameContent } from '#server/formats/inline-content.ts';
import { type Checked, type Finding, idOf, isOpenCritical } from '#server/translation/core/findings.ts';
import { reviewedFindings, type StoredQuality } from './reviewed-findings.ts';
import type { SegmentChange } from './segment-changes.ts';

/** A segment that a reviewer changed, in its new state. */
export interface ChangedOriginal {
  position: number;
  target: InlineContent;
  targetText: string;
  /** The result of the checks of the new text; undefined if the text stays. */
  checked: Checked | undefined;
  findings: readonly Finding[];
  isConfirmed: boolean;
  reason: SegmentChange['reason'];
}

interface Repetition extends StoredQuality {
  position: number;
  /** The position of the changed segment. */
  original: number;
  target: InlineContent | null;
  isConfirmed: boolean;
}

/**
 * Returns the changes of the segments that repeat the source of changed segments: they get the same translation with the
 * same tags, and are confirmed if the original is. A segment that a reviewer has corrected or confirmed on its own stays
 * as it is. A segment that already repeats the translation of an original follows it, until a reviewer changes it.
 * @param named positions that the request names; none of them is a repetition
 */
export async function changesOfRepetitions(
  tx: Tx,
  document: { tenantId: string; documentId: string },
  originals: readonly ChangedOriginal[],
  named: readonly number[],
): Promise<SegmentChange[]> {
  if (originals.length === 0) return [];
  const byPosition = new Map(originals.map((original) => [original.position, original]));
  const repetitions = await selectRepetitions(tx, document, [...byPosition.keys()], named);
  return repetitions.flatMap((repetition) => {
    const original = byPosition.get(repetition.original);
    return (original && changeOf(repetition, original)) ?? [];
  });
}

function changeOf(repetition: Repetition, original: ChangedOriginal): SegmentChange | undefined {
  const { position } = repetition;
  const { target, targetText, checked, reason } = original;
  const isSameText = isSameContent(repetition.target, target);
  const decided = new Map(original.findings.map((finding) => [idOf(finding), finding]));
  const reviewed = isSameText
    ? undefined
    : reviewedFindings(
        repetition,
        checked ?? { issues: original.findings.filter(({ found_by }) => found_by === 'check') },
        true,
      );
  // A decision, or a reason, counts only for findings that the reviewer has seen with the original.
  const isCriticalHere = (reviewed?.findings ?? (repetition.issues as Finding[])).some(
    (finding) => isOpenCritical(finding) && !decided.has(idOf(finding)),
  );
  const isConfirmed = original.isConfirmed && !isCriticalHere;
  const change = { position, kind: 'repeated', isConfirmed, reason } as const;
  if (reviewed) {
    const findings = reviewed.findings.map((finding) => decided.get(idOf(finding)) ?? finding);
    return {
      ...change,
      findings: { ...reviewed, findings },
      translation: { target, targetText, repetitionOf: original.position },
    };
  }
  return isConfirmed === repetition.isConfirmed || isCriticalHere ? undefined : change;
}

/** If several originals have the same source, their repetitions belong to the first one. */
async function selectRepetitions(
  tx: Tx,
  { tenantId, documentId }: { tenantId: string; documentId: string },
  originals: readonly number[],
  named: readonly number[],
): Promise<Repetition[]> {
  const positionsIn = (positions: readonly number[]) =>
    sql`array(select json_array_elements_text(${JSON.stringify(positions)}::json)::int)`;
  const rows = await tx.execute<Repetition & Record<string, unknown>>(sql`
    with originals as materialized (
      select source_key, min(position) as position from document_segments
      where tenant_id = ${tenantId} and document_id = ${documentId} and position = any(${positionsIn(originals)})
      group by source_key)
    select s.position, o.position as original, s.target, s.issues, s.score, s.needs_review as "needsReview",
      s.confirmed_at is not null as "isConfirmed"
    from document_segments s join originals o on o.source_key = s.source_key
    where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position <> all(${positionsIn(named)})
      -- Without statistics the planner would read the whole document; an array becomes a condition of the index.
      and s.source_key = any(array(select source_key from originals))
      and case when not s.corrected and s.confirmed_at is null then true
        else s.provenance -> 'repetition_of' = to_jsonb(o.position) and 'repeated' = (
          select e.kind from segment_events e
          where e.tenant_id = s.tenant_id and e.document_id = s.document_id and e.position = s.position
            and e.undone_at is null and e.kind not in ('undone', 'redone')
          order by e.created_at desc, e.event_id desc limit 1) end
    order by s.position`);
  return [...rows];
}
