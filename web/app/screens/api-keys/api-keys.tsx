import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { apiKeys } from '#sdk/api-keys.ts';
import type { ApiKey } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { AdminsOnly } from '../../parts/admins-only.tsx';
import { announce } from '../../parts/announcer.tsx';
import { ConfirmDialog, Dialog, FormActions } from '../../parts/confirm-dialog.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { ProofField, useProof } from '../../parts/proof-field.tsx';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import type { Me } from '../../session/use-me.ts';
import styles from './api-keys.module.css';
import { KeyDialog, NewSecret } from './key-dialog.tsx';

/** `/app/settings/api-keys`: the API keys of the workspace. */
export function ApiKeysScreen() {
  return <AdminsOnly title="apiKeys.title">{(me) => <Keys me={me} />}</AdminsOnly>;
}

/** An open dialog: to create a key, or for an action on an existing key. */
type Open = { what: 'create' } | { what: KeyAction; key: ApiKey };

function Keys({ me }: { me: Me }) {
  const t = useT();
  const queries = useQueryClient();
  const reading = useQuery({ queryKey: queryKeys.apiKeys, queryFn: () => bound(apiKeys).list() });
  const [open, setOpen] = useState<Open>();
  const heading = useRef<HTMLHeadingElement>(null);
  const changed = (words: string) => {
    announce(words);
    // The account shows the first characters of the workspace key.
    void queries.invalidateQueries({ queryKey: queryKeys.me });
    return queries.invalidateQueries({ queryKey: queryKeys.apiKeys });
  };
  const close = () => {
    setOpen(undefined);
    // The closed dialog returns the focus to the button that opened it. The row of a revoked key is gone.
    setTimeout(() => document.activeElement === document.body && heading.current?.focus());
  };
  return (
    <>
      <Setting
        id="api-keys"
        title={t('apiKeys.keys')}
        why={t('apiKeys.why')}
        heading={heading}
        action={
          <button type="button" className="primary" onClick={() => setOpen({ what: 'create' })}>
            <Plus size={16} aria-hidden /> {t('apiKeys.create')}
          </button>
        }
        wide
      >
        <Read from={reading}>
          {({ keys }) =>
            keys.length === 0 ? (
              <p>{t('apiKeys.none')}</p>
            ) : (
              <KeyTable keys={keys} onAct={(what, key) => setOpen({ what, key })} />
            )
          }
        </Read>
      </Setting>
      {open?.what === 'create' && <KeyDialog me={me} onChanged={changed} onClose={close} />}
      {open?.what === 'edit' && <KeyDialog me={me} edited={open.key} onChanged={changed} onClose={close} />}
      {open?.what === 'rotate' && <RotateDialog me={me} of={open.key} onChanged={changed} onClose={close} />}
      {open?.what === 'revoke' && (
        <ConfirmDialog
          title={t('apiKeys.revoke_title', { name: open.key.name })}
          action={t('apiKeys.revoke')}
          isCautious
          onClose={close}
          onConfirm={async () => {
            await bound(apiKeys).revoke(open.key.key_id);
            await changed(t('apiKeys.revoked'));
          }}
        >
          <p>{t('apiKeys.revoke_why')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const hour = 3600;
const day = 24 * hour;

/** The overlaps that can be selected, in seconds. */
const overlaps: readonly number[] = [0, hour, day, 7 * day, 30 * day];

/** A dialog that gives an API key a new secret, and shows it once. */
function RotateDialog({
  me,
  of,
  onChanged,
  onClose,
}: {
  me: Me;
  of: ApiKey;
  onChanged: (words: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const t = useT();
  const format = useFormat();
  const [overlap, setOverlap] = useState(day);
  const [secret, setSecret] = useState<string>();
  const proof = useProof(me);
  const { run, error, isBusy } = useAction();
  const submit = run(async () => {
    try {
      // The request has no retry. If the response is lost, a repeated request would end the secret of the first one.
      const rotated = await bound(apiKeys).rotate({
        key_id: of.key_id,
        overlap_seconds: overlap,
        ...proof.field,
      });
      setSecret(rotated.api_key);
      await onChanged(t('security.rotated'));
    } finally {
      proof.clear();
    }
  });
  if (secret !== undefined)
    return <NewSecret title={t('apiKeys.new_key')} value={secret} onClose={onClose} />;
  return (
    <Dialog title={t('apiKeys.rotate_title', { name: of.name })} onClose={onClose} isBusy={isBusy}>
      <form className="form" onSubmit={submit}>
        <p>{t('apiKeys.rotate_why')}</p>
        {error !== undefined && !fieldProblem(error, proof.name) && <Problem error={error} />}
        <label>
          {t('apiKeys.overlap')}
          <select value={overlap} onChange={({ target }) => setOverlap(Number(target.value))}>
            {overlaps.map((seconds) => (
              <option key={seconds} value={seconds}>
                {seconds === 0 ? t('apiKeys.no_overlap') : format.span(seconds)}
              </option>
            ))}
          </select>
        </label>
        <ProofField of={proof} error={error} />
        <FormActions action={t('apiKeys.rotate')} kind="danger" isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

type KeyAction = 'edit' | 'rotate' | 'revoke';

/** A table of API keys. @param onAct opens the dialog of an action on a key */
function KeyTable({
  keys,
  onAct,
}: {
  keys: readonly ApiKey[];
  onAct: (what: KeyAction, key: ApiKey) => void;
}) {
  const t = useT();
  const format = useFormat();
  return (
    <StackedTable
      columns={[
        t('apiKeys.name'),
        t('apiKeys.scopes'),
        t('apiKeys.created'),
        t('apiKeys.last_used'),
        t('apiKeys.ends'),
      ]}
      actions={t('apiKeys.actions')}
      className={styles['keys']}
    >
      {keys.map((key) => (
        <tr key={key.key_id}>
          <td data-label={t('apiKeys.name')}>
            <span className={styles['stack']}>
              <bdi translate="no">{key.name}</bdi>
              <code translate="no" dir="ltr">
                {key.prefix}…
              </code>
            </span>
          </td>
          <td data-label={t('apiKeys.scopes')}>
            {key.scopes.map((scope) => t(`apiKeys.${scope}`)).join(', ')}
          </td>
          <td data-label={t('apiKeys.created')}>
            <span className={styles['stack']}>
              <span className={styles['day']}>{format.day(key.created_at)}</span>
              {key.created_by && <bdi className="hint">{t('apiKeys.by', { member: key.created_by })}</bdi>}
              {key.by_former_admin && <span className="badge bad">{t('apiKeys.by_former')}</span>}
            </span>
          </td>
          <td data-label={t('apiKeys.last_used')} className={styles['day']}>
            {key.last_used_at ? (
              <span className={styles['stack']}>
                {format.day(key.last_used_at)}
                <span className="hint">{format.time(new Date(key.last_used_at))}</span>
              </span>
            ) : (
              t('apiKeys.never_used')
            )}
          </td>
          <td data-label={t('apiKeys.ends')}>
            <span className={styles['stack']}>
              {key.expires_at ? format.moment(key.expires_at) : t('apiKeys.no_end')}
              {key.expired && <span className="badge bad">{t('apiKeys.ended')}</span>}
              {key.overlap_ends_at && (
                <span className="hint">
                  {t('apiKeys.overlap_until', { when: format.moment(key.overlap_ends_at) })}
                </span>
              )}
            </span>
          </td>
          <td>
            <div className={styles['row']}>
              {(key.expired ? actionsOfEnded : actions).map((what) => (
                <button key={what} type="button" className="small" onClick={() => onAct(what, key)}>
                  {t(`apiKeys.${what}`)} <bdi className="visually-hidden">{key.name}</bdi>
                </button>
              ))}
            </div>
          </td>
        </tr>
      ))}
    </StackedTable>
  );
}

const actions: readonly KeyAction[] = ['edit', 'rotate', 'revoke'];
/** A key that has ended can be neither changed nor rotated. */
const actionsOfEnded: readonly KeyAction[] = ['revoke'];
