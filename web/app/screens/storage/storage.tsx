import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { storage } from '#sdk/storage.ts';
import type { StorageBinding } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Choice } from '../../kit/check-group.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Badge } from '../../kit/text.tsx';
import { AdminsOnly, Forbidden } from '../../parts/admins-only.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Bar } from '../../parts/bar.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { proved } from '../../session/proof.ts';
import { BindingForm } from './binding-form.tsx';
import { OwnEngine } from './own-engine.tsx';

/** `/app/settings/storage`: the storage of the workspace's records and files, its usage, and its own engine. */
export function StorageScreen() {
  const t = useT();
  return (
    <AdminsOnly title="storage.title">
      {() => (
        <>
          <Occupied />
          {deployment.storage ? <Binding /> : <Forbidden why={t('storage.off')} />}
          <OwnEngine />
        </>
      )}
    </AdminsOnly>
  );
}

function Occupied() {
  const t = useT();
  const { bytes, number } = useFormat();
  const usage = useQuery({ queryKey: queryKeys.storage.usage, queryFn: () => bound(storage).usage() });
  return (
    <Setting id="occupied" title={t('storage.usage')} why={t('storage.usage_why')}>
      <Read from={usage}>
        {({ bytes_used, bytes_allowed, objects }) => (
          <>
            <p id="occupied-bytes">
              {bytes_allowed === null
                ? t('storage.used', { used: bytes(bytes_used), count: objects, objects: number(objects) })
                : t('storage.used_of', {
                    used: bytes(bytes_used),
                    allowed: bytes(bytes_allowed),
                    count: objects,
                    objects: number(objects),
                  })}
            </p>
            {bytes_allowed !== null && (
              <Bar labelledBy="occupied-bytes" max={bytes_allowed} value={bytes_used} />
            )}
          </>
        )}
      </Read>
    </Setting>
  );
}

/** The effect of the last change on jobs that were not published yet. */
type Replay = NonNullable<StorageBinding['replay']>;

function Binding() {
  const t = useT();
  const queries = useQueryClient();
  const binding = useQuery({ queryKey: queryKeys.storage.binding, queryFn: () => bound(storage).binding() });
  const [replay, setReplay] = useState<Replay>();

  /** Shows the binding from the service's response without a reload. */
  const changed = (next: StorageBinding) => {
    queries.setQueryData(queryKeys.storage.binding, next);
    void queries.invalidateQueries({ queryKey: queryKeys.storage.usage });
    setReplay(next.replay);
  };
  return (
    <Setting id="binding" title={t('storage.binding')} why={t('storage.binding_why')}>
      <Read from={binding} lines={10}>
        {(bound) => (
          <>
            <State binding={bound} onChanged={changed} />
            {replay && <p className="notice">{t('storage.replay', { ...replay })}</p>}
            <BindingForm
              // When the binding changes, the form starts again with its values. If a change is rejected, the form
              // keeps the typed values.
              key={`${bound.provider} ${bound.updated_at}`}
              binding={bound}
              onSaved={(next) => {
                changed(next);
                announce(t('storage.saved'));
              }}
            />
          </>
        )}
      </Read>
    </Setting>
  );
}

/** The state of the binding, and the actions that it allows. */
function State({
  binding,
  onChanged,
}: {
  binding: StorageBinding;
  onChanged: (next: StorageBinding) => void;
}) {
  const t = useT();
  const { moment } = useFormat();
  const { provider, account_url, filesystem, status, last_error, last_verified_at, updated_by } = binding;
  const { run, error, isBusy: isVerifying } = useAction();
  const [isLeaving, setLeaving] = useState(false);
  if (provider === 'platform') return <p>{t('storage.platform')}</p>;

  const verify = run(async () => {
    const next = await bound(storage).verify();
    onChanged(next);
    announce(t(`storage.now_${next.status}`));
  });
  return (
    <>
      <p>
        <Badge {...(status === 'verified' ? { tone: 'good' } : status === 'error' && { tone: 'bad' })}>
          {t(`storage.${status}`)}
        </Badge>{' '}
        <bdi translate="no">
          {account_url}/{filesystem}
        </bdi>
      </p>
      {status !== 'verified' && <p>{t('storage.refused_until')}</p>}
      {last_error !== null && (
        <div className="problem">
          <p>{t('storage.last_error')}</p>
          <p translate="no">
            <bdi>{last_error}</bdi>
          </p>
        </div>
      )}
      <p className="hint">
        {last_verified_at && t('storage.verified_at', { when: moment(last_verified_at) })}{' '}
        {updated_by && (
          <>
            {t('storage.changed_by')} <bdi translate="no">{updated_by}</bdi>
          </>
        )}
      </p>
      {error ? <Problem error={error} retry={verify} /> : null}
      <div className="actions">
        <button type="button" className="primary" aria-disabled={isVerifying} onClick={verify}>
          {isVerifying ? t('storage.verifying') : t('storage.verify')}
        </button>
        <button type="button" className="danger" disabled={isVerifying} onClick={() => setLeaving(true)}>
          {t('storage.leave')}
        </button>
      </div>
      {isLeaving && <LeaveDialog onChanged={onChanged} onClose={() => setLeaving(false)} />}
    </>
  );
}

/**
 * Disconnects the account in one of two ways. The first changes to platform storage after the service has verified that
 * it works. The second only removes the binding; it is for a secret that must be removed while platform storage fails.
 */
function LeaveDialog({
  onChanged,
  onClose,
}: {
  onChanged: (next: StorageBinding) => void;
  onClose: () => void;
}) {
  const t = useT();
  const [how, setHow] = useState<'return' | 'remove'>('return');
  return (
    <ConfirmDialog
      title={t('storage.leave')}
      action={t('storage.leave')}
      onClose={onClose}
      onConfirm={async () => {
        const leave = () =>
          how === 'remove'
            ? bound(storage).unbind()
            : procedures.storage.bind.mutate({ provider: 'platform' });
        onChanged(await proved(leave));
        announce(t('storage.left'));
      }}
    >
      <p>{t('storage.leave_why')}</p>
      <Choice
        label={t('storage.leave_how')}
        value={how}
        options={[
          ['return', t('storage.leave_return')],
          ['remove', t('storage.leave_remove')],
        ]}
        onChange={setHow}
      />
    </ConfirmDialog>
  );
}
