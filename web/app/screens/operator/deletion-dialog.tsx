import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OutputOf } from '#sdk/procedure-types.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { useFormat } from '../../parts/format.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';

/** The rows and files that a deletion would delete. */
export type DeletionPreview = OutputOf<'retention.previewDeletion'>;

/** Days of the waiting period, unless the operator enters another number. */
const defaultDays = 30;
const maxDays = 3650;
const dayMs = 86_400_000;

/** Schedules the deletion of a workspace, after the operator has typed its name and a verification code. */
export function DeletionDialog({
  found: { tenant_id, name },
  onDone,
  onClose,
}: {
  found: DeletionPreview;
  onDone: () => void;
  onClose: () => void;
}) {
  const t = useT();
  const { day } = useFormat();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const [days, setDays] = useState(String(defaultDays));
  const [code, setCode] = useState('');
  const wait = Number(days);
  const isWait = days !== '' && Number.isInteger(wait) && wait >= 0 && wait <= maxDays;
  const isReady = typed.trim() === name.trim() && isWait && code.trim() !== '';
  const schedule = async () => {
    try {
      const request = { tenant_id, name: typed, after_days: wait, mfa_code: code.trim() };
      await procedures.retention.scheduleDeletion.mutate(request);
      announce(t('operator.deletion_was_scheduled'));
      onDone();
    } finally {
      setCode('');
      void queries.invalidateQueries({ queryKey: queryKeys.operator.deletions });
      void queries.invalidateQueries({ queryKey: queryKeys.operator.tenants });
    }
  };
  return (
    <ConfirmDialog
      title={t('operator.delete_question')}
      action={t('operator.delete')}
      isReady={isReady}
      onConfirm={schedule}
      onClose={onClose}
    >
      <p>{t('operator.delete_why')}</p>
      <Field
        label={t('operator.waiting_days')}
        hint={
          isWait && wait > 0
            ? t('operator.waiting_until', { day: day(new Date(Date.now() + wait * dayMs).toISOString()) })
            : t('operator.waiting_none')
        }
        problem={undefined}
        type="number"
        min={0}
        max={maxDays}
        required
        value={days}
        onValue={setDays}
      />
      <Field
        label={t('operator.type_name', { name })}
        problem={undefined}
        required
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onValue={setTyped}
      />
      <Field
        label={t('security.proof_code')}
        problem={undefined}
        required
        autoComplete="one-time-code"
        inputMode="numeric"
        value={code}
        onValue={setCode}
      />
    </ConfirmDialog>
  );
}
