import { type FormEvent, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { StorageBinding, StorageBindingRequest } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Problem } from '../../parts/problem.tsx';

const modes = ['sas', 'connection_string', 'managed_identity'] as const;

type Mode = (typeof modes)[number];

const directories = ['documents', 'golden'] as const;

/**
 * Binds an account of the workspace's own, or changes the binding. The service never returns the secret: the field is empty, and left
 * empty it keeps the stored one as long as the mode is the same.
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
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const keepsSecret = binding.has_secret && mode === binding.auth_mode;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    const request: StorageBindingRequest = {
      provider: 'datalake',
      account_url: account.trim(),
      filesystem: container.trim(),
      auth_mode: mode,
      prefixes,
      ...(mode !== 'managed_identity' && secret !== '' && { secret }),
    };
    try {
      const next = await client.storage.bind(request);
      setSecret('');
      onSaved(next);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };

  return (
    <details open={isBound || undefined}>
      <summary>{t(isBound ? 'storage.change' : 'storage.bind')}</summary>
      <form className="form" onSubmit={submit} autoComplete="off">
        {error && !namesField(error) ? <Problem error={error} /> : null}
        <label>
          {t('storage.account')}
          <input
            type="url"
            dir="ltr"
            required
            value={account}
            placeholder="https://account.dfs.core.windows.net"
            {...problemOf(error, 'account_url')}
            onChange={({ target }) => setAccount(target.value)}
          />
          <FieldHint error={error} field="account_url" hint={t('storage.account_hint')} />
        </label>
        <label>
          {t('storage.container')}
          <input
            dir="ltr"
            required
            value={container}
            {...problemOf(error, 'filesystem')}
            onChange={({ target }) => setContainer(target.value)}
          />
          <FieldHint error={error} field="filesystem" />
        </label>
        <label>
          {t('storage.mode')}
          <select value={mode} onChange={({ target }) => setMode(target.value as Mode)}>
            {modes.map((one) => (
              <option key={one} value={one}>
                {t(`storage.mode_${one}`)}
              </option>
            ))}
          </select>
        </label>
        {mode === 'managed_identity' ? (
          <p className="hint">
            {t('storage.principal')} <bdi translate="no">{binding.principal_client_id ?? '—'}</bdi>
          </p>
        ) : (
          <label>
            {t(`storage.secret_${mode}`)}
            <input
              type="password"
              autoComplete="off"
              dir="ltr"
              required={!keepsSecret}
              value={secret}
              {...problemOf(error, 'secret')}
              onChange={({ target }) => setSecret(target.value)}
            />
            <FieldHint
              error={error}
              field="secret"
              hint={t(keepsSecret ? 'storage.secret_kept' : 'storage.secret_hint')}
            />
          </label>
        )}
        {directories.map((directory) => (
          <label key={directory}>
            {t(`storage.${directory}`)}
            <input
              dir="ltr"
              required
              value={prefixes[directory]}
              {...problemOf(error, `prefixes.${directory}`)}
              onChange={({ target }) => setPrefixes({ ...prefixes, [directory]: target.value })}
            />
            <FieldHint error={error} field={`prefixes.${directory}`} />
          </label>
        ))}
        <p className="hint">{t('storage.unverified_after')}</p>
        <button type="submit" className="primary" disabled={isBusy}>
          {t('common.save')}
        </button>
      </form>
    </details>
  );
}

const fields = ['account_url', 'filesystem', 'secret', 'prefixes.documents', 'prefixes.golden'];

/** A refusal of a binding is a sentence that begins with the field's name (B 4.6). */
function refusalOf(error: unknown): string | undefined {
  const isRefusal = error instanceof LinguaLoopError && error.status === 422;
  return isRefusal && typeof error.detail === 'string' ? error.detail : undefined;
}

function namesField(error: unknown): boolean {
  return fields.some((field) => refusalOf(error)?.startsWith(`${field} `));
}

function problemOf(error: unknown, field: string) {
  const wrong = refusalOf(error)?.startsWith(`${field} `) ?? false;
  return { 'aria-invalid': wrong, ...(wrong && { 'aria-errormessage': `${field}-problem` }) };
}

function FieldHint({ error, field, hint }: { error: unknown; field: string; hint?: string }) {
  const refusal = refusalOf(error);
  if (refusal?.startsWith(`${field} `))
    return (
      <span id={`${field}-problem`} role="alert" className="hint bad">
        {refusal}
      </span>
    );
  return hint ? <span className="hint">{hint}</span> : null;
}
