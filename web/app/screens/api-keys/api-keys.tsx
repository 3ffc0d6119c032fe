import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { apiKeys } from '#sdk/api-keys.ts';
import type { ApiKey } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { ConfirmDialog, Dialog } from '../../kit/dialog.tsx';
import { NativeSelect } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { Badge } from '../../kit/text.tsx';
import { AdminsOnly } from '../../parts/admins-only.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { ProofField, useProof } from '../../parts/proof-field.tsx';
import { Setting } from '../../parts/setting.tsx';
import { queryKeys } from '../../query-keys.ts';
import type { Me } from '../../session/use-me.ts';
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
  const submit = async () => {
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
  };
  if (secret !== undefined)
    return <NewSecret title={t('apiKeys.new_key')} value={secret} onClose={onClose} />;
  return (
    <Dialog title={t('apiKeys.rotate_title', { name: of.name })} onClose={onClose}>
      <Form action={t('apiKeys.rotate')} kind="danger" onSubmit={submit} onCancel={onClose}>
        <p>{t('apiKeys.rotate_why')}</p>
        <NativeSelect
          label={t('apiKeys.overlap')}
          value={String(overlap)}
          options={overlaps.map((seconds) => [
            String(seconds),
            seconds === 0 ? t('apiKeys.no_overlap') : format.span(seconds),
          ])}
          onChange={(seconds) => setOverlap(Number(seconds))}
        />
        <ProofField of={proof} />
      </Form>
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
    <DataTable
      rows={keys}
      keyOf={({ key_id }) => key_id}
      columns={[
        {
          title: t('apiKeys.name'),
          wraps: true,
          cell: ({ name, prefix }) => (
            <Stack gap={0} align="start">
              <bdi translate="no">{name}</bdi>
              <code translate="no" dir="ltr">
                {prefix}…
              </code>
            </Stack>
          ),
        },
        {
          title: t('apiKeys.scopes'),
          wraps: true,
          cell: (key) => key.scopes.map((scope) => t(`apiKeys.${scope}`)).join(', '),
        },
        { title: t('apiKeys.created'), least: 11, wraps: true, cell: (key) => <Created of={key} /> },
        {
          title: t('apiKeys.last_used'),
          cell: ({ last_used_at: at }) =>
            at ? (
              <Stack gap={0}>
                {format.day(at)}
                <span className="hint">{format.time(new Date(at))}</span>
              </Stack>
            ) : (
              t('apiKeys.never_used')
            ),
        },
        { title: t('apiKeys.ends'), wraps: true, cell: (key) => <End of={key} /> },
      ]}
      actions={{
        title: t('apiKeys.actions'),
        cell: (key) => (
          <Row gap={1}>
            {(key.expired ? actionsOfEnded : actions).map((what) => (
              <button key={what} type="button" className="small" onClick={() => onAct(what, key)}>
                {t(`apiKeys.${what}`)} <bdi className="visually-hidden">{key.name}</bdi>
              </button>
            ))}
          </Row>
        ),
      }}
    />
  );
}

/** When a key was created, and by whom. */
function Created({ of: { created_at, created_by, by_former_admin } }: { of: ApiKey }) {
  const t = useT();
  const format = useFormat();
  return (
    <Stack gap={0} align="start">
      {format.day(created_at)}
      {created_by && <bdi className="hint">{t('apiKeys.by', { member: created_by })}</bdi>}
      {by_former_admin && (
        <>
          <Badge tone="bad">{t('apiKeys.by_former')}</Badge>
          <span className="hint">{t('apiKeys.by_former_hint')}</span>
        </>
      )}
    </Stack>
  );
}

/** When a key ends, and for how long its former secret is valid. */
function End({ of: { expires_at, expired, overlap_ends_at } }: { of: ApiKey }) {
  const t = useT();
  const format = useFormat();
  return (
    <Stack gap={0} align="start">
      {expires_at ? format.moment(expires_at) : t('apiKeys.no_end')}
      {expired && <Badge tone="bad">{t('apiKeys.ended')}</Badge>}
      {overlap_ends_at && (
        <span className="hint">{t('apiKeys.overlap_until', { when: format.moment(overlap_ends_at) })}</span>
      )}
    </Stack>
  );
}

const actions: readonly KeyAction[] = ['edit', 'rotate', 'revoke'];
/** A key that has ended can be neither changed nor rotated. */
const actionsOfEnded: readonly KeyAction[] = ['revoke'];
