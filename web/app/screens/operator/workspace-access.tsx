import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { WorkspaceView } from '#sdk/operation-types.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useFormat } from '../../parts/format.ts';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { proved } from '../../session/proof.ts';

/** Actions that need a confirmation. */
type Question = 'deactivate' | 'rotate' | 'revoke';

/** The API key of a workspace, and whether its credentials are accepted at all. */
export function WorkspaceAccess({ of }: { of: WorkspaceView }) {
  const t = useT();
  const { day } = useFormat();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const [question, setQuestion] = useState<Question>();
  const [key, setKey] = useState<string>();
  const named = { tenant_id: of.id };
  const done = async (what: MessageId) => {
    announce(t(what));
    void queries.invalidateQueries({ queryKey: queryKeys.operator.tenants });
    await queries.invalidateQueries({ queryKey: queryKeys.operator.workspace(of.id) });
  };
  const confirmed: Record<Question, () => Promise<void>> = {
    async deactivate() {
      await procedures.operations.deactivate.mutate(named);
      await done('operator.deactivated');
    },
    async rotate() {
      setKey((await proved(() => procedures.operations.rotateKey.mutate({ tenant_id: of.id }))).api_key);
      await done('security.rotated');
    },
    async revoke() {
      await procedures.operations.revokeKey.mutate(named);
      setKey(undefined);
      await done('operator.revoked');
    },
  };
  const reactivate = run(async () => {
    await proved(() => procedures.operations.reactivate.mutate(named));
    await done('operator.reactivated');
  });
  return (
    <Setting id="access" title={t('operator.access')} why={t('operator.access_why')}>
      {error !== undefined && <Problem error={error} />}
      <p>
        {of.api_key_prefix === null ? (
          t('operator.no_key')
        ) : (
          <>
            {t('operator.key')} <code translate="no">{of.api_key_prefix}…</code>
            {of.api_key_since !== null && (
              <span className="hint"> {t('operator.key_since', { day: day(of.api_key_since) })}</span>
            )}
          </>
        )}{' '}
        <span className="hint">{t('operator.keys', { count: of.api_keys })}</span>
      </p>
      {key !== undefined && <ShownOnce key={key} label={t('operator.api_key')} value={key} />}
      <div className="actions">
        <button type="button" disabled={isBusy} onClick={() => setQuestion('rotate')}>
          {t('operator.rotate')}
        </button>
        {of.api_keys > 0 && (
          <button type="button" className="danger" disabled={isBusy} onClick={() => setQuestion('revoke')}>
            {t('operator.revoke')}
          </button>
        )}
        {of.active ? (
          <button
            type="button"
            className="danger"
            disabled={isBusy}
            onClick={() => setQuestion('deactivate')}
          >
            {t('operator.deactivate')}
          </button>
        ) : (
          <button type="button" className="primary" disabled={isBusy} onClick={reactivate}>
            {t('operator.reactivate')}
          </button>
        )}
      </div>
      {question && (
        <ConfirmDialog
          title={t(`operator.${question}_question`)}
          action={t(`operator.${question}`)}
          onConfirm={confirmed[question]}
          onClose={() => setQuestion(undefined)}
        >
          <p>
            <bdi translate="no">{of.name}</bdi>
          </p>
          <p>{t(`operator.${question}_why`)}</p>
        </ConfirmDialog>
      )}
    </Setting>
  );
}
