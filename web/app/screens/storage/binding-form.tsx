import { useState } from 'react';
import type { StorageBinding, StorageBindingRequest } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Field } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { Select } from '../../kit/select.tsx';
import { procedures } from '../../procedures.ts';
import { proved } from '../../session/proof.ts';

const modes = ['sas', 'connection_string', 'managed_identity'] as const;

type Mode = (typeof modes)[number];

const directories = ['documents', 'golden'] as const;

/**
 * Connects the workspace's own storage account, or changes this connection. The service never returns the secret. If
 * the field is empty, the stored secret is kept; this is possible only while mode and account stay the same.
 */
export function BindingForm({
  binding,
  onSaved,
}: {
  binding: StorageBinding;
  onSaved: (next: StorageBinding) => void;
}) {
  const t = useT();
  const isBound = binding.provider === 'datalake';
  const [account, setAccount] = useState(binding.account_url ?? '');
  const [container, setContainer] = useState(binding.filesystem ?? '');
  const [mode, setMode] = useState<Mode>(binding.auth_mode ?? 'sas');
  const [secret, setSecret] = useState('');
  const [prefixes, setPrefixes] = useState(binding.prefixes);
  const isSameAccount = dfsForm(account) === binding.account_url;
  const keepsSecret = binding.has_secret && mode === binding.auth_mode && isSameAccount;

  const submit = async () => {
    const request: StorageBindingRequest = {
      provider: 'datalake',
      account_url: account.trim(),
      filesystem: container.trim(),
      auth_mode: mode,
      prefixes,
      ...(mode !== 'managed_identity' && secret !== '' && { secret }),
    };
    const next = await proved(() => procedures.storage.bind.mutate(request));
    setSecret('');
    onSaved(next);
  };

  return (
    <details open={isBound || undefined}>
      <summary className="button">{t(isBound ? 'storage.change' : 'storage.bind')}</summary>
      <Form action={t('common.save')} onSubmit={submit}>
        <Field
          label={t('storage.account')}
          hint={t('storage.account_hint')}
          name="account_url"
          type="url"
          dir="ltr"
          required
          placeholder="https://account.dfs.core.windows.net"
          value={account}
          onValue={setAccount}
        />
        <Field
          label={t('storage.container')}
          name="filesystem"
          dir="ltr"
          required
          value={container}
          onValue={setContainer}
        />
        <Select
          label={t('storage.mode')}
          value={mode}
          options={modes.map((one) => ({ value: one, name: t(`storage.mode_${one}`) }))}
          onChange={setMode}
        />
        {mode === 'managed_identity' ? (
          <p className="hint">
            {t('storage.principal')} <bdi translate="no">{binding.principal_client_id ?? '—'}</bdi>
          </p>
        ) : (
          <Field
            label={t(`storage.secret_${mode}`)}
            hint={t(keepsSecret ? 'storage.secret_kept' : 'storage.secret_hint')}
            name="secret"
            type="password"
            autoComplete="off"
            dir="ltr"
            required={!keepsSecret}
            value={secret}
            onValue={setSecret}
          />
        )}
        {directories.map((directory) => (
          <Field
            key={directory}
            label={t(`storage.${directory}`)}
            name={`prefixes.${directory}`}
            dir="ltr"
            required
            value={prefixes[directory]}
            onValue={(value) => setPrefixes({ ...prefixes, [directory]: value })}
          />
        ))}
        <p className="hint">{t('storage.unverified_after')}</p>
      </Form>
    </details>
  );
}

/** Converts the URL of an account to the form in which the service returns it. */
function dfsForm(url: string): string {
  return url.trim().replace(/\/$/, '').replace('.blob.core.', '.dfs.core.');
}
