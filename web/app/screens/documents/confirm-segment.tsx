import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { type CriticalFinding, criticalFindingsOf } from '../../parts/critical-findings-of.ts';
import { ConfirmCritical } from '../../parts/critical-findings.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Segment } from './search.ts';
import { storeSegments } from './use-segments.ts';

/** A button that confirms a translation without a change, or withdraws the confirmation. */
export function ConfirmSegment({ documentId, segment }: { documentId: string; segment: Segment }) {
  const t = useT();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const [critical, setCritical] = useState<CriticalFinding[]>();
  const { position, target_text, confirmed_at } = segment;
  const isConfirmed = confirmed_at !== null;
  if (target_text === null) return null;
  const confirm = async (confirm_critical: boolean) => {
    const segments = [{ position, target_text }];
    try {
      const done = await client.documents.confirm({
        document_id: documentId,
        segments,
        confirmed: !isConfirmed,
        confirm_critical,
      });
      storeSegments(queries, documentId, done.segments);
      announce(t(isConfirmed ? 'documents.unconfirmed' : 'documents.confirmed'));
      await Promise.all(
        [queryKeys.documents.document(documentId), queryKeys.documents.outline(documentId)].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      );
    } catch (thrown) {
      const findings = criticalFindingsOf(thrown);
      if (!findings) throw thrown;
      setCritical(findings);
    }
  };
  return (
    <>
      <button type="button" className="plain small" disabled={isBusy} onClick={run(() => confirm(false))}>
        {t(isConfirmed ? 'documents.unconfirm' : 'documents.confirm')}
      </button>
      {error ? <Problem error={error} /> : null}
      {critical && (
        <ConfirmCritical
          words={{
            question: 'documents.critical_question',
            why: 'documents.critical_why',
            action: 'documents.confirm_anyway',
          }}
          findings={critical}
          onConfirm={() => confirm(true)}
          onClose={() => setCritical(undefined)}
        />
      )}
    </>
  );
}
