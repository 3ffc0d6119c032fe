import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { client } from '../../client.ts';
import type { Reason } from '../../editor/segment-saves.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { CriticalFindings } from '../../parts/critical-findings.tsx';
import { type CriticalFinding, criticalFindingsOf } from '../../parts/critical-findings-of.ts';
import { Field } from '../../parts/field.tsx';
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
  const confirm = async (reason?: Reason) => {
    const segments = [{ position, target_text }];
    try {
      const done = await client.documents.confirm({
        document_id: documentId,
        segments,
        confirmed: !isConfirmed,
        ...(reason && { confirm_critical: true, reason }),
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
      <button type="button" className="plain small" disabled={isBusy} onClick={run(() => confirm())}>
        {t(isConfirmed ? 'documents.unconfirm' : 'documents.confirm')}
      </button>
      {error ? <Problem error={error} /> : null}
      {critical && (
        <ConfirmWithReason findings={critical} onConfirm={confirm} onClose={() => setCritical(undefined)} />
      )}
    </>
  );
}

const codes = ['check_is_wrong', 'client_wants_it', 'elsewhere_in_text'] as const satisfies Reason['code'][];

/** Minimum number of characters of a note. */
const minNote = 10;

/** Asks why critical findings are confirmed. */
function ConfirmWithReason({
  findings,
  onConfirm,
  onClose,
}: {
  findings: readonly CriticalFinding[];
  onConfirm: (reason: Reason) => Promise<unknown>;
  onClose: () => void;
}) {
  const t = useT();
  const group = useId();
  const [code, setCode] = useState<Reason['code']>('check_is_wrong');
  const [note, setNote] = useState('');
  return (
    <ConfirmDialog
      title={t('documents.critical_question')}
      action={t('documents.confirm_anyway')}
      isCautious
      isReady={[...note.trim()].length >= minNote}
      onConfirm={() => onConfirm({ code, note: note.trim() })}
      onClose={onClose}
    >
      <p>{t('documents.critical_why')}</p>
      <CriticalFindings findings={findings} />
      <fieldset>
        <legend>{t('editor.reason')}</legend>
        {codes.map((one) => (
          <label key={one}>
            <input type="radio" name={group} checked={code === one} onChange={() => setCode(one)} />
            {t(`editor.reason_${one}`)}
          </label>
        ))}
      </fieldset>
      <Field label={t('editor.note')} value={note} onValue={setNote} maxLength={500} />
    </ConfirmDialog>
  );
}
