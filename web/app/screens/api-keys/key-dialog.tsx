import { useState } from 'react';
import { apiKeys } from '#sdk/api-keys.ts';
import type { ApiKey, ApiKeyScope } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { CheckGroup } from '../../kit/check-group.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { ProofField, useProof } from '../../parts/proof-field.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import type { Me } from '../../session/use-me.ts';

const allScopes: readonly ApiKeyScope[] = ['translate', 'read', 'review', 'admin'];

/**
 * A dialog that creates an API key, or changes one. After the creation it shows the secret, once.
 * @param edited the key to change; undefined to create one
 */
export function KeyDialog({
  me,
  edited,
  onChanged,
  onClose,
}: {
  me: Me;
  edited?: ApiKey;
  onChanged: (words: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const t = useT();
  const [name, setName] = useState(edited?.name ?? '');
  const [chosen, setChosen] = useState<readonly ApiKeyScope[]>(edited?.scopes ?? ['translate', 'read']);
  const formerDay = dayOf(edited?.expires_at ?? null);
  const [lastDay, setLastDay] = useState(formerDay);
  const [secret, setSecret] = useState<string>();
  const proof = useProof(me);
  const submit = async () => {
    const scopes = [...chosen];
    const expires_at = lastDay === '' ? null : endOf(lastDay);
    try {
      if (edited) {
        await bound(apiKeys).update({
          ...{ key_id: edited.key_id, name, ...proof.field },
          // Only the limits that differ: the workspace key cannot have limits.
          ...(edited.scopes.join() !== scopes.join() && { scopes }),
          ...(formerDay !== lastDay && { expires_at }),
        });
        await onChanged(t('common.saved'));
        onClose();
      } else {
        const created = await bound(apiKeys).create({ name, scopes, expires_at, ...proof.field });
        setSecret(created.api_key);
        await onChanged(t('apiKeys.created_once'));
      }
    } finally {
      proof.clear();
    }
  };
  const toggle = (scope: ApiKeyScope, isOn: boolean) =>
    setChosen(allScopes.filter((one) => (one === scope ? isOn : chosen.includes(one))));
  const title = edited ? t('apiKeys.edit_title', { name: edited.name }) : t('apiKeys.create');
  if (secret !== undefined)
    return <NewSecret title={t('apiKeys.new_key')} value={secret} onClose={onClose} />;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        action={edited ? t('common.save') : t('apiKeys.create')}
        isReady={chosen.length > 0}
        onSubmit={submit}
        onCancel={onClose}
      >
        <Field
          label={t('apiKeys.name')}
          hint={t('apiKeys.name_hint')}
          name="name"
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          onValue={setName}
        />
        {edited?.workspace ? (
          <p className="hint">{t('apiKeys.workspace_hint')}</p>
        ) : (
          <>
            <CheckGroup
              label={t('apiKeys.scopes')}
              options={allScopes.map((scope) => ({
                value: scope,
                name: t(`apiKeys.${scope}`),
                why: t(`apiKeys.${scope}_hint`),
              }))}
              chosen={chosen}
              onToggle={toggle}
            />
            <Field
              label={t('apiKeys.last_day')}
              hint={t('apiKeys.last_day_hint')}
              name="expires_at"
              type="date"
              min={dayOf(new Date().toISOString())}
              value={lastDay}
              onValue={setLastDay}
            />
          </>
        )}
        <ProofField of={proof} />
      </Form>
    </Dialog>
  );
}

/** The day of a time in the browser's time zone, YYYY-MM-DD; '' for null. */
function dayOf(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;
}

/** The end of a day in the browser's time zone. */
function endOf(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString();
}

/**
 * The dialog that shows a new secret, once. Escape does not close it: a key that was not copied would be lost.
 */
export function NewSecret({ title, value, onClose }: { title: string; value: string; onClose: () => void }) {
  const t = useT();
  return (
    <Dialog title={title} onClose={onClose} isBusy>
      <ShownOnce label={t('apiKeys.secret')} value={value} />
      <div className="actions">
        <button type="button" className="primary" onClick={onClose}>
          {t('apiKeys.done')}
        </button>
      </div>
    </Dialog>
  );
}
