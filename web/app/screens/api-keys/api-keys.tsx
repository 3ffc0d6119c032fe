import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { apiKeys } from '#sdk/api-keys.ts';
import type { ApiKey } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { AdminsOnly } from '../../parts/admins-only.tsx';
import { announce } from '../../parts/announcer.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { queryKeys } from '../../query-keys.ts';
import type { Me } from '../../session/use-me.ts';
import { KeyDialog } from './key-dialog.tsx';
import { type KeyAction, KeyTable } from './key-table.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

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
