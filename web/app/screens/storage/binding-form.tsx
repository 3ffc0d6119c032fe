import { useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { StorageBinding, StorageBindingRequest } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Field } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
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
  const { run, error, isBusy } = useAction();
  const isSameAccount = dfsForm(account) === binding.account_url;
  const keepsSecret = binding.has_secret && mode === binding.auth_mode && isSameAccount;

  const submit = run(async () => {
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
  });

  return (
    <details open={isBound || undefined}>
      <summary className="button">{t(isBound ? 'storage.change' : 'storage.bind')}</summary>
      <form className="form" onSubmit={submit} autoComplete="off">
        {error && !namesField(error) ? <Problem error={error} /> : null}
        <Field
          label={t('storage.account')}
          hint={t('storage.account_hint')}
          problem={problemOf(error, 'account_url')}
          type="url"
          dir="ltr"
          required
          placeholder="https://account.dfs.core.windows.net"
          value={account}
          onValue={setAccount}
        />
        <Field
          label={t('storage.container')}
          problem={problemOf(error, 'filesystem')}
          dir="ltr"
          required
          value={container}
          onValue={setContainer}
        />
        <ModeSelect value={mode} onChange={setMode} />
        {mode === 'managed_identity' ? (
          <p className="hint">
            {t('storage.principal')} <bdi translate="no">{binding.principal_client_id ?? '—'}</bdi>
          </p>
        ) : (
          <Field
            label={t(`storage.secret_${mode}`)}
            hint={t(keepsSecret ? 'storage.secret_kept' : 'storage.secret_hint')}
            problem={problemOf(error, 'secret')}
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
            problem={problemOf(error, `prefixes.${directory}`)}
            dir="ltr"
            required
            value={prefixes[directory]}
            onValue={(value) => setPrefixes({ ...prefixes, [directory]: value })}
          />
        ))}
        <p className="hint">{t('storage.unverified_after')}</p>
        <button type="submit" className="primary" disabled={isBusy}>
          {t('common.save')}
        </button>
      </form>
    </details>
  );
}

function ModeSelect({ value, onChange }: { value: Mode; onChange: (mode: Mode) => void }) {
  const t = useT();
  return (
    <label>
      {t('storage.mode')}
      <select value={value} onChange={({ target }) => onChange(target.value as Mode)}>
        {modes.map((mode) => (
          <option key={mode} value={mode}>
            {t(`storage.mode_${mode}`)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Converts the URL of an account to the form in which the service returns it. */
function dfsForm(url: string): string {
  return url.trim().replace(/\/$/, '').replace('.blob.core.', '.dfs.core.');
}

const fields = ['account_url', 'filesystem', 'secret', 'prefixes.documents', 'prefixes.golden'];

/** The message of a validation error, which begins with the name of the field; undefined for other errors. */
function refusalOf(error: unknown): string | undefined {
  const isRefusal = error instanceof LinguaLoopError && error.status === 422;
  return isRefusal && typeof error.detail === 'string' ? error.detail : undefined;
}

function namesField(error: unknown): boolean {
  return fields.some((field) => problemOf(error, field) !== undefined);
}

function problemOf(error: unknown, field: string): string | undefined {
  const refusal = refusalOf(error);
  return refusal?.startsWith(`${field} `) ? refusal : undefined;
}
